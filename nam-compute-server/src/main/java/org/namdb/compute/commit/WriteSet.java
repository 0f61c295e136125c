package org.namdb.compute.commit;

import java.util.Arrays;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.hash.RecordRead;

/// What a transaction is going to change, as a value: one [RecordChange] for each record. Whoever
/// runs the transaction makes it when the transaction's body has ended; the commit and its journal
/// read it.
///
/// ```
/// overwrites   records that are there: locked by their headers, then updated or deleted
/// inserts      records that are not: entries are claimed, then filled
/// ```
/// Used again and again by one thread: nothing is allocated, unless a set is larger than any
/// before.
public final class WriteSet {
    private final Changes overwrites = new Changes();
    private final Changes inserts = new Changes();

    /// Makes it empty.
    public void clear() {
        overwrites.count = 0;
        inserts.count = 0;
    }

    /// Makes it empty, and forgets the room for many.
    public void shrink() {
        overwrites.shrink();
        inserts.shrink();
    }

    /// Adds a record that gets other values.
    ///
    /// @param found the look-up that has found its current version
    /// @param payload native address of the new values
    /// @param columns which of them are new; 0 to lock the record
    public RecordChange update(Table table, RecordRead found, long payload, long columns) {
        return overwrites.add(table, found, RecordChange.Kind.UPDATE, payload, columns);
    }

    /// Adds a record that goes.
    ///
    /// @param found the look-up that has found its current version
    public RecordChange delete(Table table, RecordRead found) {
        return overwrites.add(table, found, RecordChange.Kind.DELETE, 0, 0);
    }

    /// Adds a record that comes.
    ///
    /// @param key has its key
    /// @param payload native address of its values, behind a null versions word
    public RecordChange insert(Table table, RecordRead key, long payload) {
        return inserts.add(table, key, RecordChange.Kind.INSERT, payload, RecordChange.ALL);
    }

    public boolean isEmpty() {
        return overwrites.count + inserts.count == 0;
    }

    /// How many records there are.
    public int size() {
        return overwrites.count + inserts.count;
    }

    /// Record `index`, from 0; those that are written over come first.
    public RecordChange change(int index) {
        return index < overwrites.count
                ? overwrites.changes[index]
                : inserts.changes[index - overwrites.count];
    }

    int overwrites() {
        return overwrites.count;
    }

    RecordChange overwrite(int index) {
        return overwrites.changes[index];
    }

    int inserts() {
        return inserts.count;
    }

    RecordChange insert(int index) {
        return inserts.changes[index];
    }

    /// Changes, used again and again.
    private static final class Changes {
        private static final int USUAL = 32;

        private RecordChange[] changes = new RecordChange[USUAL];
        private int count;

        RecordChange add(
                Table table,
                RecordRead record,
                RecordChange.Kind kind,
                long payload,
                long columns) {
            if (count == changes.length) {
                changes = Arrays.copyOf(changes, 2 * count);
            }
            RecordChange change = changes[count];
            if (change == null) {
                change = new RecordChange(table, record);
                changes[count] = change;
            }
            change.start(table, record, kind, payload, columns);
            count++;
            return change;
        }

        void shrink() {
            changes = new RecordChange[USUAL];
            count = 0;
        }
    }
}
