package org.namdb.ycsb;

import java.util.Objects;
import java.util.Set;
import org.namdb.cache.selcc.LineSession;
import org.namdb.cache.tree.LineTree;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.workload.driver.Pacing;
import org.namdb.workload.driver.Work;
import org.namdb.workload.load.UnusableDatabaseException;

/// The records in cached lines, found by a tree of lines. A table of one row has the tree's root.
final class YcsbLines implements YcsbStore {
    private static final String TABLE = "ycsb_lines";
    private static final int ONLY_KEY = 1;

    /// The names of the tables.
    static final Set<String> NAMES = Set.of(TABLE);

    private final NamDb db;
    private final Table table;
    private final Column runs;
    private final long root;
    private final int fields;
    private final int fieldBytes;

    private YcsbLines(NamDb db, long root, YcsbOptions options) {
        this.db = db;
        this.table = db.table(TABLE);
        this.runs = table.column("runs");
        this.root = root;
        this.fields = options.fields();
        this.fieldBytes = options.fieldBytes();
    }

    /// Makes an empty tree.
    ///
    /// @throws IllegalStateException if this compute server has no lines
    /// @throws UnusableDatabaseException if its lines are too short
    static YcsbLines create(NamDb db, YcsbOptions options) {
        try (LineSession lines = db.lines();
                Session session = db.session()) {
            long root = LineTree.create(lines);
            new LineRecords(db.lines(), root, options.fields(), options.fieldBytes()).close();
            Table table =
                    db.createTable(
                            TableDefinition.named(TABLE)
                                    .column("id", ColumnType.INT32)
                                    .column("root", ColumnType.INT64)
                                    .column("runs", ColumnType.INT64)
                                    .primaryKey("id")
                                    .bucketRecords(1)
                                    .expectedRows(1)
                                    .build());
            session.transact(tx ->
                    tx.insert(table, table.newKey().set(ONLY_KEY))
                            .setInt64(table.column("root"), root)
                            .setInt64(table.column("runs"), 0));
            return new YcsbLines(db, root, options);
        } catch (IllegalArgumentException e) {
            throw new UnusableDatabaseException(String.valueOf(e.getMessage()));
        }
    }

    /// Opens what was loaded.
    static YcsbLines open(NamDb db, YcsbOptions options) {
        Table table = db.table(TABLE);
        try (Session session = db.session()) {
            long root = session.<Long>transact(tx -> only(tx, table).int64(table.column("root")));
            return new YcsbLines(db, root, options);
        }
    }

    private static Row only(Transaction tx, Table table) {
        return Objects.requireNonNull(tx.read(table, table.newKey().set(ONLY_KEY)), TABLE);
    }

    /// A thread's access to them, which it closes.
    LineRecords records() {
        return new LineRecords(db.lines(), root, fields, fieldBytes);
    }

    @Override
    public long nextRun(Session session) {
        return session.<Long>transact(tx -> {
            Row row = only(tx, table);
            long run = row.int64(runs) + 1;
            row.setInt64(runs, run);
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
        return new LineWork(records(), options, draw, pacing, checks);
    }
}
