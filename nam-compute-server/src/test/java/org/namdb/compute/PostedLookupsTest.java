package org.namdb.compute;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.Rows;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// Lookups by a hashed index that are in flight together.
class PostedLookupsTest {
    private static final int GROUPS = 40;
    private static final int IDS = 600;
    private static final int AT_ONCE = 8;

    /// A table and its index by group, with what is in it.
    private static final class Model {
        private final Table table;
        private final Index byGroup;
        private final Rows[] found = new Rows[AT_ONCE];

        /// Whether all that is posted at once fits.
        private boolean isRoomy = true;

        /// How many rows were inserted without a read.
        private int blindInserts;

        /// By id: the group.
        private Map<Integer, Integer> rows = new HashMap<>();

        Model(NamDb db) {
            table =
                    db.createTable(
                            TableDefinition.named("t")
                                    .column("id", ColumnType.INT32)
                                    .column("g", ColumnType.INT32)
                                    .column("value", ColumnType.INT32)
                                    .primaryKey("id")
                                    .expectedRows(IDS)
                                    .build());
            byGroup = db.createIndex(IndexDefinition.hash("by_group", "t", "g"));
            for (int i = 0; i < AT_ONCE; i++) {
                found[i] = new Rows();
            }
        }

        Key group(int g) {
            return byGroup.newKey().clear().add(g);
        }

        void change(Transaction tx, Map<Integer, Integer> to, SplittableRandom random, int count) {
            for (int i = 0; i < count; i++) {
                int id = random.nextInt(IDS);
                int g = random.nextInt(GROUPS);
                Row row = tx.read(table, table.newKey().set(id));
                if (row != null && random.nextInt(3) == 0) {
                    tx.delete(row);
                    to.remove(id);
                } else {
                    Row written =
                            row == null ? BlankRow.insert(tx, table, table.newKey().set(id)) : row;
                    written.setInt64(table.column("g"), g);
                    to.put(id, g);
                }
            }
        }

        Set<Integer> idsOf(Map<Integer, Integer> of, int g) {
            Set<Integer> ids = new HashSet<>();
            of.forEach((id, group) -> {
                if (group == g) {
                    ids.add(id);
                }
            });
            return ids;
        }

        void post(Transaction tx, int place, int g) {
            tx.postLookup(byGroup, table, group(g), table.schema().all(), found[place]);
        }

        List<Integer> ids(int place) {
            List<Integer> ids = new ArrayList<>();
            for (int i = 0; i < found[place].size(); i++) {
                ids.add((int) found[place].row(i).int64(table.column("id")));
            }
            return ids;
        }
    }

    private static EmbeddedOptions options(boolean inPlace, int landingBytes, int servers) {
        return EmbeddedOptions.DEFAULT
                .withMemoryBytes(64 << 20)
                .withMemoryServers(servers)
                .withFabric(
                        () -> new ShmFabric(new ShmFabric.Options(inPlace, landingBytes, null)));
    }

    /// What was changed before, in the same transaction and in others, is found, and records that
    /// are read by their keys, and whatever is changed between two awaits.
    @ParameterizedTest
    @CsvSource({"true, 1048576, 1", "false, 1048576, 2", "false, 32768, 3"})
    void theyFindWhatTheTransactionSees(boolean inPlace, int landingBytes, int servers) {
        long seed = Seeds.next();
        SplittableRandom random = new SplittableRandom(seed);
        try (NamDb db = NamDb.embedded(options(inPlace, landingBytes, servers));
                Session session = db.session();
                Session other = db.session()) {
            Model model = new Model(db);
            model.isRoomy = landingBytes > 32768;
            for (int round = 0; round < 60; round++) {
                Map<Integer, Integer> after = new HashMap<>();
                Session writer = random.nextBoolean() ? session : other;
                writer.transact(tx -> { // perhaps more than once
                    after.clear();
                    after.putAll(model.rows);
                    model.change(tx, after, random, 40);
                    return true;
                });
                model.rows = after;
                Map<Integer, Integer> own = new HashMap<>();
                session.transact(tx -> {
                    own.clear();
                    own.putAll(after);
                    if (random.nextBoolean()) {
                        model.change(tx, own, random, random.nextInt(30));
                    }
                    check(model, tx, own, random);
                    model.change(tx, own, random, random.nextInt(10));
                    check(model, tx, own, random);
                    return true;
                });
                model.rows = own;
                checkOld(model, session.begin(), other, random);
                session.rollback();
            }
        }
    }

    /// By a snapshot after which others change rows.
    private static void checkOld(
            Model model, Transaction tx, Session other, SplittableRandom random) {
        Map<Integer, Integer> seen = new HashMap<>(model.rows);
        int changes = random.nextInt(40);
        for (int i = 0; i < changes; i++) {
            model.rows =
                    requireNonNull(
                            other.transact(writer -> {
                                Map<Integer, Integer> after = new HashMap<>(model.rows);
                                model.change(writer, after, random, 3);
                                return after;
                            }));
        }
        check(model, tx, seen, random);
        changeBlindly(model, tx, seen, random, random.nextInt(20));
        check(model, tx, seen, random);
    }

    /// Blind inserts of rows that exist nowhere: the transaction would wait for those that it has.
    /// So it reads nothing, and what is posted stays in flight.
    private static void changeBlindly(
            Model model,
            Transaction tx,
            Map<Integer, Integer> to,
            SplittableRandom random,
            int count) {
        for (int i = 0; i < count; i++) {
            int id = IDS + model.blindInserts++;
            int g = random.nextInt(GROUPS);
            BlankRow.insert(tx, model.table, model.table.newKey().set(id))
                    .setInt64(model.table.column("g"), g);
            to.put(id, g);
        }
    }

    private static void check(
            Model model, Transaction tx, Map<Integer, Integer> seen, SplittableRandom random) {
        int count = 1 + random.nextInt(AT_ONCE);
        int[] groups = new int[count];
        Map<Integer, Row> byKey = new HashMap<>();
        for (int i = 0; i < count; i++) {
            groups[i] = random.nextInt(GROUPS);
            model.post(tx, i, groups[i]);
            int id = random.nextInt(IDS);
            byKey.put(
                    id,
                    tx.post(model.table, model.table.newKey().set(id), model.table.schema().all()));
        }
        Map<Integer, Integer> joined = new HashMap<>(seen);
        if (random.nextInt(3) == 0) {
            int savepoint = tx.savepoint();
            changeBlindly(model, tx, joined, random, random.nextInt(60));
            if (random.nextBoolean()) {
                tx.rollbackTo(savepoint);
                joined = seen;
            }
        }
        tx.await();
        for (int i = 0; i < count; i++) {
            List<Integer> found = model.ids(i);
            assertThat(found)
                    .doesNotHaveDuplicates()
                    .containsAll(model.idsOf(seen, groups[i]))
                    .isSubsetOf(model.idsOf(joined, groups[i]));
            if (model.isRoomy) {
                assertThat(found).containsAll(model.idsOf(joined, groups[i]));
            }
        }
        seen.putAll(joined);
        byKey.forEach((id, row) -> assertThat(row.exists()).isEqualTo(seen.containsKey(id)));
    }

    /// The begin's last step shares the await with the entries, then follow the records.
    @Test
    void manyTakeTheRoundTripsOfOne() {
        EmbeddedOptions options =
                options(false, 1 << 20, 1).withMaintenanceInterval(Duration.ofHours(1));
        try (NamDb db = NamDb.embedded(options);
                Session session = db.session();
                Session other = db.session()) {
            FirstReadsTest.awaitMaintenance();
            Model model = new Model(db);
            for (int id = 0; id < 100; id++) {
                insert(model, other, id, id % GROUPS);
            }
            session.transact(tx -> {
                model.post(tx, 0, 0);
                tx.await();
                return true;
            });
            insert(model, other, 100, 0);
            long before = session.counters().roundTrips();
            long after =
                    requireNonNull(
                            session.transact(tx -> {
                                for (int i = 0; i < AT_ONCE; i++) {
                                    model.post(tx, i, i);
                                }
                                tx.await();
                                assertThat(model.ids(0)).containsExactlyInAnyOrder(0, 40, 80, 100);
                                assertThat(model.ids(7)).containsExactlyInAnyOrder(7, 47, 87);
                                return session.counters().roundTrips();
                            }));
            assertThat(after - before).isEqualTo(3);
        }
    }

    private static void insert(Model model, Session by, int id, int g) {
        by.transact(tx -> {
            BlankRow.insert(tx, model.table, model.table.newKey().set(id))
                    .setInt64(model.table.column("g"), g);
            return true;
        });
    }

    /// An abort between the post and the await is forgiven: the same rows are looked up again.
    @Test
    void oneThatAnAbortHasCutShortIsForgotten() {
        try (NamDb db = NamDb.embedded(options(false, 1 << 20, 1));
                Session session = db.session()) {
            Model model = new Model(db);
            insert(model, session, 1, 3);
            insert(model, session, 2, 4);
            session.transact(tx -> {
                model.post(tx, 0, 3);
                model.post(tx, 0, 4);
                tx.await();
                assertThat(model.ids(0)).containsExactly(2);
                return true;
            });
        }
    }

    /// There is no memory for a lookup's rows, and the transaction goes on from a savepoint.
    @Test
    void thoseThatAnAwaitHasFailedForAreForgotten() {
        int known = 4090; // nearly all that a session's own memory holds
        try (NamDb db =
                        NamDb.embedded(
                                options(false, 1 << 20, 1).withTransactionMemoryBytes(1 << 18));
                Session session = db.session()) {
            Model model = new Model(db);
            for (int id = 0; id < known + 10; id++) {
                insert(model, session, id, id < 2 ? id : id < known ? 2 + id % 30 : 39);
            }
            Transaction tx = session.begin();
            for (int id = 0; id < known; id++) {
                tx.post(model.table, model.table.newKey().set(id), model.table.schema().all());
            }
            tx.await();
            int savepoint = tx.savepoint();
            model.post(tx, 0, 39);
            model.post(tx, 1, 1);
            assertThatThrownBy(tx::await).isInstanceOf(TransactionAborted.class);
            tx.rollbackTo(savepoint);
            tx.neighbours(
                    model.table,
                    model.table.newKey().set(0),
                    model.table.schema().all(),
                    model.found[1]);
            assertThat(model.ids(1)).containsExactly(0);
            model.post(tx, 0, 1);
            tx.await();
            assertThat(model.ids(0)).containsExactly(1);
            session.rollback();
        }
    }
}
