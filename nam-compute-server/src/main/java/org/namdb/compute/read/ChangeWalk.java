package org.namdb.compute.read;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.PackedChanges;
import org.namdb.compute.schema.Table;

/// A walk through the rows that a transaction has changed, in the order of their first changes,
/// packed ones included. Others may be added, packed and unpacked meanwhile. Reused.
final class ChangeWalk {
    private final ChangedRows changes;
    private final PackedRows packed;
    private int next;

    /// The packed entry of row `entryNumber`, or where it will be.
    private int entry;

    private int entryNumber;
    private long truncations;

    ChangeWalk(ChangedRows changes) {
        this.changes = changes;
        this.packed = changes.packed;
    }

    /// Starts over at the first row.
    ChangeWalk start() {
        next = 0;
        startEntries();
        return this;
    }

    /// The same for the rows of one table: those of others may be left out.
    ChangeWalk start(Table table) {
        startEntries();
        next = packed.entries.has(table) ? 0 : packed.count();
        return this;
    }

    private void startEntries() {
        entry = 0;
        entryNumber = 0;
        truncations = packed.truncations();
    }

    /// How many rows it has passed.
    int passed() {
        return next;
    }

    /// The next row; a packed one is a view, valid until the next call.
    ///
    /// @return null if there is none
    @Nullable Row next() {
        if (next >= changes.count()) {
            return null;
        }
        int number = next++;
        if (number >= packed.count()) {
            return changes.row(number - packed.count());
        }
        PackedChanges entries = packed.entries;
        if (truncations != packed.truncations()) {
            startEntries();
        }
        entry = entries.from(entry);
        while (entryNumber < number) {
            entry = entries.next(entry);
            entryNumber++;
        }
        return changes.rowOf(entry);
    }
}
