package org.namdb.sql.engine.change;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.sql.engine.catalog.ForeignKeyConstraint;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.spill.WorkMemory;
import org.namdb.sql.language.ast.DdlStatement.ForeignKey.Action;

/// The foreign keys that a statement's changes touch. A new child needs its parent, and that the
/// parent stays until the commit ([Transaction#requirePresent]). A parent that is deleted takes its
/// children along, or the delete fails; and there must be none at the commit
/// ([Transaction#requireNone]). Both are checked when the statement has done everything else, so
/// that rows may refer to rows of the same statement.
final class References {
    /// What a change takes of the heap in addition to its tuples.
    private static final int CHANGE_BYTES = 48;

    private final StatementChanges statement;
    private final IdentityHashMap<ForeignKeyConstraint, ForeignKey> keys = new IdentityHashMap<>();
    private final Deque<ParentChange> parentChanges = new ArrayDeque<>();
    private final List<ParentChange> forbidden = new ArrayList<>();
    private long keptBytes;
    private final List<Child> children = new ArrayList<>();

    /// A row that was referred to, perhaps, and its new values; null if it was deleted.
    private static final class ParentChange {
        private final ForeignKey key;
        private final @Nullable Object[] old;
        private final @Nullable Object @Nullable [] changed;

        ParentChange(
                ForeignKey key, @Nullable Object[] old, @Nullable Object @Nullable [] changed) {
            this.key = key;
            this.old = old;
            this.changed = changed;
        }
    }

    /// A row that needs a parent.
    private static final class Child {
        private final ForeignKey key;
        private final @Nullable Object[] tuple;

        Child(ForeignKey key, @Nullable Object[] tuple) {
            this.key = key;
            this.tuple = tuple;
        }
    }

    References(StatementChanges statement) {
        this.statement = statement;
    }

    void inserted(SqlTable table, @Nullable Object[] tuple) {
        for (ForeignKeyConstraint constraint : table.foreignKeys()) {
            refers(key(constraint), tuple);
        }
        if (children.size() >= TableWriter.BATCH && !refersToItself(table)) {
            checkChildren();
            if (parentChanges.isEmpty()) {
                keep(-keptBytes);
            }
        }
    }

    void deleted(SqlTable table, @Nullable Object[] old) {
        for (ForeignKeyConstraint constraint : table.referencedBy()) {
            parentChanged(key(constraint), old, null);
        }
    }

    void updated(SqlTable table, @Nullable Object[] old, @Nullable Object[] tuple) {
        for (ForeignKeyConstraint constraint : table.foreignKeys()) {
            ForeignKey key = key(constraint);
            if (TableWriter.differ(key.childColumns(), old, tuple)) {
                refers(key, tuple);
            }
        }
        for (ForeignKeyConstraint constraint : table.referencedBy()) {
            ForeignKey key = key(constraint);
            if (TableWriter.differ(key.parentColumns(), old, tuple)) {
                parentChanged(key, old, tuple);
            }
        }
    }

    /// Changes the children of parents that have changed, and theirs; then checks the constraints.
    void finish() {
        while (!parentChanges.isEmpty()) {
            act(parentChanges.removeFirst());
        }
        checkForbidden();
        checkChildren();
        keep(-keptBytes);
    }

    /// The statement keeps so much more until it ends, unless it checks children meanwhile.
    private void keep(long bytes) {
        keptBytes += bytes;
        statement.transaction().keepHeap(bytes);
    }

    private void refers(ForeignKey key, @Nullable Object[] tuple) {
        if (UniqueEntries.isWhole(key.childColumns(), tuple)) {
            keep(CHANGE_BYTES + WorkMemory.bytes(tuple));
            children.add(new Child(key, tuple));
        }
    }

    private void parentChanged(
            ForeignKey key, @Nullable Object[] old, @Nullable Object @Nullable [] changed) {
        if (UniqueEntries.isWhole(key.parentColumns(), old)) {
            keep(CHANGE_BYTES + (changed == null ? 0 : WorkMemory.bytes(changed)));
            statement.context().requirements().add(statement.transaction(), key, old);
            parentChanges.add(new ParentChange(key, old, changed));
        }
    }

    private void act(ParentChange change) {
        ForeignKey key = change.key;
        Action action =
                change.changed == null ? key.constraint().onDelete() : key.constraint().onUpdate();
        switch (action) {
            case NO_ACTION -> forbidden.add(change);
            case RESTRICT -> {
                if (!children(change).isEmpty()) {
                    throw key.referenced(change.old);
                }
            }
            case CASCADE -> {
                if (change.changed == null) {
                    statement.writer(key.child()).delete(children(change));
                } else {
                    followAll(change);
                }
            }
            case SET_NULL, SET_DEFAULT -> followAll(change);
        }
    }

    /// Changes the children of this parent and of all others that wait with it, at once: a parent
    /// that has got the key that another one had must not get its children.
    private void followAll(ParentChange first) {
        List<@Nullable Object[]> olds = new ArrayList<>();
        List<@Nullable Object[]> news = new ArrayList<>();
        follow(first, olds, news);
        for (Iterator<ParentChange> others = parentChanges.iterator(); others.hasNext(); ) {
            ParentChange other = others.next();
            boolean isAlike = (other.changed == null) == (first.changed == null);
            if (other.key == first.key && isAlike) {
                others.remove();
                follow(other, olds, news);
            }
        }
        statement.writer(first.key.child()).update(olds, news);
    }

    /// Collects the children, and with which other values in the columns that refer.
    private void follow(
            ParentChange change, List<@Nullable Object[]> olds, List<@Nullable Object[]> news) {
        ForeignKey key = change.key;
        Action action =
                change.changed == null ? key.constraint().onDelete() : key.constraint().onUpdate();
        for (@Nullable Object[] old : children(change)) {
            @Nullable Object[] tuple = old.clone();
            olds.add(old);
            for (int i = 0; i < key.childColumns().size(); i++) {
                int column = key.childColumns().get(i);
                tuple[column] = referringValue(change, action, i, column);
            }
            statement.context().constraints(key.child()).generate(statement.frame(), tuple);
            news.add(tuple);
            if (action == Action.SET_DEFAULT) {
                refers(
                        key,
                        tuple); // also where the default is what was there: its parent may be the
                // one that is deleted
            }
        }
    }

    private @Nullable Object referringValue(
            ParentChange change, Action action, int place, int column) {
        return switch (action) {
            case CASCADE -> {
                @Nullable Object @Nullable [] changed = change.changed;
                yield changed == null ? null : changed[change.key.parentColumns().get(place)];
            }
            case SET_DEFAULT ->
                    statement
                            .context()
                            .constraints(change.key.child())
                            .defaultValue(statement.frame(), column);
            case SET_NULL, NO_ACTION, RESTRICT -> null;
        };
    }

    private List<@Nullable Object[]> children(ParentChange change) {
        return change.key.children(statement.transaction(), change.old);
    }

    /// A parent that was deleted may have been inserted again by the same statement.
    private void checkForbidden() {
        for (ParentChange change : forbidden) {
            Row parent = change.key.postParent(statement.transaction(), change.old);
            statement.transaction().await();
            if ((parent == null || !parent.exists()) && !children(change).isEmpty()) {
                throw change.key.referenced(change.old);
            }
        }
        forbidden.clear();
    }

    private void checkChildren() {
        Transaction transaction = statement.transaction();
        for (int from = 0; from < children.size(); from += TableWriter.BATCH) {
            List<Child> batch =
                    children.subList(from, Math.min(children.size(), from + TableWriter.BATCH));
            List<@Nullable Row> parents = new ArrayList<>(batch.size());
            for (Child one : batch) {
                parents.add(one.key.postParentOf(transaction, one.tuple));
            }
            transaction.await();
            for (int i = 0; i < batch.size(); i++) {
                Row parent = parents.get(i);
                if (parent == null || !parent.exists()) {
                    throw batch.get(i).key.missing(batch.get(i).tuple);
                } else {
                    transaction.requirePresent(parent);
                }
            }
        }
        children.clear();
    }

    private boolean refersToItself(SqlTable table) {
        return table.foreignKeys().stream().anyMatch(k -> k.referencedTable().equals(table.name()));
    }

    private ForeignKey key(ForeignKeyConstraint constraint) {
        ForeignKey key = keys.get(constraint);
        if (key == null) {
            key =
                    new ForeignKey(
                            constraint,
                            statement.context().table(constraint.table()),
                            statement.context().table(constraint.referencedTable()));
            keys.put(constraint, key);
        }
        return key;
    }
}
