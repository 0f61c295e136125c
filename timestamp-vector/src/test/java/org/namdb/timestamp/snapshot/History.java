package org.namdb.timestamp.snapshot;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What transactions have seen, and what was wrong with it: the four properties of
/// `SnapshotChain.tla`, and the low watermark's.
final class History {
    /// A transaction.
    ///
    /// @param slot of its commit
    /// @param timestamp of its commit; 0 if it has not committed
    /// @param needed what was published before it began
    /// @param snapshot its own
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Transaction(int slot, long timestamp, long[] needed, long[] snapshot) {}

    private final List<Transaction> transactions = new ArrayList<>();
    private final int slots;
    private @Nullable String passed;
    private @Nullable String missed;

    History(int slots) {
        this.slots = slots;
    }

    synchronized void add(int slot, long timestamp, long[] needed, Snapshot snapshot) {
        long[] vector = Arrays.copyOf(snapshot.toArray(), slots);
        transactions.add(new Transaction(slot, timestamp, needed, vector));
    }

    /// The low watermark has passed a snapshot in use.
    synchronized void passed(Snapshot snapshot, long watermark) {
        passed = "passed: " + snapshot + " by low watermark " + watermark;
    }

    /// A transaction has read by a snapshot what is older than that shows.
    ///
    /// @param read what was installed, by slot
    synchronized void missed(Snapshot snapshot, long[] read) {
        missed = "missed: " + snapshot + " has read " + Arrays.toString(read);
    }

    synchronized void addAll(List<Transaction> others) {
        transactions.addAll(others);
    }

    /// A violation, or null.
    @Nullable String violation() {
        return Stream.of(notFresh(), notCausal(), notComparable(), passed(), missed())
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    @Nullable String passed() {
        return passed;
    }

    @Nullable String missed() {
        return missed;
    }

    /// Fresh: a transaction sees every commit that was published before it began.
    @Nullable String notFresh() {
        for (Transaction transaction : transactions) {
            if (!leq(transaction.needed, transaction.snapshot)) {
                return "not fresh: "
                        + Arrays.toString(transaction.snapshot)
                        + " misses some of "
                        + Arrays.toString(transaction.needed);
            }
        }
        return null;
    }

    /// Causal: a snapshot that holds a transaction holds all that this transaction's own snapshot
    /// held.
    @Nullable String notCausal() {
        List<NavigableMap<Long, long[]>> seen = seenByCommits();
        for (Transaction transaction : transactions) {
            for (int slot = 0; slot < slots; slot++) {
                var commits = seen.get(slot).floorEntry(transaction.snapshot[slot]);
                if (commits != null && !leq(commits.getValue(), transaction.snapshot)) {
                    return "not causal: %s holds %d@%d, by which %s had been seen"
                            .formatted(
                                    Arrays.toString(transaction.snapshot),
                                    slot,
                                    commits.getKey(),
                                    Arrays.toString(commits.getValue()));
                }
            }
        }
        return null;
    }

    /// By slot and timestamp: the maximum of the snapshots of the slot's commits up to that.
    private List<NavigableMap<Long, long[]>> seenByCommits() {
        List<NavigableMap<Long, long[]>> seen = new ArrayList<>();
        for (int slot = 0; slot < slots; slot++) {
            seen.add(new TreeMap<>());
        }
        for (Transaction transaction : transactions) {
            if (transaction.timestamp > 0) {
                seen.get(transaction.slot).put(transaction.timestamp, transaction.snapshot);
            }
        }
        for (NavigableMap<Long, long[]> commits : seen) {
            long[] maximum = new long[slots];
            for (var commit : commits.entrySet()) {
                maximum = max(maximum, commit.getValue());
                commit.setValue(maximum);
            }
        }
        return seen;
    }

    private static long[] max(long[] one, long[] other) {
        long[] maximum = one.clone();
        for (int slot = 0; slot < one.length; slot++) {
            maximum[slot] = Math.max(one[slot], other[slot]);
        }
        return maximum;
    }

    /// Chain: any two snapshots can be compared. In the order of their sums, neighbours suffice.
    @Nullable String notComparable() {
        List<long[]> snapshots = new ArrayList<>();
        for (Transaction transaction : transactions) {
            snapshots.add(transaction.snapshot);
        }
        snapshots.sort(Comparator.comparingLong(vector -> Arrays.stream(vector).sum()));
        for (int index = 1; index < snapshots.size(); index++) {
            if (!leq(snapshots.get(index - 1), snapshots.get(index))) {
                return "a long fork: "
                        + Arrays.toString(snapshots.get(index - 1))
                        + " and "
                        + Arrays.toString(snapshots.get(index));
            }
        }
        return null;
    }

    private static boolean leq(long[] one, long[] other) {
        for (int slot = 0; slot < one.length; slot++) {
            if (one[slot] > other[slot]) {
                return false;
            }
        }
        return true;
    }
}
