package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.compute.NamDb;
import org.namdb.compute.RowMapping;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.TransactionSchema;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.memory.client.ServerUsage;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.simulated.ClusterModel;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.SimTrace;
import org.namdb.simulated.Simulation;

/// A compute server crashes at a verb of a schema change, then at a later one, and so on; another
/// one fences and recovers it, and changes the schema. The table's contents are whole or gone, and
/// no memory stays taken, but for what the dead one's sessions held ready.
///
/// Two moments of a change do lose memory: just after it was allocated, before its entry is in the
/// catalog; and while it is freed, when its entry is removed, lest it be freed twice.
class DeadDdlSessionTest {
    private static final int ROWS = 20;
    private static final int EXPECTED_ROWS = 30_000;
    private static final int MAX_VERBS = 5_000;
    private static final int STRIDE = 11;

    /// Less than a range of the table's bucket array.
    private static final long MAX_LEFT_BYTES = 400 << 10;

    /// One death just after the new table's arrays were allocated, and one while the old one's are
    /// freed. Both moments are short: the stride meets each at most once.
    private static final int MAX_LOST = 2;

    private static final SimulationOptions OPTIONS =
            SimulationOptions.ofSeed(1, EnumSet.noneOf(Fault.class)).withServers(2, 2);

    /// The schema change that is interrupted.
    enum Change {
        DROP,
        TRUNCATE,
        REPLACE,
        CREATE_INDEX,
        DROP_INDEX,
        /// Another table in its place, an index, and a further table, with rows.
        IN_TRANSACTION;

        void make(NamDb db) {
            switch (this) {
                case DROP -> db.dropTable("t");
                case TRUNCATE -> db.truncate("t");
                case REPLACE -> db.replaceTable("t", definition(3), new Copy());
                case CREATE_INDEX -> db.createIndex(IndexDefinition.hash("more", "t", "value"));
                case DROP_INDEX -> db.dropIndex("by_value");
                case IN_TRANSACTION -> inTransaction(db);
            }
        }

        private static void inTransaction(NamDb db) {
            try (Session session = db.session()) {
                Transaction transaction = session.begin();
                TransactionSchema schema = db.schemaOf(session);
                Table _ = schema.replaceTable("t", definition(3), new Copy());
                Index _ = schema.createIndex(IndexDefinition.hash("more", "t", "value"));
                Table further = schema.createTable(definition(1).copy("further").build());
                transaction
                        .insert(further, further.newKey().set(1))
                        .setInt64(further.column("value"), 1);
                schema.dropTable("further");
                CommitOutcome outcome = schema.commit(Duration.ofSeconds(5), () -> {});
                assertThat(outcome).isInstanceOf(CommitOutcome.Committed.class);
            }
        }
    }

    /// The same row.
    private static final class Copy implements RowMapping {
        @Override
        public void key(Row source, Key key) {
            key.set(source.int64(source.table().column("id")));
        }

        @Override
        public void columns(Row source, Row target) {
            target.setInt64(
                    target.table().column("value"), source.int64(source.table().column("value")));
        }
    }

    @ParameterizedTest
    @EnumSource
    void noMemoryStaysTakenWhereverItDies(Change change) {
        long before = usedAfter(change, MAX_VERBS, new boolean[1]);
        boolean[] hasCrashed = {true};
        int lost = 0;
        int verb = 1;
        for (; hasCrashed[0]; verb += STRIDE) {
            long after = usedAfter(change, verb, hasCrashed);
            lost += after - before > MAX_LEFT_BYTES ? 1 : 0;
        }
        assertThat(verb).as("verbs of it").isGreaterThan(5 * STRIDE);
        int most = change == Change.IN_TRANSACTION ? 2 * MAX_LOST : MAX_LOST; // of two tables
        assertThat(lost).as("deaths that lost memory").isLessThanOrEqualTo(most);
    }

    /// Whether memory stays taken when a coordinator dies in a TRUNCATE, long before it is done.
    static boolean losesMemory(long seed) {
        long before = usedAfter(Change.TRUNCATE, MAX_VERBS, new boolean[1]);
        int verb = (int) (100 + seed % 200);
        return usedAfter(Change.TRUNCATE, verb, new boolean[1]) - before > MAX_LEFT_BYTES;
    }

    /// @return the bytes that are taken when another one has dropped everything
    private static long usedAfter(Change change, int verb, boolean[] hasCrashed) {
        Simulation simulation = new Simulation(7, ClusterModel.FREE_PROCESSORS, SimTrace.off());
        try (SimulatedCluster cluster = new SimulatedCluster(simulation, OPTIONS)) {
            boolean[] isDone = new boolean[2];
            cluster.start(DeadDdlSessionTest::load, () -> isDone[0] = true);
            run(simulation, 100);
            assertThat(isDone[0]).isTrue();
            int[] process = new int[1];
            SimHost ddlSession = simulation.host("definer");
            ddlSession.start(
                    "definer",
                    () -> {
                        NamDb db = cluster.attach(ddlSession);
                        process[0] = db.process();
                        Table _ = db.table("t");
                        ddlSession.crashAtVerb(ddlSession.verbs() + verb);
                        change.make(db);
                        ddlSession.crashAtVerb(Long.MAX_VALUE);
                    });
            run(simulation, 100);
            hasCrashed[0] = ddlSession.isDead();
            ddlSession.crash();
            long[] used = new long[1];
            SimHost other = simulation.host("other");
            other.start(
                    "other",
                    () -> {
                        NamDb db = cluster.attach(other);
                        while (!db.recoverProcess(process[0])) {
                            other.sleep(50_000);
                        }
                        requireWhole(db, change);
                        if (db.findTable("t") != null) {
                            db.dropTable("t");
                        }
                        db.createTable(definition(1));
                        db.dropTable("t");
                        db.close();
                        isDone[1] = true;
                    });
            run(simulation, 500);
            assertThat(isDone[1]).as("crash at verb %d: the other is done", verb).isTrue();
            SimHost last = simulation.host("last");
            last.start(
                    "last",
                    () -> {
                        NamDb db = cluster.attach(last);
                        used[0] = db.usage().stream().mapToLong(ServerUsage::usedBytes).sum();
                    });
            run(simulation, 10);
            return used[0];
        }
    }

    private static void requireWhole(NamDb db, Change change) {
        Table table = db.findTable("t");
        if (table == null) {
            assertThat(change).isEqualTo(Change.DROP);
            return;
        }
        int[] rows = new int[1];
        db.transact(transaction -> {
            rows[0] = 0;
            for (int id = 0; id < ROWS; id++) {
                Row row = transaction.read(table, table.newKey().set(id));
                rows[0] += row != null && row.int64(table.column("value")) == id ? 1 : 0;
            }
            return true;
        });
        assertThat(rows[0]).isIn(ROWS, change == Change.TRUNCATE ? 0 : ROWS);
    }

    private static void load(NamDb db) {
        Table table = db.createTable(definition(1));
        db.createIndex(IndexDefinition.hash("by_value", "t", "value"));
        db.createIndex(IndexDefinition.ordered("in_order", "t", "value"));
        db.transact(transaction -> {
            for (int id = 0; id < ROWS; id++) {
                transaction
                        .insert(table, table.newKey().set(id))
                        .setInt64(table.column("value"), id);
            }
            return true;
        });
    }

    private static TableDefinition definition(int versions) {
        return TableDefinition.named("t")
                .column("id", ColumnType.INT64)
                .column("value", ColumnType.INT64)
                .primaryKey("id")
                .versions(versions)
                .inlined(false)
                .expectedRows(EXPECTED_ROWS)
                .build();
    }

    private static void run(Simulation simulation, long millis) {
        simulation.run(simulation.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
        simulation.skipTo(simulation.nanoTime() + TimeUnit.MICROSECONDS.toNanos(1));
    }
}
