package org.namdb.compute;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.read.Rows;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.simulated.tearing.TearingFabric;

/// Ranges whose first records are read together.
class PostedCursorsTest {
    private static final int GROUPS = 40;
    private static final int IDS = 600;

    /// A table and its index by group and value, with what is in it.
    private static final class Model {
        private final Table table;
        private final Index byValue;

        /// By id: the group and the value.
        private Map<Integer, long[]> rows = new HashMap<>();

        Model(NamDb db) {
            table =
                    db.createTable(
                            TableDefinition.named("t")
                                    .column("id", ColumnType.INT32)
                                    .column("g", ColumnType.INT32)
                                    .column("value", ColumnType.INT64)
                                    .primaryKey("id")
                                    .expectedRows(IDS)
                                    .build());
            byValue = db.createIndex(IndexDefinition.ordered("by_value", "t", "g", "value"));
        }

        Key group(int g) {
            return byValue.newKey().clear().add(g);
        }

        void write(Row row, long g, long value) {
            row.setInt64(table.column("g"), g);
            row.setInt64(table.column("value"), value);
        }

        void change(Transaction tx, Map<Integer, long[]> to, SplittableRandom random, int count) {
            for (int i = 0; i < count; i++) {
                int id = random.nextInt(IDS);
                int g = random.nextInt(GROUPS);
                long value = random.nextLong(-500, 500);
                Row row = tx.read(table, table.newKey().set(id));
                if (row != null && random.nextInt(3) == 0) {
                    tx.delete(row);
                    to.remove(id);
                } else {
                    Row written = row == null ? tx.insert(table, table.newKey().set(id)) : row;
                    write(written, g, value);
                    to.put(id, new long[] {g, value});
                }
            }
        }

        /// The ids of a group by their values.
        List<Integer> inOrder(Map<Integer, long[]> of, int g) {
            return of.entrySet().stream()
                    .filter(each -> each.getValue()[0] == g)
                    .sorted((a, b) -> {
                        int order = Long.compare(a.getValue()[1], b.getValue()[1]);
                        return order != 0 ? order : Integer.compare(a.getKey(), b.getKey());
                    })
                    .map(Map.Entry::getKey)
                    .toList();
        }
    }

    private static NamDb open(boolean inPlace, int landingBytes) {
        return NamDb.embedded(
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(256L << 20)
                        .withMemoryServers(2)
                        .withFabric(() ->
                                new ShmFabric(new ShmFabric.Options(inPlace, landingBytes, null))));
    }

    @Test
    void theFirstOfManyTakeTwoRoundTrips() {
        try (NamDb db = open(false, 1 << 20);
                Session session = db.session()) {
            Model model = new Model(db);
            session.transact(tx -> {
                for (int g = 0; g < GROUPS; g++) {
                    model.write(tx.insert(model.table, model.table.newKey().set(g)), g, g);
                }
                return true;
            });
            session.transact(tx -> { // comes through the tree's inner nodes
                for (int g = 0; g < GROUPS; g++) {
                    first(model, ascending(model, tx, g));
                }
                return true;
            });
            session.transact(tx -> {
                List<RowCursor> cursors = new ArrayList<>();
                long before = session.counters().roundTrips();
                for (int g = 0; g < GROUPS; g++) {
                    cursors.add(post(model, tx, g));
                }
                tx.await();
                for (int g = 0; g < GROUPS; g++) {
                    assertThat(first(model, cursors.get(g))).isEqualTo(g);
                }
                assertThat(session.counters().roundTrips() - before).isEqualTo(2);
                return true;
            });
        }
    }

    /// ```
    /// reader   holds its snapshot, so that no entry is removed
    /// writer   deletes the first 60 of 80 records of every group, which fill leaves of their own
    /// session  reads the first of every group: 1 + 4 + 8 + 16 + 32 of each, all groups together
    /// ```
    @Test
    void theyGoOnTogetherUntilEachHasARecord() {
        try (NamDb db = open(false, 1 << 20);
                Session session = db.session();
                Session writer = db.session();
                Session reader = db.session()) {
            Model model = new Model(db);
            writer.transact(tx -> {
                for (int id = 0; id < 800; id++) {
                    model.write(tx.insert(model.table, model.table.newKey().set(id)), id % 10, id);
                }
                return true;
            });
            Transaction old = reader.begin();
            writer.transact(tx -> {
                for (int id = 0; id < 600; id++) {
                    tx.delete(requireNonNull(tx.read(model.table, model.table.newKey().set(id))));
                }
                return true;
            });
            FirstReadsTest.awaitMaintenance();
            session.transact(tx -> {
                long before = session.counters().roundTrips();
                List<RowCursor> cursors = new ArrayList<>();
                for (int g = 0; g < 10; g++) {
                    cursors.add(post(model, tx, g));
                }
                tx.await();
                long together = session.counters().roundTrips() - before;
                for (int g = 0; g < 10; g++) {
                    assertThat(first(model, cursors.get(g))).isEqualTo(600 + g);
                }
                assertThat(session.counters().roundTrips() - before).isEqualTo(together);
                assertThat(together).isLessThanOrEqualTo(15); // alone, a group takes ten
                return true;
            });
            assertThat(first(model, post(model, old, 3))).isEqualTo(3);
            reader.rollback();
        }
    }

    private static RowCursor ascending(Model model, Transaction tx, int g) {
        return tx.ascending(
                model.byValue,
                model.table,
                model.group(g),
                model.group(g),
                model.table.schema().all());
    }

    private static RowCursor post(Model model, Transaction tx, int g) {
        return post(model, tx, model.byValue, g);
    }

    private static RowCursor post(Model model, Transaction tx, Index index, int g) {
        Key group = index.newKey().clear().add(g);
        return tx.postAscending(index, model.table, group, group, model.table.schema().all());
    }

    private static long first(Model model, RowCursor cursor) {
        Row row = cursor.next();
        cursor.close();
        return row == null ? -1 : row.int64(model.table.column("id"));
    }

    /// All that is posted with it, until it is more than lands at a time: then what is posted is
    /// awaited in the middle of a plain cursor's move.
    @Test
    void aPlainCursorMovesBesideAPostedOne() {
        try (NamDb db = open(false, 1 << 16);
                Session session = db.session()) {
            Model model = new Model(db);
            session.transact(tx -> {
                for (int g = 0; g < 8; g++) {
                    model.write(tx.insert(model.table, model.table.newKey().set(g)), g, g);
                }
                return true;
            });
            for (int count = 0; count < 300; count++) {
                int others = count;
                session.transact(tx -> {
                    RowCursor posted = post(model, tx, 3);
                    for (int id = 0; id < others; id++) {
                        Key key = model.table.newKey().set(1000 + id);
                        tx.post(model.table, key, model.table.schema().all());
                    }
                    assertThat(first(model, ascending(model, tx, 5))).as("" + others).isEqualTo(5);
                    assertThat(first(model, posted)).as("" + others).isEqualTo(3);
                    return true;
                });
            }
        }
    }

    /// An insert of a record that others have committed, which the transaction has not read: what a
    /// cursor has read ahead of it is undone with it.
    @ParameterizedTest(name = "posted: {0}")
    @ValueSource(booleans = {true, false})
    void anInsertThatIsUndoneLeavesTheRecordThatIsThere(boolean isPosted) {
        try (NamDb db = open(false, 1 << 16);
                Session session = db.session()) {
            Model model = new Model(db);
            session.transact(tx -> {
                for (int id = 1; id <= 5; id++) {
                    model.write(tx.insert(model.table, model.table.newKey().set(id)), 0, id);
                }
                return true;
            });
            Transaction tx = session.begin();
            int savepoint = tx.savepoint();
            int undone = isPosted ? 1 : 3;
            model.write(tx.insert(model.table, model.table.newKey().set(undone)), 0, undone);
            RowCursor cursor = isPosted ? post(model, tx, 0) : ascending(model, tx, 0);
            tx.await();
            List<Long> found = new ArrayList<>();
            while (found.size() < undone - 1) {
                add(found, model, cursor);
            }
            tx.rollbackTo(savepoint);
            while (add(found, model, cursor)) {
                // One after the other.
            }
            assertThat(found).containsExactly(1L, 2L, 3L, 4L, 5L);
            session.rollback();
        }
    }

    /// The same of a delete, before the range's first record is requested.
    @ParameterizedTest(name = "posted: {0}")
    @ValueSource(booleans = {true, false})
    void aDeleteThatIsUndoneLeavesTheRecord(boolean isPosted) {
        try (NamDb db = open(false, 1 << 16);
                Session session = db.session()) {
            Model model = new Model(db);
            session.transact(tx -> {
                for (int id = 1; id <= 5; id++) {
                    model.write(tx.insert(model.table, model.table.newKey().set(id)), 0, id);
                }
                return true;
            });
            Transaction tx = session.begin();
            int savepoint = tx.savepoint();
            tx.delete(requireNonNull(tx.read(model.table, model.table.newKey().set(1))));
            RowCursor cursor = isPosted ? post(model, tx, 0) : ascending(model, tx, 0);
            tx.await();
            tx.rollbackTo(savepoint);
            List<Long> found = new ArrayList<>();
            while (add(found, model, cursor)) {
                // One after the other.
            }
            assertThat(found).containsExactly(1L, 2L, 3L, 4L, 5L);
            session.rollback();
        }
    }

    /// A cursor that is closed before the await, and opened for another range by the next post:
    /// leaves land with the await only, and what was landed before is zeros.
    @Test
    void oneThatWasClosedIsPostedOnce() {
        long seed = Seeds.next();
        try (NamDb db =
                        NamDb.embedded(
                                EmbeddedOptions.DEFAULT
                                        .withMemoryBytes(256L << 20)
                                        .withFabric(() ->
                                                new TearingFabric(
                                                        TearingFabric.Options.words(seed))));
                Session writer = db.session()) {
            Model model = new Model(db);
            writer.transact(tx -> {
                for (int id = 0; id < IDS; id++) {
                    model.write(tx.insert(model.table, model.table.newKey().set(id)), 0, 2L * id);
                }
                return true;
            });
            writer.transact(tx -> { // comes through the tree's inner nodes
                RowCursor all = ascending(model, tx, 0);
                while (all.next() != null) {
                    // One after the other.
                }
                return true;
            });
            for (int id = 10; id < IDS; id += 10) {
                int from = id;
                try (Session session = db.session()) {
                    session.transact(tx -> {
                        for (int other = 0; other < 100; other++) { // to where nothing has landed
                            Key key = model.table.newKey().set(other);
                            tx.post(model.table, key, model.table.schema().all());
                        }
                        tx.await();
                        postFrom(model, tx, 2L * from - 1).close();
                        RowCursor cursor = postFrom(model, tx, 2L * from - 1);
                        tx.await();
                        assertThat(first(model, cursor)).isEqualTo(from);
                        return true;
                    });
                }
            }
        }
    }

    private static RowCursor postFrom(Model model, Transaction tx, long value) {
        return tx.postAscending(
                model.byValue,
                model.table,
                model.byValue.newKey().clear().add(0).add(value),
                model.group(0),
                model.table.schema().all());
    }

    /// Neighbours that are posted with a cursor whose await is cancelled are dropped with it.
    @Test
    void aCancelledAwaitLeavesNothingToTheNext() {
        try (NamDb db = open(false, 1 << 20);
                Session session = db.session();
                Session reader = db.session()) {
            Table table =
                    db.createTable(
                            TableDefinition.named("n")
                                    .column("g", ColumnType.INT32)
                                    .column("i", ColumnType.INT32)
                                    .primaryKey("g", "i")
                                    .neighbours(1)
                                    .expectedRows(IDS)
                                    .build());
            Model model = new Model(db);
            session.transact(tx -> {
                for (int id = 0; id < 20; id++) {
                    tx.insert(table, table.newKey().set(id % 4, id));
                    model.write(tx.insert(model.table, model.table.newKey().set(id)), 0, id);
                }
                return true;
            });
            Transaction _ = reader.begin(); // so that the first entry stays
            session.transact(tx -> {
                tx.delete(requireNonNull(tx.read(model.table, model.table.newKey().set(0))));
                return true;
            });
            Transaction tx = session.begin();
            tx.insert(table, table.newKey().set(1, 99));
            Rows found = new Rows();
            tx.postNeighbours(table, table.newKey().clear().add(1), table.schema().all(), found);
            RowCursor _ = post(model, tx, 0);
            session.cancel();
            assertThatThrownBy(tx::await).isInstanceOf(StatementCancelledException.class);
            session.clearCancel();
            tx.postNeighbours(table, table.newKey().clear().add(2), table.schema().all(), found);
            tx.await();
            List<Long> groups = new ArrayList<>();
            for (int i = 0; i < found.size(); i++) {
                groups.add(found.row(i).int64(table.column("g")));
            }
            assertThat(groups).containsExactly(2L, 2L, 2L, 2L, 2L);
            session.rollback();
            reader.rollback();
        }
    }

    private static boolean add(List<Long> found, Model model, RowCursor cursor) {
        Row row = cursor.next();
        if (row != null) {
            found.add(row.int64(model.table.column("id")));
        }
        return row != null;
    }

    /// The read of a posted cursor's row finds that what the transaction has changed was changed by
    /// others, and the transaction goes on from a savepoint.
    @Test
    void aCursorGoesOnAfterAnAbortThatIsForgiven() {
        try (NamDb db = open(false, 1 << 16);
                Session session = db.session();
                Session other = db.session()) {
            Model model = new Model(db);
            Index byGroup = db.createIndex(IndexDefinition.ordered("by_group", "t", "g"));
            session.transact(tx -> {
                for (int id = 5; id <= 6; id++) {
                    model.write(tx.insert(model.table, model.table.newKey().set(id)), id, id);
                }
                return true;
            });
            Transaction tx = session.begin();
            Key five = model.table.newKey().set(5);
            requireNonNull(tx.read(model.table, five, model.table.schema().project("value")))
                    .setInt64(model.table.column("value"), 5);
            other.transact(each -> {
                requireNonNull(each.read(model.table, five))
                        .setInt64(model.table.column("value"), 4);
                return true;
            });
            int savepoint = tx.savepoint();
            RowCursor changed = post(model, tx, byGroup, 5);
            RowCursor untouched = post(model, tx, byGroup, 6);
            assertThatThrownBy(tx::await).isInstanceOf(TransactionAborted.class);
            tx.rollbackTo(savepoint);
            assertThat(first(model, untouched)).isEqualTo(6);
            assertThat(first(model, changed)).isEqualTo(5);
            assertThat(session.commit()).isNotInstanceOf(CommitOutcome.Committed.class);
        }
    }

    /// Ranges of old snapshots, with entries of former values, dead records and own changes, and
    /// with leaves that others split and merge; with single reads; some closed or read to the end
    /// before the await, and some posted twice.
    @ParameterizedTest
    @CsvSource({"true, 1048576", "false, 1048576", "false, 65536"})
    void whatIsPostedIsWhatIsThere(boolean inPlace, int landingBytes) {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (NamDb db = open(inPlace, landingBytes);
                Session writer = db.session();
                Session reader = db.session()) {
            Model model = new Model(db);
            for (int round = 0; round < 30; round++) {
                change(writer, model, random, random.nextInt(400));
                Transaction tx = reader.begin();
                Map<Integer, long[]> seen = new HashMap<>(model.rows);
                for (int more = random.nextInt(4); more > 0; more--) {
                    change(writer, model, random, 100);
                }
                if (random.nextBoolean()) {
                    change(tx, model, seen, random);
                }
                for (int batch = 0; batch < 4; batch++) {
                    readTogether(tx, model, seen, random);
                }
                reader.rollback();
            }
        }
    }

    private static void change(Session writer, Model model, SplittableRandom random, int count) {
        long seed = random.nextLong();
        model.rows =
                writer.transact(tx -> {
                    Map<Integer, long[]> to = new HashMap<>(model.rows);
                    model.change(tx, to, new SplittableRandom(seed), count);
                    return to;
                });
    }

    /// Rows that no other session has.
    private static void change(
            Transaction tx, Model model, Map<Integer, long[]> seen, SplittableRandom random) {
        for (int id = IDS + random.nextInt(20); id >= IDS; id--) {
            int g = random.nextInt(GROUPS);
            model.write(tx.insert(model.table, model.table.newKey().set(id)), g, id - IDS);
            seen.put(id, new long[] {g, id - IDS});
        }
    }

    private static void readTogether(
            Transaction tx, Model model, Map<Integer, long[]> seen, SplittableRandom random) {
        List<Integer> groups = new ArrayList<>();
        List<RowCursor> cursors = new ArrayList<>();
        Map<Integer, Row> alone = new HashMap<>();
        for (int i = random.nextInt(1, 30); i > 0; i--) {
            int g = random.nextInt(GROUPS);
            switch (random.nextInt(9)) {
                case 0 -> post(model, tx, g).close();
                case 8 -> assertRange(model, seen, g, ascending(model, tx, g), 1);
                case 1 -> assertRange(model, seen, g, post(model, tx, g), Integer.MAX_VALUE);
                case 2 -> {
                    int id = random.nextInt(IDS);
                    Key key = model.table.newKey().set(id);
                    alone.put(id, tx.post(model.table, key, model.table.schema().all()));
                }
                case 3, 4 -> {
                    groups.add(~g); // a negative one: descending
                    Key group = model.group(g);
                    cursors.add(
                            tx.postDescending(
                                    model.byValue,
                                    model.table,
                                    group,
                                    group,
                                    model.table.schema().all()));
                }
                default -> {
                    groups.add(g);
                    cursors.add(post(model, tx, g));
                }
            }
        }
        tx.await();
        for (int i = 0; i < groups.size(); i++) {
            int most = random.nextBoolean() ? 1 : Integer.MAX_VALUE;
            assertRange(model, seen, groups.get(i), cursors.get(i), most);
        }
        alone.forEach((id, row) -> assertThat(row.exists()).isEqualTo(seen.containsKey(id)));
    }

    /// @param g the group, or the complement of one in descending order
    private static void assertRange(
            Model model, Map<Integer, long[]> seen, int g, RowCursor cursor, int most) {
        List<Integer> found = new ArrayList<>();
        Row row = null;
        while (found.size() < most && (row = cursor.next()) != null) {
            found.add((int) row.int64(model.table.column("id")));
        }
        cursor.close();
        List<Integer> all = model.inOrder(seen, g < 0 ? ~g : g);
        all = g < 0 ? all.reversed() : all;
        assertThat(found).isEqualTo(most < all.size() ? all.subList(0, most) : all);
    }
}
