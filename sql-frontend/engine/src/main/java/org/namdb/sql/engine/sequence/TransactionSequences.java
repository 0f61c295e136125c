package org.namdb.sql.engine.sequence;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.schema.Table;

/// The values of sequences in a transaction that has made some, or has begun some again: no other
/// session draws from these yet, so they are counted here, and stored with the commit. As all
/// values, they are not rolled back to a savepoint. Those of other sequences are reserved as
/// always.
///
/// For the transaction's thread.
public final class TransactionSequences extends SequenceValues {
    private final SequenceValues committed;

    /// The rows of the sequences that there were when the transaction changed the schema first.
    private final Set<Long> known = new TreeSet<>();

    private final Map<Long, State> own = new HashMap<>();

    /// Those whose rows go with the commit.
    private final List<Sequence> dropped = new ArrayList<>();

    /// @param committed the values of the database's sequences
    /// @param sequences these
    public TransactionSequences(
            NamDb db, SequenceValues committed, Collection<Sequence> sequences) {
        super(db);
        this.committed = committed;
        sequences.forEach(sequence -> known.add(sequence.storage()));
    }

    private boolean isOwn(Sequence sequence) {
        return !known.contains(sequence.storage());
    }

    @Override
    public long next(Sequence sequence, @Nullable Session running) {
        if (!isOwn(sequence)) {
            return committed.next(sequence, running);
        }
        State now = state(sequence, running);
        long value = now.isCalled() ? following(sequence, now.last()) : now.last();
        own.put(sequence.storage(), new State(value, 0, true));
        return value;
    }

    @Override
    public void set(Sequence sequence, long last, boolean isCalled, @Nullable Session running) {
        if (isOwn(sequence)) {
            own.put(sequence.storage(), new State(last, 0, isCalled));
        } else {
            committed.set(sequence, last, isCalled, running);
        }
    }

    @Override
    public State state(Sequence sequence, @Nullable Session running) {
        if (!isOwn(sequence)) {
            return committed.state(sequence, running);
        }
        State known = own.get(sequence.storage());
        return known == null ? new State(sequence.start(), 0, false) : known;
    }

    @Override
    public void drop(Sequence sequence) {
        if (!isOwn(sequence)) {
            dropped.add(sequence);
        }
    }

    /// Writes the rows of the transaction's own sequences.
    ///
    /// @param table the hidden table
    /// @param sequences those that there are at the commit
    public void store(Transaction transaction, Table table, Collection<Sequence> sequences) {
        for (Sequence sequence : sequences) {
            State state = own.get(sequence.storage());
            if (state != null) {
                transaction
                        .insert(table, table.newKey().add(sequence.storage()))
                        .setInt64(table.column("last"), state.last())
                        .setBool(table.column("called"), state.isCalled());
            }
        }
    }

    /// The transaction is committed: a part of its schema change.
    ///
    /// @param sequences those that there are
    public void committed(Collection<Sequence> sequences) {
        for (Sequence sequence : dropped) {
            if (sequences.stream().noneMatch(left -> left.storage() == sequence.storage())) {
                committed.drop(sequence);
            }
        }
    }
}
