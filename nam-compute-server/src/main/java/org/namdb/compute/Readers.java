package org.namdb.compute;

import java.util.ArrayList;
import java.util.List;
import org.namdb.mvcc.schema.Projection;

/// A session's scans and batches, each used again and again.
final class Readers {
    private final Transaction transaction;
    private final Session session;
    private final List<TableScan> scans = new ArrayList<>();
    private final List<RowBatch> batches = new ArrayList<>();

    Readers(Transaction transaction, Session session) {
        this.transaction = transaction;
        this.session = session;
    }

    TableScan scan(Table table, Projection projection) {
        for (int i = 0; i < scans.size(); i++) {
            TableScan scan = scans.get(i);
            if (scan.table() == table && !scan.isOpen()) {
                return scan.open(projection);
            }
        }
        TableScan scan = new TableScan(transaction, session, table);
        scans.add(scan);
        return scan.open(projection);
    }

    RowBatch batch(Table table, Projection projection) {
        for (int i = 0; i < batches.size(); i++) {
            RowBatch batch = batches.get(i);
            if (batch.table() == table && !batch.isOpen()) {
                return batch.open(projection);
            }
        }
        RowBatch batch = new RowBatch(transaction, session, table);
        batches.add(batch);
        return batch.open(projection);
    }
}
