package org.namdb.checker.history;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// One object for each different snapshot.
final class SnapshotTable {
    private final Map<Snapshot, Snapshot> table = new HashMap<>();
    private final List<Snapshot> inOrder = new ArrayList<>();

    /// The snapshot with these elements.
    Snapshot intern(long[] elements) {
        int length = elements.length;
        while (length > 0 && elements[length - 1] == 0) {
            length--;
        }
        Snapshot fresh = new Snapshot(Arrays.copyOf(elements, length), inOrder.size());
        Snapshot known = table.putIfAbsent(fresh, fresh);
        if (known != null) {
            return known;
        }
        inOrder.add(fresh);
        return fresh;
    }

    /// All of them, by number.
    List<Snapshot> snapshots() {
        return List.copyOf(inOrder);
    }
}
