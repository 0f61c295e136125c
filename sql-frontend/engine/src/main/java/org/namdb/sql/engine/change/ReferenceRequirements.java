package org.namdb.sql.engine.change;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.sql.engine.spill.WorkMemory;

/// The parents that a transaction has deleted. At its commit there may be no children of them,
/// except of those parents that it has inserted again: so the engine gets the requirements at the
/// end, and not when the parent is deleted.
public final class ReferenceRequirements {
    /// What one takes of the heap in addition to its tuple.
    private static final int GONE_BYTES = 32;

    private final List<Gone> gone = new ArrayList<>();

    /// A parent that was deleted, and the foreign key that refers to it.
    private static final class Gone {
        private final ForeignKey key;
        private final @Nullable Object[] parent;

        Gone(ForeignKey key, @Nullable Object[] parent) {
            this.key = key;
            this.parent = parent;
        }
    }

    /// A new transaction begins.
    public void clear() {
        gone.clear();
    }

    /// How many there are, for [#truncate].
    public int mark() {
        return gone.size();
    }

    /// Drops those that were added since.
    public void truncate(int mark) {
        gone.subList(mark, gone.size()).clear();
    }

    /// Registers the transaction's requirements. To be called at the commit.
    public void register(Transaction transaction) {
        if (gone.isEmpty()) {
            return;
        }
        for (int from = 0; from < gone.size(); from += TableWriter.BATCH) {
            register(
                    transaction,
                    gone.subList(from, Math.min(gone.size(), from + TableWriter.BATCH)));
            transaction.packIfMany();
        }
    }

    private static void register(Transaction transaction, List<Gone> some) {
        transaction.checkCancelled();
        List<@Nullable Row> parents = new ArrayList<>(some.size());
        for (Gone one : some) {
            parents.add(one.key.postParent(transaction, one.parent));
        }
        transaction.await();
        for (int i = 0; i < some.size(); i++) {
            Row parent = parents.get(i);
            if (parent == null || !parent.exists()) {
                some.get(i).key.requireChildless(transaction, some.get(i).parent);
            }
        }
    }

    /// @throws org.namdb.compute.TransactionAborted if the transaction may keep no more
    void add(Transaction transaction, ForeignKey key, @Nullable Object[] parent) {
        transaction.keepHeap(GONE_BYTES + WorkMemory.bytes(parent));
        gone.add(new Gone(key, parent));
    }
}
