package org.namdb.simulation;

import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Status;
import org.namdb.compute.history.HistoryFile;
import org.namdb.compute.history.HistoryWriter;
import org.namdb.compute.history.Operations;

/// Writes every attempt to a file.
public final class HistoryFileLog implements AttemptLog {
    /// A process records fewer transactions than two to the power of this.
    private static final int PROCESS_SHIFT = 40;

    private final HistoryWriter writer;
    private final Operations operations = new Operations();
    private final ReentrantLock lock = new ReentrantLock();
    private long firstTid;
    private long transactions;

    public HistoryFileLog(HistoryFile file) {
        this.writer = file.writer();
    }

    /// Numbers the transactions as those of one of several processes; before the first one.
    public void ofProcess(int process) {
        firstTid = (long) process << PROCESS_SHIFT;
    }

    /// How many attempts were written.
    public long transactions() {
        return transactions;
    }

    @Override
    public void attempted(
            String session,
            Status status,
            int slot,
            long timestamp,
            long beginNanos,
            long endNanos,
            long[] snapshot,
            List<Operation> attempted) {
        lock.lock();
        try {
            operations.clear();
            for (Operation operation : attempted) {
                if (operation.isWrite()) {
                    operations.write(operation.key(), operation.value());
                } else {
                    operations.read(operation.key(), operation.value());
                }
            }
            writer.add(
                    firstTid + transactions++,
                    session,
                    HistoryWriter.Status.valueOf(status.name()),
                    slot,
                    timestamp,
                    beginNanos,
                    endNanos,
                    snapshot,
                    operations);
        } finally {
            lock.unlock();
        }
    }
}
