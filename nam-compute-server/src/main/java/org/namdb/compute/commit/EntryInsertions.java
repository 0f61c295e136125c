package org.namdb.compute.commit;

import java.util.Arrays;
import org.namdb.compute.schema.Index;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.LocalAllocator;
import org.namdb.mvcc.index.ChangeBatch;
import org.namdb.mvcc.index.EntryChange;

/// Index entries of a commit that are inserted together.
final class EntryInsertions {
    private final ChangeBatch batch;

    /// Those of the batch, and which of them are to be removed if the commit fails: not those of a
    /// deleted record that is inserted again, whose entry is its own.
    private final EntryList inserted;

    private boolean[] areNew = new boolean[16];
    private EntryChange[] changes = new EntryChange[16];
    private IndexWriter[] writers = new IndexWriter[16];
    private final EntryList added;

    /// @param most how many are inserted together
    /// @param added gets the entries that are to be removed if the commit fails
    EntryInsertions(QueuePair queuePair, LocalAllocator memory, int most, EntryList added) {
        this.batch = new ChangeBatch(queuePair, most);
        this.inserted = new EntryList(memory);
        this.added = added;
    }

    /// Makes it empty; its memory is another transaction's.
    void forget() {
        end();
        inserted.forget();
    }

    /// Frees the buffers of a large commit.
    void shrink() {
        end();
        inserted.shrink();
    }

    int count() {
        return batch.size();
    }

    /// About how many bytes their READs bring.
    int landedBytes() {
        return batch.landedBytes();
    }

    boolean hasCapacityFor(EntryChange insertion) {
        return batch.hasCapacityFor(insertion);
    }

    /// Adds the insertion of an entry.
    void add(
            EntryChange insertion,
            RecordChange change,
            Index index,
            long[] entry,
            IndexWriter writer) {
        batch.add(insertion);
        int number = inserted.count();
        inserted.add(change, index, entry);
        if (number == areNew.length) {
            areNew = Arrays.copyOf(areNew, 2 * number);
            changes = Arrays.copyOf(changes, 2 * number);
            writers = Arrays.copyOf(writers, 2 * number);
        }
        changes[number] = insertion;
        writers[number] = writer;
    }

    /// Before insertion `number` is run, the records are locked.
    ///
    /// @param isNew whether the entry is removed if the commit fails
    /// @param isOfClaimed whether its record is claimed
    void set(int number, boolean isNew, boolean isOfClaimed) {
        areNew[number] = isNew;
        if (isOfClaimed) {
            changes[number].setOfClaimed();
        }
    }

    /// Posts the first READs of all, to go with an await of the caller's.
    void postAhead() {
        batch.postAhead();
    }

    /// Inserts all. The last WRITEs are posted.
    void run() {
        int finished = 0;
        inserted.start();
        try {
            if (batch.size() > 0) {
                batch.run();
            }
            while (finished < batch.size()) {
                note(finished, batch.finish(finished));
                finished++;
            }
        } finally {
            for (int i = finished; i < batch.size(); i++) { // none, unless something has failed
                note(i, batch.isAdded(i));
            }
        }
        end();
    }

    /// Notes that an entry was added, to be removed if the commit fails.
    private void note(int number, boolean isAdded) {
        boolean isThere = inserted.next();
        if (isThere && isAdded && areNew[number]) {
            added.add(inserted);
        }
    }

    /// Drops all.
    void end() {
        for (int i = 0; i < inserted.count(); i++) {
            writers[i].reuseInsertions();
        }
        inserted.clear();
        batch.clear();
    }
}
