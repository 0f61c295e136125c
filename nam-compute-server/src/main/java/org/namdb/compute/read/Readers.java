package org.namdb.compute.read;

import java.util.ArrayList;
import java.util.List;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.hash.TablePart;
import org.namdb.mvcc.schema.Projection;

/// A session's scans and batches, all reused.
final class Readers {
    private final ReadSet readSet;
    private final QueuePair queuePair;
    private final List<TableScan> scans = new ArrayList<>();
    private final List<RowBatch> batches = new ArrayList<>();

    Readers(ReadSet readSet, QueuePair queuePair) {
        this.readSet = readSet;
        this.queuePair = queuePair;
    }

    TableScan scan(Table table, Projection projection, TablePart part) {
        for (int i = 0; i < scans.size(); i++) {
            TableScan scan = scans.get(i);
            if (scan.table() == table && !scan.isOpen()) {
                return scan.open(projection, part);
            }
        }
        TableScan scan = new TableScan(readSet, queuePair, table);
        scans.add(scan);
        return scan.open(projection, part);
    }

    RowBatch batch(Table table, Projection projection) {
        for (int i = 0; i < batches.size(); i++) {
            RowBatch batch = batches.get(i);
            if (batch.table() == table && !batch.isOpen()) {
                return batch.open(projection);
            }
        }
        RowBatch batch = new RowBatch(readSet, queuePair, table);
        batches.add(batch);
        return batch.open(projection);
    }

    /// Drops those of a table that is dropped.
    void forget(Table table) {
        scans.removeIf(scan -> scan.table() == table);
        batches.removeIf(batch -> batch.table() == table);
    }
}
