package org.namdb.simulation;

import java.util.function.LongFunction;
import org.namdb.fabric.RemoteAddress;
import org.namdb.timestamp.TimestampVectorLayout;

/// What remote addresses are called in a trace: the words of the timestamp vector by their meaning,
/// everything else by server and offset.
final class AddressNames implements LongFunction<String> {
    private final LongFunction<String> vector;

    AddressNames(TimestampVectorLayout vector) {
        this.vector = vector::describe;
    }

    @Override
    public String apply(long address) {
        String name = vector.apply(address);
        return name.isEmpty() ? RemoteAddress.describe(address) : name;
    }
}
