package org.namdb.sql.engine.execute;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.TableScan;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.plan.AccessPath;
import org.namdb.sql.engine.plan.TableShape;

/// Gives the rows that an access path finds, as the transaction sees them, its own changes
/// included.
interface RowSource {
    /// The next row, which is read-only, and valid until the next call; null if there is no more.
    @Nullable Row next();

    /// About so many rows are needed; before the first one is read.
    default void expect(int count) {}

    void close();

    /// Starts an access path.
    ///
    /// @param frame in which the keys are evaluated; may be used for other tuples afterwards
    static RowSource open(
            Transaction transaction, TableShape shape, AccessPath path, EvaluationFrame frame) {
        return switch (path) {
            case AccessPath.Scan _ -> scan(transaction, shape);
            case AccessPath.ByKey byKey ->
                    new KeySource(
                            transaction,
                            shape.table().stored(),
                            shape.projection(),
                            KeyList.of(shape.table().stored().newKey(), byKey.keys(), frame));
            case AccessPath.ByUnique byUnique ->
                    new UniqueSource(transaction, shape, byUnique, frame);
            case AccessPath.ByNeighbours neighbours ->
                    new NeighbourSource(transaction, shape, neighbours, frame);
            case AccessPath.ByHash byHash -> new HashSource(transaction, shape, byHash, frame);
            case AccessPath.ByRange range -> range(transaction, shape, range, frame);
        };
    }

    private static RowSource range(
            Transaction transaction,
            TableShape shape,
            AccessPath.ByRange range,
            EvaluationFrame frame) {
        if (range.isWhole(frame)) {
            return scan(transaction, shape);
        }
        RangeSource source = new RangeSource(transaction, shape, range, frame);
        return range.mayBeScanned() && source.isLarge() ? scan(transaction, shape) : source;
    }

    private static RowSource scan(Transaction transaction, TableShape shape) {
        return new Scan(transaction.scan(shape.table().stored(), shape.projection()));
    }

    /// All rows of a table.
    record Scan(TableScan scan) implements RowSource {
        @Override
        public @Nullable Row next() {
            return scan.next();
        }

        @Override
        public void close() {
            scan.close();
        }
    }
}
