package org.namdb.sql.engine;

import java.time.Duration;
import java.util.List;
import org.namdb.compute.AttachedDatabase;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.Region;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;

/// A session each of two compute servers on one memory server.
final class TwoSqlServers implements AutoCloseable {
    private static final int SLOTS = 32;
    private static final long BYTES = 64L << 20;

    final NamDb first;
    private final NamDb second;
    final SqlDatabase one;
    final SqlDatabase other;
    final SqlSession a;
    final SqlSession b;

    TwoSqlServers() {
        ShmFabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
        long reserved = DatabaseLayout.reservedBytes(0, SLOTS);
        List<Region> regions = List.of(new MemoryServer(fabric, 0, BYTES, reserved).region());
        DatabaseLayout.format(fabric, regions, SLOTS, Duration.ofMinutes(10));
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT.withMemoryServers(1).withMemoryBytes(BYTES).withSlots(8);
        first = AttachedDatabase.open(options, fabric, regions);
        second = AttachedDatabase.open(options, fabric, regions);
        one = SqlDatabase.of(first);
        other = SqlDatabase.of(second);
        a = one.session();
        b = other.session();
    }

    @Override
    public void close() {
        FirstFailure failures = new FirstFailure();
        failures.attempt(b::close);
        failures.attempt(a::close);
        failures.attempt(other::close);
        failures.attempt(one::close);
        failures.attempt(second::close);
        failures.attempt(first::close);
        failures.rethrow();
    }
}
