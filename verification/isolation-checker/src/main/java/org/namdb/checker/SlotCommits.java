package org.namdb.checker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.namdb.checker.history.History;
import org.namdb.checker.history.Snapshot;
import org.namdb.checker.history.Transaction;

/// The transactions with a commit timestamp, slot by slot, each slot in the order of its
/// timestamps.
final class SlotCommits {
    private final List<List<Transaction>> slots = new ArrayList<>();

    SlotCommits(History history) {
        for (int slot = 0; slot < history.slots(); slot++) {
            slots.add(new ArrayList<>());
        }
        for (Transaction transaction : history.transactions()) {
            if (transaction.hasTimestamp()) {
                slots.get(transaction.slot()).add(transaction);
            }
        }
        slots.forEach(slot -> slot.sort(Comparator.comparingLong(Transaction::timestamp)));
    }

    int slots() {
        return slots.size();
    }

    List<Transaction> inSlot(int slot) {
        return slots.get(slot);
    }

    /// Commits that one snapshot shows and another doesn't, at most so many.
    List<Transaction> between(Snapshot shows, Snapshot misses, int most) {
        List<Transaction> found = new ArrayList<>();
        for (int slot = 0; slot < shows.length(); slot++) {
            long last = shows.element(slot);
            List<Transaction> commits = slots.get(slot);
            for (int place = firstAfter(commits, misses.element(slot));
                    place < commits.size() && found.size() < most;
                    place++) {
                if (commits.get(place).timestamp() > last) {
                    break;
                }
                found.add(commits.get(place));
            }
        }
        return found;
    }

    private static int firstAfter(List<Transaction> commits, long timestamp) {
        int low = 0;
        int high = commits.size();
        while (low < high) {
            int middle = low + high >>> 1;
            if (commits.get(middle).timestamp() <= timestamp) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
