package org.namdb.tpcc.check;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;

/// The rows that a transaction sees.
record TransactionRows(Transaction tx) implements RowSource {
    private static final int ROWS_PER_REPORT = 1 << 12;

    @Override
    public void scan(
            Table table, Consumer<RowValues> each, DoubleConsumer progress, Column... columns) {
        String[] names = Arrays.stream(columns).map(Column::name).toArray(String[]::new);
        TableScan scan = tx.scan(table, table.project(names));
        int untilReport = ROWS_PER_REPORT;
        for (Row row = scan.next(); row != null; row = scan.next()) {
            each.accept(new Values(row));
            if (--untilReport == 0) {
                untilReport = ROWS_PER_REPORT;
                progress.accept(scan.progress());
            }
        }
    }

    private record Values(Row row) implements RowValues {
        @Override
        public long int64(Column column) {
            return row.int64(column);
        }

        @Override
        public boolean isNull(Column column) {
            return row.isNull(column);
        }

        @Override
        public String toString() {
            return row.toString();
        }
    }
}
