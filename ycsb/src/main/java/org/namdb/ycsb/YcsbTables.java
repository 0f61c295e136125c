package org.namdb.ycsb;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Projection;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.workload.driver.Pacing;
import org.namdb.workload.driver.Work;

/// The table of YCSB, with an ordered index on its key; shared by all threads.
final class YcsbTables implements YcsbStore {
    private static final String TABLE = "usertable";
    private static final String INDEX = "usertable_by_key";
    private static final String RUNS = "ycsb_runs";

    /// The names of the tables.
    static final Set<String> NAMES = Set.of(TABLE, RUNS);

    private static final int BUCKET_RECORDS = 2;
    private static final int LOAD_PERCENT = 50;
    private static final int ONLY_RUNS_KEY = 1;

    final Table table;
    final Index byKey;
    final Column key;
    final List<Column> fields;

    /// The key and all fields.
    final Projection all;

    /// Each field alone.
    final List<Projection> each;

    private final Table runs;

    private YcsbTables(Table table, Index byKey, Table runs, int fieldCount) {
        this.table = table;
        this.byKey = byKey;
        this.runs = runs;
        this.key = table.column("ycsb_key");
        List<Column> columns = new ArrayList<>();
        for (int field = 0; field < fieldCount; field++) {
            columns.add(table.column("field" + field));
        }
        this.fields = List.copyOf(columns);
        this.all = table.schema().all();
        this.each = columns.stream().map(column -> table.project(column.name())).toList();
    }

    /// Makes them, empty.
    static YcsbTables create(NamDb db, YcsbOptions options) {
        TableDefinition.Builder definition =
                TableDefinition.named(TABLE).column("ycsb_key", ColumnType.INT64);
        for (int field = 0; field < options.fields(); field++) {
            definition.column("field" + field, ColumnType.varchar(options.fieldBytes()));
        }
        Table table =
                db.createTable(
                        definition
                                .primaryKey("ycsb_key")
                                .bucketRecords(BUCKET_RECORDS)
                                .load(LOAD_PERCENT)
                                .versions(options.versions())
                                .expectedRows(options.records())
                                .build());
        Index byKey = db.createIndex(IndexDefinition.ordered(INDEX, TABLE, "ycsb_key"));
        Table runs =
                db.createTable(
                        TableDefinition.named(RUNS)
                                .column("id", ColumnType.INT32)
                                .column("runs", ColumnType.INT64)
                                .primaryKey("id")
                                .bucketRecords(1)
                                .expectedRows(1)
                                .build());
        return new YcsbTables(db.table(table.name()), byKey, runs, options.fields());
    }

    /// Opens those that were loaded.
    static YcsbTables open(NamDb db, int fieldCount) {
        Index byKey = Objects.requireNonNull(db.findIndex(INDEX), INDEX);
        return new YcsbTables(db.table(TABLE), byKey, db.table(RUNS), fieldCount);
    }

    /// Makes the index again, with some properties; no session uses it.
    static void remakeIndex(NamDb db, Map<String, String> properties) {
        db.dropIndex(INDEX);
        Index _ =
                db.createIndex(
                        new IndexDefinition(
                                INDEX,
                                TABLE,
                                List.of("ycsb_key"),
                                IndexDefinition.Kind.ORDERED,
                                properties));
    }

    @Override
    public long nextRun(Session session) {
        Column count = runs.column("runs");
        return session.transact(tx -> {
            Row row = tx.read(runs, runs.newKey().set(ONLY_RUNS_KEY));
            long run = row == null ? 1 : row.int64(count) + 1;
            (row == null ? tx.insert(runs, runs.newKey().set(ONLY_RUNS_KEY)) : row)
                    .setInt64(count, run);
            return run;
        });
    }

    @Override
    public Work work(
            Session session,
            YcsbOptions options,
            OperationDraw draw,
            Pacing pacing,
            ReadChecks checks) {
        return new YcsbWork(session, this, options, draw, pacing, checks);
    }
}
