package org.namdb.mvcc.gc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.namdb.mvcc.RemoteAllocator;

/// Takes what a collector frees, and allocates nothing.
final class FreedMemory implements RemoteAllocator {
    private final List<Long> addresses;

    FreedMemory() {
        this(new ArrayList<>());
    }

    /// @param addresses gets what is freed
    FreedMemory(List<Long> addresses) {
        this.addresses = addresses;
    }

    /// What was freed, in this order.
    List<Long> addresses() {
        return addresses;
    }

    @Override
    public long allocate(int server, int bytes) {
        throw new AssertionError("a collector needs no memory");
    }

    @Override
    public void reserve(int server, int bytes) {
        throw new AssertionError("a collector needs no memory");
    }

    @Override
    public void free(long address, int bytes) {
        assertThat(addresses).as("freed once").doesNotContain(address);
        addresses.add(address);
    }
}
