package org.namdb.tpcc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.namdb.workload.InvalidOptionException;

/// The exact sentences for invalid options are tested with the command line, in nam-cli.
class TpccOptionsTest {
    private static final long MACHINE_BYTES = 24L << 30;

    private static TpccOptions options(String text) {
        return TpccOptions.of(2, MACHINE_BYTES, text);
    }

    @Test
    void defaultsFollowTheMachine() {
        TpccOptions options = options("");
        assertThat(options.threads()).isEqualTo(2);
        assertThat(options.slots()).isEqualTo(16);
        assertThat(options.memoryBytes()).isEqualTo(8L << 30);
        assertThat(options("--warehouses 30").memoryBytes())
                .isEqualTo(2 * new Scale(30, 100).estimatedBytes());
        assertThat(TpccOptions.of(1, 4L << 30, "").memoryBytes()).isEqualTo(2L << 30);
    }

    @Test
    void thereIsASlotForEachThread() {
        assertThat(options("--threads 100").slots()).isEqualTo(100);
        assertThatThrownBy(() -> options("--threads 100 --slots 99"))
                .isInstanceOf(InvalidOptionException.class)
                .hasMessage("--threads 100 needs a slot for each thread, but there are only 99");
    }

    @Test
    void transactionsHaveNoWarmup() {
        assertThat(options("--transactions 5").warmup()).isZero();
        assertThat(options("").warmup()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void theMachineMustHaveTheMemory() {
        assertThatThrownBy(() -> options("--memory 25g"))
                .isInstanceOf(InvalidOptionException.class)
                .hasMessage("--memory 25 GiB is more than the 24 GiB of this machine");
    }

    @Test
    void threadsNeedMemoryToo() {
        assertThatThrownBy(() -> options("--threads 5000"))
                .hasMessage(
                        "--threads 5000 need about 24.4 GiB for their buffers, more than half of the 24 GiB of this machine");
        assertThat(options("--threads 2000").threads()).isEqualTo(2_000);
    }

    @Test
    void aSmallerPopulationNeedsLessMemory() {
        assertThat(options("--warehouses 100 --population 1 --memory 1g")).isNotNull();
        assertThatThrownBy(() -> options("--warehouses 100 --memory 1g"))
                .isInstanceOf(InvalidOptionException.class);
    }
}
