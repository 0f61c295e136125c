package org.namdb.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.namdb.fabric.shm.ShmFabric;

/// Posting and awaiting leaves nothing for the garbage collector.
class AllocationTest {
    @Test
    void verbsInPlaceAllocateNothing() {
        assertThat(VerbAllocation.bytes(new ShmFabric(ShmFabric.Options.DEFAULT))).isZero();
    }

    @Test
    void landedVerbsAllocateNothing() {
        ShmFabric.Options landing = ShmFabric.Options.DEFAULT.withReadsInPlace(false);
        assertThat(VerbAllocation.bytes(new ShmFabric(landing))).isZero();
    }
}
