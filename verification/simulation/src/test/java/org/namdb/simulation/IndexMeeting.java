package org.namdb.simulation;

import java.util.EnumSet;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.TransactionException;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.Rows;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.sim.ClusterModel;
import org.namdb.fabric.sim.SimHost;
import org.namdb.fabric.sim.SimTrace;
import org.namdb.fabric.sim.Simulation;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// What has come of a compute server that makes an index and drops it, again and again, while a
/// second one changes the indexed values, and looks every value up in the index, if there is one,
/// that it has read by its key. Snapshots may be older than what was committed.
///
/// @param ended whether both have come to an end
/// @param wrong what was found that is wrong; null for nothing
record IndexMeeting(boolean ended, @Nullable String wrong) {
    private static final int ROWS = 24;
    private static final int ROUNDS = 10;

    /// The options of this seed allow for stale snapshots.
    private static final SimulationOptions OPTIONS =
            SimulationOptions.ofSeed(14, EnumSet.noneOf(Fault.class)).withServers(2, 2);

    /// One that goes on.
    private static final class Meeting {
        private final SplittableRandom random;
        private final Rows found = new Rows();
        private int running = 2;
        private boolean isOver;
        private long values = ROWS;
        private @Nullable String wrong;

        private Meeting(long seed) {
            random = new SplittableRandom(seed);
        }

        private void define(NamDb db) {
            for (int round = 0; round < ROUNDS && wrong == null; round++) {
                pause(db, 200_000);
                look(db); // by a session whose snapshot is used again
                pause(db, 20_000);
                db.createIndex(
                        round % 2 == 0
                                ? IndexDefinition.hash("by_value", "t", "value")
                                : IndexDefinition.ordered("by_value", "t", "value"));
                look(db);
                pause(db, 200_000);
                look(db);
                db.dropIndex("by_value");
            }
            isOver = true;
        }

        private void look(NamDb db) {
            Table table = db.table("t");
            db.transact(transaction -> {
                for (int id = 0; id < ROWS; id++) {
                    look(transaction, table, id);
                }
                return true;
            });
        }

        private void use(NamDb db) {
            try (Session session = db.session()) {
                while (!isOver && wrong == null) {
                    useOnce(session, db.table("t"));
                    pause(db, 5_000);
                }
            }
        }

        private void useOnce(Session session, Table table) {
            long id = random.nextInt(ROWS);
            try {
                session.transact(transaction -> {
                    Row row = transaction.read(table, table.newKey().set(id));
                    row.setInt64(table.column("value"), values++);
                    return true;
                });
                session.transact(transaction -> {
                    look(transaction, table, id);
                    return true;
                });
            } catch (TransactionException e) {
                // A conflict with the collection.
            } catch (IllegalStateException e) {
                if (!String.valueOf(e.getMessage()).contains("was dropped")) {
                    throw e;
                }
            }
        }

        private void look(Transaction transaction, Table table, long id) {
            long value =
                    transaction.read(table, table.newKey().set(id)).int64(table.column("value"));
            for (Index index : table.indexes()) {
                boolean isThere =
                        index.definition().kind() == IndexDefinition.Kind.HASH
                                ? isFound(transaction, table, index, value)
                                : isInRange(transaction, table, index, value);
                if (!isThere && wrong == null) {
                    wrong = "value %d of row %d is not in the index".formatted(value, id);
                }
            }
        }

        private boolean isFound(Transaction transaction, Table table, Index index, long value) {
            transaction.lookup(
                    index, table, index.newKey().set(value), table.schema().all(), found);
            return found.size() == 1;
        }

        private static boolean isInRange(
                Transaction transaction, Table table, Index index, long value) {
            return transaction
                            .ascending(
                                    index,
                                    table,
                                    index.newKey().set(value),
                                    index.newKey().set(value),
                                    table.schema().all())
                            .next()
                    != null;
        }

        private void pause(NamDb db, long mostNanos) {
            db.options().host().sleep(random.nextLong(1, mostNanos));
        }

        private void run(SimHost host, SimulatedCluster cluster, Consumer<NamDb> body) {
            host.start(
                    host.name(),
                    () -> {
                        NamDb db = cluster.attach(host);
                        try {
                            body.accept(db);
                        } catch (RuntimeException | AssertionError e) {
                            wrong = wrong == null ? host.name() + ": " + e : wrong;
                        }
                        isOver |= wrong != null;
                        running--;
                    });
        }
    }

    /// Whether something was not in the index.
    boolean isBroken() {
        return wrong != null;
    }

    /// Has them meet.
    static IndexMeeting of(long seed) {
        Simulation simulation = new Simulation(seed, ClusterModel.FREE_PROCESSORS, SimTrace.off());
        try (SimulatedCluster cluster = new SimulatedCluster(simulation, OPTIONS)) {
            boolean[] isReady = new boolean[1];
            cluster.start(IndexMeeting::load, () -> isReady[0] = true);
            run(simulation, 10);
            if (!isReady[0]) {
                throw new IllegalStateException("the cluster is not there, seed " + seed);
            }
            Meeting meeting = new Meeting(seed);
            meeting.run(simulation.host("definer"), cluster, meeting::define);
            meeting.run(simulation.host("user"), cluster, meeting::use);
            for (int round = 0; round < 1000 && meeting.running > 0; round++) {
                run(simulation, 10);
            }
            return new IndexMeeting(meeting.running == 0, meeting.wrong);
        }
    }

    private static void load(NamDb db) {
        Table table =
                db.createTable(
                        TableDefinition.named("t")
                                .column("id", ColumnType.INT64)
                                .column("value", ColumnType.INT64)
                                .primaryKey("id")
                                .versions(2)
                                .expectedRows(ROWS)
                                .build());
        db.transact(transaction -> {
            for (int id = 0; id < ROWS; id++) {
                transaction
                        .insert(table, table.newKey().set(id))
                        .setInt64(table.column("value"), id);
            }
            return true;
        });
    }

    private static void run(Simulation simulation, long millis) {
        simulation.run(simulation.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
        simulation.skipTo(simulation.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1));
    }
}
