package org.namdb.checker.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Makes a history, one transaction at a time, in any order:
/// ```
/// long[] empty = {0, 0};
/// long[] seen = {1, 0};
/// History history = History.builder()
///         .add(1, "a", Status.OK, 0, 1, 100, 200, empty, List.of(Operation.write(17, 5)))
///         .add(2, "b", Status.OK, -1, -1, 300, 400, seen, List.of(Operation.read(17, 5)))
///         .build();
/// ```
/// After an exception it can't be used any more.
public final class HistoryBuilder {
    /// How many slots a history may speak of: more than any timestamp vector has, so that a damaged
    /// number is found to be one.
    public static final int MAX_SLOTS = 1 << 16;

    private static final int MAX_KEPT = 100;

    private final List<Transaction> transactions = new ArrayList<>();
    private final SnapshotTable snapshots = new SnapshotTable();
    private final WriteTable writes = new WriteTable();
    private final Map<String, String> sessions = new HashMap<>();
    private final Set<Long> tids = new HashSet<>();
    private final Set<Long> keys = new HashSet<>();
    private int slots;

    /// The keys that a transaction has written; kept for the next one.
    private Set<Long> written = new HashSet<>();

    HistoryBuilder() {}

    /// Adds a transaction. The parameters are the fields of the file format, in its order.
    ///
    /// @param tid another one for each transaction
    /// @param sid the session
    /// @param status how it ended
    /// @param i slot of its commit timestamp, or -1
    /// @param t commit timestamp, or -1
    /// @param b when it began, in nanoseconds of any monotonic clock
    /// @param e when its client had the result
    /// @param snap the snapshot it used, by slot; it is copied
    /// @param ops its reads and writes, in program order
    /// @throws InvalidHistoryException if this can't be
    public HistoryBuilder add(
            long tid,
            String sid,
            Status status,
            long i,
            long t,
            long b,
            long e,
            long[] snap,
            List<Operation> ops) {
        checkTimestamp(i, t);
        checkSnapshot(snap);
        if (e < b) {
            throw new InvalidHistoryException("e is " + e + ", which is before b, " + b);
        }
        if (!tids.add(tid)) {
            throw new InvalidHistoryException("transaction " + tid + " is given a second time");
        }
        String session = sessions.computeIfAbsent(sid, name -> name);
        Snapshot snapshot = snapshots.intern(snap);
        boolean usedSnapshot =
                status == Status.OK
                        || snap.length > 0
                        || ops.stream().anyMatch(operation -> !operation.isWrite());
        Transaction transaction =
                new Transaction(
                        transactions.size(),
                        tid,
                        session,
                        status,
                        (int) i,
                        t,
                        b,
                        e,
                        snapshot,
                        usedSnapshot,
                        List.copyOf(ops));
        addOperations(transaction);
        slots = Math.max(slots, Math.max((int) i + 1, snap.length));
        transactions.add(transaction);
        return this;
    }

    /// The history of what was added.
    ///
    /// @throws InvalidHistoryException if nothing was
    public History build() {
        if (transactions.isEmpty()) {
            throw new InvalidHistoryException("there are no transactions");
        }
        return new History(
                List.copyOf(transactions), snapshots.snapshots(), writes, slots, keys.size());
    }

    private static void checkTimestamp(long i, long t) {
        if (i == Transaction.UNKNOWN && t == Transaction.UNKNOWN) {
            return;
        }
        if (i < 0 || i >= MAX_SLOTS) {
            throw new InvalidHistoryException(
                    i == Transaction.UNKNOWN
                            ? "i is -1, but t is " + t + ": both are -1, or neither"
                            : "i must be -1 or 0 to " + (MAX_SLOTS - 1) + ", not " + i);
        }
        if (t < 1) {
            throw new InvalidHistoryException(
                    t == Transaction.UNKNOWN
                            ? "t is -1, but i is " + i + ": both are -1, or neither"
                            : "t must be -1 or at least 1, not " + t);
        }
    }

    private static void checkSnapshot(long[] snap) {
        if (snap.length > MAX_SLOTS) {
            throw new InvalidHistoryException(
                    "snap has " + snap.length + " slots, more than " + MAX_SLOTS);
        }
        for (int slot = 0; slot < snap.length; slot++) {
            if (snap[slot] < 0) {
                throw new InvalidHistoryException(
                        "slot " + slot + " of snap must be at least 0, not " + snap[slot]);
            }
        }
    }

    /// From the last to the first, since the last write of a key is the one that counts.
    private void addOperations(Transaction transaction) {
        List<Operation> operations = transaction.operations();
        if (written.size() > MAX_KEPT) {
            written = new HashSet<>(); // clearing a large one for each small transaction takes long
        }
        written.clear();
        for (int position = operations.size() - 1; position >= 0; position--) {
            Operation operation = operations.get(position);
            keys.add(operation.key());
            if (operation.isWrite()) {
                addWrite(transaction, operation, written.add(operation.key()));
            }
        }
        if (!written.isEmpty()
                && transaction.status() == Status.OK
                && !transaction.hasTimestamp()) {
            throw new InvalidHistoryException(
                    "transaction "
                            + transaction.tid()
                            + " is ok and has written, but its commit timestamp is missing (i and t are -1)");
        }
    }

    private void addWrite(Transaction transaction, Operation operation, boolean isFinal) {
        if (operation.value() == 0) {
            throw new InvalidHistoryException(
                    "0 is written to key " + operation.key() + ", but 0 stands for absent");
        }
        @Nullable Write known = writes.add(transaction, operation, isFinal);
        if (known != null) {
            throw new InvalidHistoryException(
                    known.writer() == transaction
                            ? "value %d is written to key %d twice"
                                    .formatted(operation.value(), operation.key())
                            : "value %d was already written to key %d, by transaction %d"
                                    .formatted(
                                            operation.value(),
                                            operation.key(),
                                            known.writer().tid()));
        }
    }
}
