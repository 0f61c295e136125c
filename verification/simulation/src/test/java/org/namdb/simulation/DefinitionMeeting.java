package org.namdb.simulation;

import java.util.EnumSet;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.TransactionException;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.sim.ClusterModel;
import org.namdb.fabric.sim.SimHost;
import org.namdb.fabric.sim.SimTrace;
import org.namdb.fabric.sim.Simulation;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// What has come of a compute server that drops a table and makes another one in its memory, again
/// and again, while a second one changes rows of whatever table it finds. All rows of a table have
/// the table's own mark.
///
/// @param ended whether both have come to an end
/// @param wrong what was found that is wrong; null for nothing
record DefinitionMeeting(boolean ended, @Nullable String wrong) {
    private static final int ROWS = 24;
    private static final int ROUNDS = 12;
    private static final int MARK_SHIFT = 32;
    private static final SimulationOptions OPTIONS =
            SimulationOptions.ofSeed(1, EnumSet.noneOf(Fault.class)).withServers(2, 2);

    /// One that goes on.
    private static final class Meeting {
        private final SplittableRandom random;
        private int running = 2;
        private boolean isOver;
        private @Nullable String wrong;

        private Meeting(long seed) {
            random = new SplittableRandom(seed);
        }

        private void wrong(String what) {
            if (wrong == null) {
                wrong = what;
            }
        }

        private void define(NamDb db) {
            for (long mark = 1; mark <= ROUNDS && wrong == null; mark++) {
                if (mark > 1) {
                    if (random.nextBoolean()) {
                        db.dropTable("t");
                    } else {
                        db.truncate("t");
                        db.dropTable("t");
                    }
                }
                fill(db, create(db, mark));
                db.options().host().sleep(random.nextLong(200_000));
                check(db, db.table("t"));
            }
            isOver = true;
        }

        private void use(NamDb db) {
            try (Session session = db.session()) {
                while (!isOver && wrong == null) {
                    Table table = db.findTable("t");
                    if (table != null) {
                        useOnce(session, table);
                    }
                    db.options().host().sleep(random.nextLong(5_000));
                }
            }
        }

        private void useOnce(Session session, Table table) {
            try {
                session.transact(transaction -> {
                    for (int i = 0; i < 4; i++) {
                        long id = random.nextInt(ROWS);
                        Row row = transaction.read(table, table.newKey().set(id));
                        if (row != null) {
                            look(table, row);
                            row.setInt64(
                                    table.column("value"), row.int64(table.column("value")) + 1);
                        }
                    }
                    return true;
                });
            } catch (TransactionException e) {
                // A conflict; or the table was just filled.
            } catch (IllegalStateException e) {
                if (!String.valueOf(e.getMessage()).contains("was dropped")) {
                    throw e;
                }
            }
        }

        private void look(Table table, Row row) {
            long found = row.int64(table.column("value")) >>> MARK_SHIFT;
            if (found != mark(table)) {
                wrong("a row of table %d in table %d".formatted(found, mark(table)));
            }
        }

        private void check(NamDb db, Table table) {
            db.transact(transaction -> {
                int rows = 0;
                TableScan scan = transaction.scan(table, table.schema().all());
                for (Row row = scan.next(); row != null; row = scan.next()) {
                    look(table, row);
                    rows++;
                }
                if (rows != ROWS) {
                    wrong("%d rows of %d in table %d".formatted(rows, ROWS, mark(table)));
                }
                return true;
            });
        }

        private void run(
                SimHost host, SimulatedCluster cluster, java.util.function.Consumer<NamDb> body) {
            host.start(
                    host.name(),
                    () -> {
                        NamDb db = cluster.attach(host);
                        try {
                            body.accept(db);
                        } catch (RuntimeException | AssertionError e) {
                            wrong(host.name() + ": " + e);
                        }
                        running--;
                    });
        }
    }

    /// Whether one has met what belongs to another table.
    boolean isBroken() {
        return wrong != null;
    }

    /// Has them meet.
    static DefinitionMeeting of(long seed) {
        Simulation simulation = new Simulation(seed, ClusterModel.FREE_PROCESSORS, SimTrace.off());
        try (SimulatedCluster cluster = new SimulatedCluster(simulation, OPTIONS)) {
            boolean[] isReady = new boolean[1];
            cluster.start(_ -> {}, () -> isReady[0] = true);
            run(simulation, 3);
            if (!isReady[0]) {
                throw new IllegalStateException("the cluster is not there, seed " + seed);
            }
            Meeting meeting = new Meeting(seed);
            meeting.run(simulation.host("definer"), cluster, meeting::define);
            meeting.run(simulation.host("user"), cluster, meeting::use);
            for (int round = 0; round < 1000 && meeting.running > 0; round++) {
                run(simulation, 10);
            }
            return new DefinitionMeeting(meeting.running == 0, meeting.wrong);
        }
    }

    private static Table create(NamDb db, long mark) {
        return db.createTable(
                TableDefinition.named("t")
                        .column("id", ColumnType.INT64)
                        .column("value", ColumnType.INT64)
                        .primaryKey("id")
                        .property("mark", String.valueOf(mark))
                        .inlined(mark % 3 != 0)
                        .versions(2)
                        .expectedRows(ROWS)
                        .build());
    }

    private static long mark(Table table) {
        return Long.parseLong(table.definition().properties().get("mark"));
    }

    private static void fill(NamDb db, Table table) {
        db.transact(transaction -> {
            for (int id = 0; id < ROWS; id++) {
                transaction
                        .insert(table, table.newKey().set(id))
                        .setInt64(table.column("value"), mark(table) << MARK_SHIFT);
            }
            return true;
        });
    }

    private static void run(Simulation simulation, long millis) {
        simulation.run(simulation.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
        simulation.skipTo(simulation.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1));
    }
}
