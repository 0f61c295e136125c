package org.namdb.compute;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.OperationVisitor;
import org.namdb.compute.read.ReadSet;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Key;
import org.namdb.timestamp.snapshot.Snapshot;

/// An attempt to run a transaction that has ended: what it read and wrote, and its outcome. The
/// same object for every attempt of a session, filled for [TransactionObserver#ended] and valid
/// during that call.
public final class TransactionAttempt {
    private static final long GOLDEN_RATIO = 0x9e3779b97f4a7c15L;

    /// The outcome.
    public enum End {
        /// Its writes are visible.
        COMMITTED,
        /// It has changed nothing: a conflict, another failure, or its own wish.
        FAILED,
        /// The connection to a memory server was lost after it took a commit timestamp: what is
        /// installed is unknown.
        UNKNOWN
    }

    private final Snapshot snapshot;
    private final ReadSet readSet;
    private End end = End.FAILED;
    private boolean readsHold;
    private long commitTimestamp;
    private long beginNanos;
    private long endNanos;

    /// @param snapshot what the read set reads by
    TransactionAttempt(Snapshot snapshot, ReadSet readSet) {
        this.snapshot = snapshot;
        this.readSet = readSet;
    }

    /// An attempt has ended.
    ///
    /// @param outcome null if an exception ended it
    /// @param isFailed whether that was the loss of a connection
    void ended(
            @Nullable CommitOutcome outcome,
            boolean isFailed,
            long newCommitTimestamp,
            long newBeginNanos,
            long newEndNanos) {
        boolean isUnknown = outcome == null && newCommitTimestamp != 0;
        end =
                outcome instanceof CommitOutcome.Committed
                        ? End.COMMITTED
                        : isUnknown ? End.UNKNOWN : End.FAILED;
        // A version that was collected was certainly there only if the check of the snapshot's age,
        // which follows the read, has passed.
        readsHold = isUnknown || !isFailed && !(outcome instanceof CommitOutcome.SnapshotTooOld);
        commitTimestamp = newCommitTimestamp;
        beginNanos = newBeginNanos;
        endNanos = newEndNanos;
    }

    /// The outcome.
    public End end() {
        return end;
    }

    /// Its commit timestamp, as a word of [org.namdb.timestamp.CommitTimestamp]; 0 if it took none,
    /// as it changed nothing or failed before.
    public long commitTimestamp() {
        return commitTimestamp;
    }

    /// A time before it chose its snapshot, on the clock of the session's [org.namdb.fabric.Host].
    public long beginNanos() {
        return beginNanos;
    }

    /// A time after its result was certain, on the same clock, and before the session's next
    /// attempt.
    public long endNanos() {
        return endNanos;
    }

    /// The snapshot that it read. Without a read or a commit with a change, it may be another's.
    public Snapshot snapshot() {
        return snapshot;
    }

    /// Hands all operations to `visitor`: first the reads, in the order of the records' first
    /// reads, then the writes, in the order of the first change; since writes take effect with the
    /// commit, that is a program order. A record is read once at most and written once at most:
    /// what an attempt reads again, its own writes included, comes from its memory. A blind insert
    /// reads nothing.
    ///
    /// Left out are reads that were still in flight; rows that were not kept, of a scan, a batch or
    /// a cursor that streams; and all reads of an attempt whose snapshot was too old, or that lost
    /// the connection, since what it has not found may have been there.
    public void visit(OperationVisitor visitor) {
        readSet.visit(visitor, readsHold);
    }

    /// A 64-bit hash of a table's number and the words of a primary key: the same for one record
    /// always, and for two records almost never: among a million records, two have the same with a
    /// probability of 3 in 10^8.
    ///
    /// @param key a whole one
    public static long keyHash(Table table, Key key) {
        return keyHash(table, key.words());
    }

    /// The same of a key's words.
    public static long keyHash(Table table, long[] key) {
        int words = table.records().layout().keyWords();
        long hash = mix(table.records().id() + GOLDEN_RATIO);
        for (int word = 0; word < words; word++) {
            hash = mix(hash * GOLDEN_RATIO + key[word]);
        }
        return hash;
    }

    /// The finalizer of SplitMix64: every bit of the result depends on every bit of `value`.
    private static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }
}
