package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.HashCursor;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowBatch;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;
import org.namdb.mvcc.schema.TableDefinition;

/// Random statements, savepoints and rollbacks in open transactions, next to a map that does the
/// same. Every way to read must show what the map holds.
class SavepointModelTest {
    private static final int KEYS = 24;
    private static final int VALUES = 6;
    private static final int ROUNDS = 2_000;

    private record Values(long v, @Nullable Long w) {}

    private NamDb db;
    private Session session;
    private Table table;
    private Column id;
    private Column v;
    private Column w;
    private Index byV;
    private Index hashOfV;
    private SplittableRandom random;
    private int conflicts;

    /// Whether the changes of a transaction are packed between two of its steps.
    private boolean packs;

    private final List<Projection> projections = new ArrayList<>();

    @Test
    void everyReadShowsWhatTheModelHolds() {
        compareWithModel(Duration.ofMillis(1));
        assertThat(conflicts).isLessThan(ROUNDS / 100);
    }

    /// Without background maintenance, nothing is in the session's way.
    @Test
    void aSessionAloneHasNoConflicts() {
        compareWithModel(Duration.ofHours(1));
        assertThat(conflicts).isZero();
    }

    @Test
    void soItDoesWhenRowsArePackedNowAndThen() {
        packs = true;
        compareWithModel(Duration.ofMillis(1));
        assertThat(conflicts).isLessThan(ROUNDS / 100);
    }

    private void compareWithModel(Duration maintenanceInterval) {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("seed " + seed);
        random = new SplittableRandom(seed);
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT.withMaintenanceInterval(maintenanceInterval);
        try (NamDb opened = NamDb.embedded(options);
                Session used = opened.session()) {
            db = opened;
            session = used;
            create();
            Map<Long, Values> committed = new TreeMap<>();
            for (int round = 0; round < ROUNDS; round++) {
                committed = run(committed);
                Transaction tx = session.begin();
                compare(tx, committed);
                session.rollback();
            }
        }
    }

    private void create() {
        table =
                db.createTable(
                        TableDefinition.named("t")
                                .column("id", ColumnType.INT64)
                                .column("v", ColumnType.INT64)
                                .nullable("w", ColumnType.INT64)
                                .primaryKey("id")
                                .expectedRows(KEYS)
                                .build());
        id = table.column("id");
        v = table.column("v");
        w = table.column("w");
        byV = db.createIndex(IndexDefinition.ordered("by_v", "t", "v"));
        hashOfV = db.createIndex(IndexDefinition.hash("hash_of_v", "t", "v"));
        projections.add(table.schema().all());
        projections.add(table.project("v"));
        projections.add(table.project("w"));
        projections.add(table.schema().nothing());
    }

    /// One transaction; what is committed after it.
    private Map<Long, Values> run(Map<Long, Values> before) {
        Map<Long, Values> model = new TreeMap<>(before);
        List<Map<Long, Values>> savepoints = new ArrayList<>();
        Transaction tx = session.begin();
        for (int step = random.nextInt(40); step > 0; step--) {
            if (packs && random.nextInt(3) == 0) {
                tx.readSet().pack();
            }
            switch (random.nextInt(10)) {
                case 0, 1 -> insert(tx, model);
                case 2, 3 -> update(tx, model);
                case 4 -> delete(tx, model);
                case 5 -> {
                    assertThat(tx.savepoint()).isEqualTo(savepoints.size());
                    savepoints.add(new TreeMap<>(model));
                }
                case 6 -> {
                    if (!savepoints.isEmpty()) {
                        int to = random.nextInt(savepoints.size());
                        tx.rollbackTo(to);
                        model = new TreeMap<>(savepoints.get(to));
                        savepoints.subList(to + 1, savepoints.size()).clear();
                    }
                }
                case 7 -> {
                    if (!savepoints.isEmpty()) {
                        int to = random.nextInt(savepoints.size());
                        tx.release(to);
                        savepoints.subList(to, savepoints.size()).clear();
                    }
                }
                case 8 -> read(tx, model);
                default -> compare(tx, model);
            }
        }
        compare(tx, model);
        if (random.nextInt(4) == 0) {
            session.rollback();
            return before;
        }
        CommitOutcome outcome = session.commit();
        if (outcome instanceof CommitOutcome.WriteConflict) {
            conflicts++; // with background maintenance, which has lost its processor: it gets it
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            return before;
        }
        assertThat(outcome).isInstanceOf(CommitOutcome.Committed.class);
        return model;
    }

    private void insert(Transaction tx, Map<Long, Values> model) {
        long number = random.nextInt(KEYS);
        if (!model.containsKey(number)) {
            long value = random.nextInt(VALUES);
            Row row = tx.insert(table, key(number)).setInt64(v, value);
            boolean isNull = random.nextBoolean();
            if (!isNull) {
                row.setInt64(w, value);
            }
            model.put(number, new Values(value, isNull ? null : value));
        }
    }

    private void update(Transaction tx, Map<Long, Values> model) {
        long number = random.nextInt(KEYS);
        Values old = model.get(number);
        long value = random.nextInt(VALUES);
        int what = random.nextInt(3);
        Row row = tx.read(table, key(number), projections.get(what == 0 ? 1 : 2));
        assertThat(row == null).isEqualTo(old == null);
        if (row == null || old == null) {
            return;
        }
        switch (what) {
            case 0 -> {
                row.setInt64(v, value);
                model.put(number, new Values(value, old.w));
            }
            case 1 -> {
                row.setInt64(w, value);
                model.put(number, new Values(old.v, value));
            }
            default -> {
                row.setNull(w);
                model.put(number, new Values(old.v, null));
            }
        }
    }

    private void delete(Transaction tx, Map<Long, Values> model) {
        long number = random.nextInt(KEYS);
        Row row = tx.read(table, key(number), projections.get(random.nextInt(4)));
        assertThat(row == null).isEqualTo(model.get(number) == null);
        if (row != null) {
            tx.delete(row);
            model.remove(number);
        }
    }

    private void read(Transaction tx, Map<Long, Values> model) {
        long number = random.nextInt(KEYS);
        Row row = tx.read(table, key(number));
        assertThat(row == null ? null : values(row)).isEqualTo(model.get(number));
    }

    private void compare(Transaction tx, Map<Long, Values> model) {
        Map<Long, Values> seen = new HashMap<>();
        switch (random.nextInt(5)) {
            case 0 -> {
                TableScan scan = tx.scan(table, table.schema().all());
                for (Row row = scan.next(); row != null; row = scan.next()) {
                    assertThat(seen.put(row.int64(id), values(row))).isNull();
                }
                scan.close();
            }
            case 1 -> {
                RowBatch batch = tx.batch(table, table.schema().all());
                for (long number = 0; number < KEYS; number++) {
                    int _ = batch.add(key(number));
                }
                batch.read();
                for (int i = 0; i < batch.size(); i++) {
                    if (batch.row(i).exists()) {
                        seen.put((long) i, values(batch.row(i)));
                    }
                }
                batch.close();
            }
            case 2 -> range(tx, seen, true);
            case 3 -> range(tx, seen, false);
            default -> {
                for (long value = 0; value < VALUES; value++) {
                    HashCursor cursor =
                            tx.matching(
                                    hashOfV,
                                    table,
                                    hashOfV.newKey().set(value),
                                    table.schema().all());
                    for (Row row = cursor.next(); row != null; row = cursor.next()) {
                        assertThat(row.int64(v)).isEqualTo(value);
                        assertThat(seen.put(row.int64(id), values(row))).isNull();
                    }
                    cursor.close();
                }
            }
        }
        assertThat(seen).isEqualTo(model);
    }

    private void range(Transaction tx, Map<Long, Values> seen, boolean streams) {
        Key from = byV.newKey().set(0);
        Key to = byV.newKey().set(VALUES);
        Projection all = table.schema().all();
        RowCursor cursor =
                streams
                        ? tx.streamDescending(byV, table, from, to, all)
                        : tx.descending(byV, table, from, to, all);
        long last = Long.MAX_VALUE;
        for (Row row = cursor.next(); row != null; row = cursor.next()) {
            assertThat(seen.put(row.int64(id), values(row))).isNull();
            assertThat(row.int64(v)).isLessThanOrEqualTo(last);
            last = row.int64(v);
        }
        cursor.close();
    }

    private Values values(Row row) {
        return new Values(row.int64(v), row.isNull(w) ? null : row.int64(w));
    }

    private Key key(long number) {
        return table.newKey().set(number);
    }
}
