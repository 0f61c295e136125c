package org.namdb.sql.engine.change;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.HashCursor;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;
import org.namdb.sql.engine.catalog.ForeignKeyConstraint;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.record.KeyWriter;
import org.namdb.sql.engine.record.RowReader;
import org.namdb.sql.language.error.ErrorObject;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// A foreign key with its two tables, and how each side finds the other: a child its parent by the
/// primary key or a unique index, a parent its children by an index on the referencing columns.
final class ForeignKey {
    private final ForeignKeyConstraint constraint;
    private final SqlTable child;
    private final SqlTable parent;
    private final List<Integer> childColumns;
    private final List<Integer> parentColumns;

    /// The table whose key shows whether there is a parent: the parent's, or a unique table.
    private final Table parents;

    /// The child's columns in the order of that key.
    private final List<Integer> keyColumns = new ArrayList<>();

    /// The parent's columns in the same order.
    private final List<Integer> parentKeyColumns = new ArrayList<>();

    private final SqlIndex childIndex;

    ForeignKey(ForeignKeyConstraint constraint, SqlTable child, SqlTable parent) {
        this.constraint = constraint;
        this.child = child;
        this.parent = parent;
        this.childColumns = constraint.columns().stream().map(child::columnNumber).toList();
        this.parentColumns =
                constraint.referencedColumns().stream().map(parent::columnNumber).toList();
        List<Integer> order = parent.primaryKey();
        Table found = parent.stored();
        if (!new HashSet<>(order).equals(new HashSet<>(parentColumns))) {
            SqlIndex unique = uniqueIndex();
            order = unique.columns();
            found = Objects.requireNonNull(unique.uniqueTable());
        }
        this.parents = found;
        for (int column : order) {
            parentKeyColumns.add(column);
            keyColumns.add(childColumns.get(parentColumns.indexOf(column)));
        }
        this.childIndex =
                Objects.requireNonNull(
                        ForeignKeyIndexes.find(child, childColumns), constraint.name());
    }

    private SqlIndex uniqueIndex() {
        for (SqlIndex index : parent.indexes()) {
            if (index.isUnique()
                    && new HashSet<>(index.columns()).equals(new HashSet<>(parentColumns))) {
                return index;
            }
        }
        throw new IllegalStateException(
                "foreign key " + constraint.name() + " refers to columns that are not unique");
    }

    ForeignKeyConstraint constraint() {
        return constraint;
    }

    SqlTable child() {
        return child;
    }

    List<Integer> childColumns() {
        return childColumns;
    }

    List<Integer> parentColumns() {
        return parentColumns;
    }

    /// The table whose key shows whether there is a parent.
    Table parents() {
        return parents;
    }

    /// The index by which a parent finds its children.
    Index childIndex() {
        return Objects.requireNonNull(childIndex.index());
    }

    /// Posts the read of the row that shows whether a child has its parent.
    ///
    /// @return null if the parent can't be there, as its columns can't have such values
    @Nullable Row postParentOf(Transaction transaction, @Nullable Object[] childTuple) {
        return post(transaction, keyColumns, childTuple);
    }

    /// Posts the read of the row that shows whether there is a parent with these values.
    @Nullable Row postParent(Transaction transaction, @Nullable Object[] parentTuple) {
        return post(transaction, parentKeyColumns, parentTuple);
    }

    private @Nullable Row post(
            Transaction transaction, List<Integer> columns, @Nullable Object[] tuple) {
        Key key = parents.newKey();
        for (int column : columns) {
            if (!KeyWriter.add(key, Objects.requireNonNull(tuple[column]))) {
                return null;
            }
        }
        return transaction.post(parents, key, parents.schema().nothing());
    }

    /// The children of a parent, as the transaction sees them.
    List<@Nullable Object[]> children(Transaction transaction, @Nullable Object[] parentTuple) {
        List<@Nullable Object[]> tuples = new ArrayList<>();
        Key key = indexKey(parentTuple);
        if (key == null) {
            return tuples;
        }
        Index index = childIndex();
        Table table = child.stored();
        Projection all = table.schema().all();
        RowReader reader = new RowReader(child.columns());
        byte[] scratch = new byte[reader.scratchBytes()];
        if (childIndex.isOrdered()) {
            RowCursor cursor = transaction.streamAscending(index, table, key, key, all);
            for (Row row = cursor.next(); row != null; row = cursor.next()) {
                tuples.add(reader.read(row, scratch));
            }
            cursor.close();
        } else {
            HashCursor cursor = transaction.matching(index, table, key, all);
            for (Row row = cursor.next(); row != null; row = cursor.next()) {
                tuples.add(reader.read(row, scratch));
            }
            cursor.close();
        }
        for (@Nullable Object[] tuple : tuples) {
            @Nullable Object[] _ = reader.complete(transaction, child.longValues(), tuple);
        }
        return tuples;
    }

    /// Requires that no children of this parent exist at the commit.
    void requireChildless(Transaction transaction, @Nullable Object[] parentTuple) {
        Key key = indexKey(parentTuple);
        if (key != null) {
            transaction.requireNone(childIndex(), child.stored(), key);
        }
    }

    private @Nullable Key indexKey(@Nullable Object[] parentTuple) {
        Key key = childIndex().newKey();
        for (int i = 0; i < childColumns.size(); i++) {
            int parentColumn = parentColumns.get(childColumns.indexOf(childIndex.columns().get(i)));
            if (!KeyWriter.add(key, Objects.requireNonNull(parentTuple[parentColumn]))) {
                return null;
            }
        }
        return key;
    }

    /// The error of a child without a parent.
    SqlException missing(@Nullable Object[] childTuple) {
        String values = KeyText.of(child, childColumns, childTuple);
        return new SqlException(
                        SqlState.FOREIGN_KEY_VIOLATION,
                        "insert or update on table \""
                                + child.name()
                                + "\" violates foreign key constraint \""
                                + constraint.name()
                                + "\"")
                .about(ErrorObject.constraint(child.name(), constraint.name()))
                .withDetail(
                        "Key " + values + " is not present in table \"" + parent.name() + "\".");
    }

    /// The error of a parent that is still referred to.
    SqlException referenced(@Nullable Object[] parentTuple) {
        String values = KeyText.of(parent, parentColumns, parentTuple);
        return new SqlException(
                        SqlState.FOREIGN_KEY_VIOLATION,
                        "update or delete on table \""
                                + parent.name()
                                + "\" violates foreign key constraint \""
                                + constraint.name()
                                + "\" on table \""
                                + child.name()
                                + "\"")
                .about(ErrorObject.constraint(child.name(), constraint.name()))
                .withDetail(
                        "Key "
                                + values
                                + " is still referenced from table \""
                                + child.name()
                                + "\".");
    }
}
