package org.namdb.tpcc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/// The exact sentences for options that can't be stand with the command line, in nam-cli.
class TpccOptionsTest {
    private static final long MACHINE_BYTES = 24L << 30;

    private static TpccOptionsBuilder builder() {
        return TpccOptions.builder(2, MACHINE_BYTES);
    }

    @Test
    void defaultsFollowTheMachine() {
        TpccOptions options = builder().build();
        assertThat(options.threads()).isEqualTo(2);
        assertThat(options.slots()).isEqualTo(16);
        assertThat(options.memoryBytes()).isEqualTo(8L << 30);
        assertThat(builder().warehouses(30).build().memoryBytes())
                .isEqualTo(2 * new Scale(30, 100).estimatedBytes());
        assertThat(TpccOptions.builder(1, 4L << 30).build().memoryBytes()).isEqualTo(2L << 30);
    }

    @Test
    void thereIsASlotForEachThread() {
        assertThat(builder().threads(100).build().slots()).isEqualTo(100);
        assertThatThrownBy(() -> builder().threads(100).slots(99).build())
                .isInstanceOf(InvalidOptionException.class)
                .hasMessage("--threads 100 needs a slot for each thread, but there are only 99");
    }

    @Test
    void transactionsHaveNoWarmup() {
        assertThat(builder().transactions(5).build().warmup()).isZero();
        assertThat(builder().build().warmup()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void theMachineMustHaveTheMemory() {
        assertThatThrownBy(() -> builder().memoryBytes(25L << 30).build())
                .isInstanceOf(InvalidOptionException.class)
                .hasMessage("--memory 25 GiB is more than the 24 GiB of this machine");
    }

    @Test
    void threadsNeedMemoryToo() {
        assertThatThrownBy(() -> TpccOptions.builder(2, 24L << 30).threads(5_000).build())
                .hasMessage(
                        "--threads 5000 need about 24.4 GiB for their buffers, more than half of the 24 GiB of this machine");
        assertThat(TpccOptions.builder(2, 24L << 30).threads(2_000).build().threads())
                .isEqualTo(2_000);
    }

    @Test
    void aSmallerPopulationNeedsLessMemory() {
        assertThat(builder().warehouses(100).populationPercent(1).memoryBytes(1L << 30).build())
                .isNotNull();
        assertThatThrownBy(() -> builder().warehouses(100).memoryBytes(1L << 30).build())
                .isInstanceOf(InvalidOptionException.class);
    }
}
