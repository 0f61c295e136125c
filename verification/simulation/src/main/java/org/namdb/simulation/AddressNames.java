package org.namdb.simulation;

import java.util.function.LongFunction;
import org.namdb.compute.NamDb;
import org.namdb.fabric.RemoteAddress;

/// What remote addresses are called in a trace: the words of the timestamp vector by their meaning,
/// everything else by server and offset.
final class AddressNames implements LongFunction<String> {
    private final LongFunction<String> vector;

    AddressNames(int slots) {
        this.vector = NamDb.vectorNames(slots);
    }

    @Override
    public String apply(long address) {
        String name = vector.apply(address);
        return name.isEmpty() ? RemoteAddress.describe(address) : name;
    }
}
