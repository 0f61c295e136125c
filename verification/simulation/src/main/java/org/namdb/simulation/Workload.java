package org.namdb.simulation;

import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.namdb.compute.NamDb;
import org.namdb.fabric.sim.SimHost;

/// Transactions that keep what can be said of every snapshot, so that any look at the database says
/// whether all of them were whole.
interface Workload {
    /// For the names of threads.
    String name();

    /// How many clients it has on each compute server.
    int clients();

    /// Makes the tables, and fills them.
    void create(NamDb db);

    /// A client: it runs so many transactions, and connects again when it loses the connection.
    /// [IllegalStateException] says that the database holds what it must not hold.
    Runnable client(ComputeServer server, SplittableRandom random, int transactions);

    /// Looks at everything, in one snapshot.
    ///
    /// @throws IllegalStateException if the database holds what it must not hold
    void audit(NamDb db, SplittableRandom random);

    /// Where clients run.
    ///
    /// @param hasMemory whether it makes sense to connect again
    /// @param ended is told of each transaction that came to an end, in whatever way
    record ComputeServer(NamDb db, SimHost host, BooleanSupplier hasMemory, Runnable ended) {}
}
