package org.namdb.simulation;

import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.IntUnaryOperator;
import org.namdb.compute.NamDb;
import org.namdb.simulated.SimHost;

/// Transactions with an invariant of every snapshot, so that an audit shows whether all of them
/// were whole.
interface Workload {
    /// For the names of threads.
    String name();

    /// How many clients it has on each compute server.
    int clients();

    /// Makes the tables, and fills them.
    void create(NamDb db);

    /// A client: it runs so many transactions, and connects again when it loses the connection.
    /// [IllegalStateException] if the database holds what it must not hold.
    Runnable client(ComputeServer server, SplittableRandom random, int transactions);

    /// Audits all, in one snapshot.
    ///
    /// @throws IllegalStateException if the database holds what it must not hold
    void audit(NamDb db, SplittableRandom random);

    /// Where clients run.
    ///
    /// @param hasMemory whether it makes sense to connect again
    /// @param ended is notified of each transaction that ended, in whatever way
    record ComputeServer(NamDb db, SimHost host, BooleanSupplier hasMemory, Runnable ended) {
        private static final int MAX_CONNECTIONS = 20;
        private static final long MIN_PAUSE_NANOS = 500;
        private static final long MAX_PAUSE_NANOS = 20_000;

        /// Runs so many transactions, on one connection after the other.
        ///
        /// @param connected runs transactions until the connection is lost: given how many, it
        ///     returns how many are left
        void run(int transactions, IntUnaryOperator connected) {
            int left = transactions;
            int connections = 0;
            while (left > 0 && connections < MAX_CONNECTIONS && hasMemory.getAsBoolean()) {
                left = connected.applyAsInt(left);
                connections++;
            }
        }

        /// After a transaction that has lost a conflict.
        void pause(SplittableRandom random) {
            host.sleep(random.nextLong(MIN_PAUSE_NANOS, MAX_PAUSE_NANOS));
        }
    }
}
