package org.namdb.tpcc.lines;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import org.namdb.cache.engine.Tuple;
import org.namdb.cache.engine.TupleSession;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.check.ConditionResult;
import org.namdb.tpcc.check.RowSource;
import org.namdb.tpcc.check.RowValues;
import org.namdb.tpcc.check.SnapshotCheck;

/// Checks the twelve conditions of clause 3.3.2 on the tuples in lines, while no transactions run:
/// it waits for those of all processes, and they for it.
public final class LineCheck implements RowSource {
    private static final int BATCH = 1_000;

    private final TpccLines lines;
    private final TupleSession engine;
    private final long[] keys = new long[BATCH];
    private final long[] places = new long[BATCH];

    private LineCheck(TpccLines lines, TupleSession engine) {
        this.lines = lines;
        this.engine = engine;
    }

    /// Checks all conditions.
    ///
    /// @param progress gets periodically how much is done, 0 to 1
    /// @throws org.namdb.workload.load.UnusableDatabaseException if others run transactions for
    ///     longer than a minute
    /// @return a result for each condition, in the order of the clauses
    public static List<ConditionResult> run(TpccLines lines, Scale scale, DoubleConsumer progress) {
        try (TupleSession engine = lines.openCheck()) {
            return new SnapshotCheck(lines.schema(), scale, new LineCheck(lines, engine), progress)
                    .run();
        }
    }

    @Override
    public void scan(
            Table table, Consumer<RowValues> each, DoubleConsumer progress, Column... columns) {
        LineTable of = LineTable.of(table.name());
        long from = 0;
        int count = BATCH;
        while (count == BATCH) {
            count = engine.range(lines.table(of), from, Long.MAX_VALUE, keys, places);
            engine.begin();
            for (int i = 0; i < count; i++) {
                Tuple tuple = engine.at(lines.table(of), keys[i], places[i], false);
                if (tuple != null) {
                    each.accept(new Values(of, tuple));
                }
            }
            engine.abort();
            from = count == 0 ? from : keys[count - 1] + 1;
        }
        progress.accept(1);
    }

    private record Values(LineTable table, Tuple tuple) implements RowValues {
        @Override
        public long int64(Column column) {
            return column.inKey()
                    ? table.column(tuple.key(), column.keyIndex())
                    : tuple.int64(column);
        }

        @Override
        public boolean isNull(Column column) {
            return !column.inKey() && tuple.isNull(column);
        }

        @Override
        public String toString() {
            return table.tableName() + " with the key " + Long.toHexString(tuple.key());
        }
    }
}
