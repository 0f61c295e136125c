package org.namdb.sql.engine.execute;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowBatch;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Key;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.plan.AccessPath;
import org.namdb.sql.engine.plan.PlanNode;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.record.RowReader;

/// Joins tuples with records by their primary or unique keys: as many tuples as a batch holds are
/// collected, and all of their records are read in one round trip, or two with a unique index. The
/// first batches are small, so that a LIMIT reads little too much.
final class KeyJoinCursor extends JoinCursor {
    private static final int GROWTH = 4;

    private final TupleCursor outer;
    private final List<Scalar> keys;
    private final RowBatch rows;
    private final Key key;
    private final @Nullable UniqueLookup unique;
    private final RowReader reader;
    private final @Nullable Table chunks;
    private final byte[] scratch;
    private final @Nullable Object[][] tuples = new @Nullable Object[RowBatch.CAPACITY][];
    private final @Nullable Object[] @Nullable [] partners =
            new @Nullable Object[RowBatch.CAPACITY] @Nullable [];
    private final int[] numbers = new int[RowBatch.CAPACITY];
    private int atATime = 1;
    private int count;
    private int at;
    private @Nullable Object @Nullable [] partner;

    KeyJoinCursor(
            Execution execution, PlanNode.IndexJoin node, @Nullable EvaluationFrame outerFrame) {
        super(
                execution,
                outerFrame,
                node.kind(),
                node.condition(),
                node.outer().fields().size(),
                node.shape().fields().size());
        Table table = node.shape().table().stored();
        rows = execution.transaction().batch(table, node.shape().projection());
        reader = node.shape().reader();
        chunks = node.shape().table().longValues();
        scratch = execution.scratch(reader.scratchBytes());
        if (node.path() instanceof AccessPath.ByUnique byUnique) {
            unique = new UniqueLookup(execution, byUnique.index(), table);
            keys = byUnique.keys().getFirst();
            key = unique.table.newKey();
        } else {
            unique = null;
            keys = ((AccessPath.ByKey) node.path()).keys().getFirst();
            key = table.newKey();
        }
        outer = execution.open(node.outer(), outerFrame);
    }

    @Override
    @Nullable Object @Nullable [] nextLeft() {
        if (at == count) {
            fill();
            if (count == 0) {
                return null;
            }
        }
        partner = partners[at];
        return tuples[at++];
    }

    @Override
    @Nullable Object @Nullable [] nextRight() {
        @Nullable Object[] only = partner;
        partner = null;
        return only;
    }

    private void fill() {
        count = 0;
        at = 0;
        RowBatch first = unique == null ? rows : unique.entries;
        while (count < atATime) {
            @Nullable Object[] tuple = outer.next();
            if (tuple == null) {
                break;
            }
            tuples[count] = tuple;
            partners[count] = null;
            boolean isPossible = KeyList.fill(key, keys, frame.on(tuple));
            numbers[count++] = isPossible ? first.add(key) : -1;
        }
        atATime = Math.min(RowBatch.CAPACITY, atATime * GROWTH);
        if (unique != null) {
            unique.resolve(numbers, count, rows);
        }
        readPartners();
    }

    private void readPartners() {
        boolean isRead = false;
        for (int i = 0; i < count; i++) {
            if (numbers[i] >= 0) {
                if (!isRead) {
                    rows.read();
                    isRead = true;
                }
                Row row = rows.row(numbers[i]);
                partners[i] = row.exists() ? reader.read(row, scratch) : null;
            }
        }
        for (int i = 0; i < count; i++) {
            @Nullable Object @Nullable [] tuple = partners[i];
            if (tuple != null) {
                partners[i] = reader.complete(execution.transaction(), chunks, tuple);
            }
        }
    }

    @Override
    public void close() {
        outer.close();
        rows.close();
        if (unique != null) {
            unique.entries.close();
        }
    }

    /// The first half of a lookup by a unique index.
    private static final class UniqueLookup {
        private final Table table;
        private final Table joined;
        private final RowBatch entries;
        private final UniqueSource.UniqueEntry entry;

        UniqueLookup(Execution execution, SqlIndex index, Table joined) {
            this.joined = joined;
            table = Objects.requireNonNull(index.uniqueTable());
            entries = execution.transaction().batch(table, table.schema().all());
            entry = new UniqueSource.UniqueEntry(table);
        }

        /// Puts the records of the entries in a batch, and their numbers there in place of the
        /// entries'.
        void resolve(int[] numbers, int count, RowBatch rows) {
            Key primaryKey = joined.newKey();
            boolean isRead = false;
            for (int i = 0; i < count; i++) {
                if (numbers[i] < 0) {
                    continue;
                }
                if (!isRead) {
                    entries.read();
                    isRead = true;
                }
                Row row = entries.row(numbers[i]);
                if (row.exists()) {
                    entry.primaryKey(row, primaryKey);
                    numbers[i] = rows.add(primaryKey);
                } else {
                    numbers[i] = -1;
                }
            }
        }
    }
}
