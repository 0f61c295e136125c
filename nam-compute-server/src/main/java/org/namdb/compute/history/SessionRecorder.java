package org.namdb.compute.history;

import org.namdb.compute.TransactionAttempt;
import org.namdb.compute.TransactionObserver;
import org.namdb.compute.read.OperationVisitor;
import org.namdb.compute.schema.Table;
import org.namdb.timestamp.CommitTimestamp;

/// Records what one session does.
final class SessionRecorder implements TransactionObserver, OperationVisitor {
    private final HistoryRecorder recorder;
    private final HistoryWriter writer;
    private final String sid;
    private final Operations operations = new Operations();
    private boolean writes;
    private long commitTimestamp;

    SessionRecorder(HistoryRecorder recorder, HistoryWriter writer, String sid) {
        this.recorder = recorder;
        this.writer = writer;
        this.sid = sid;
    }

    @Override
    public void ended(TransactionAttempt attempt) {
        operations.clear();
        commitTimestamp = attempt.commitTimestamp();
        writes = commitTimestamp != 0;
        attempt.visit(this);
        if (operations.size() > 0) {
            writer.add(
                    recorder.nextTid(),
                    sid,
                    status(attempt.end()),
                    writes ? CommitTimestamp.slot(commitTimestamp) : -1,
                    writes ? CommitTimestamp.timestamp(commitTimestamp) : -1,
                    attempt.beginNanos(),
                    attempt.endNanos(),
                    attempt.snapshot().toArray(),
                    operations);
        }
    }

    @Override
    public void read(Table table, long[] words, long version) {
        long key = TransactionAttempt.keyHash(table, words);
        if (recorder.holds(table, key)) {
            operations.read(key, version == 0 ? 0 : recorder.value(version));
        }
    }

    @Override
    public void write(Table table, long[] words) {
        long key = TransactionAttempt.keyHash(table, words);
        if (writes && recorder.holds(table, key)) {
            operations.write(key, commitTimestamp);
        }
    }

    @Override
    public void delete(Table table, long[] words) {
        if (writes && recorder.holds(table, TransactionAttempt.keyHash(table, words))) {
            throw new IllegalStateException(
                    "a record of " + table + " was deleted: the history must leave it out");
        }
    }

    private static HistoryWriter.Status status(TransactionAttempt.End end) {
        return switch (end) {
            case COMMITTED -> HistoryWriter.Status.OK;
            case FAILED -> HistoryWriter.Status.FAIL;
            case UNKNOWN -> HistoryWriter.Status.INFO;
        };
    }
}
