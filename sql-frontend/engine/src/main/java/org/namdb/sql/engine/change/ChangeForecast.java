package org.namdb.sql.engine.change;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.TransactionForecast;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.VerbForecast;
import org.namdb.mvcc.schema.Key;
import org.namdb.sql.engine.catalog.ForeignKeyConstraint;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.catalog.SqlTable;

/// Foresees what a change of rows costs on the fabric: what [TableWriter] and [References] read
/// themselves, and what the commit will do for it. That a change violates nothing is taken for
/// granted, and that a deleted parent has no children.
public final class ChangeForecast {
    private final TransactionForecast transaction;
    private final VerbForecast own;
    private final Function<String, SqlTable> tables;

    /// @param transaction gets the changes
    /// @param own gets what the statement reads, beyond its source
    /// @param tables finds the tables that foreign keys name
    public ChangeForecast(
            TransactionForecast transaction, VerbForecast own, Function<String, SqlTable> tables) {
        this.transaction = transaction;
        this.own = own;
        this.tables = tables;
    }

    /// Rows are inserted.
    ///
    /// @param keys the primary keys that are known before
    /// @param rows how many rows, including those whose keys are not known
    /// @param given the numbers of the columns that get values
    void insert(SqlTable table, List<Key> keys, double rows, List<Integer> given) {
        Table stored = table.stored();
        boolean isRead = !table.hasHiddenKey();
        keys.forEach(key -> insert(stored, key, 1, isRead));
        insert(stored, null, rows - keys.size(), isRead);
        boolean isReadAtAll = isRead;
        for (SqlIndex index : table.indexes()) {
            if (index.isUnique() && given.containsAll(index.columns())) {
                Table entries = entries(index);
                transaction.readAbsent(own, entries, null, rows);
                transaction.insert(entries, null, rows);
                isReadAtAll = true;
            }
        }
        own.roundTrips(isReadAtAll ? batches(rows) : 0);
        refer(table, rows, given, false);
    }

    private void insert(Table stored, @Nullable Key key, double rows, boolean isRead) {
        if (isRead) {
            transaction.readAbsent(own, stored, key, rows);
        }
        transaction.insert(stored, key, rows);
    }

    /// Rows are changed.
    ///
    /// @param key the primary key before, if it is one and known
    /// @param columns the numbers of the columns that change
    void update(SqlTable table, @Nullable Key key, double rows, List<Integer> columns) {
        Table stored = table.stored();
        boolean isMoved = columns.stream().anyMatch(table.primaryKey()::contains);
        boolean isReadAgain = isMoved;
        transaction.read(own, stored, key, rows);
        if (isMoved) {
            transaction.readAbsent(own, stored, null, rows);
            transaction.delete(stored, key, rows);
            transaction.insert(stored, null, rows);
        } else {
            long mask = 0;
            for (int column : columns) {
                mask |= table.columns().get(column).stored().mask();
            }
            transaction.update(stored, key, rows, mask);
        }
        for (SqlIndex index : table.indexes()) {
            if (index.isUnique()
                    && (isMoved || columns.stream().anyMatch(index.columns()::contains))) {
                Table entries = entries(index);
                transaction.read(own, entries, null, rows);
                transaction.readAbsent(own, entries, null, rows);
                transaction.delete(entries, null, rows);
                transaction.insert(entries, null, rows);
                isReadAgain = true;
            }
        }
        own.roundTrips(transaction.roundTrips(stored, rows, TableWriter.BATCH));
        own.roundTrips(isReadAgain ? batches(rows) : 0);
        refer(table, rows, columns, true);
        leave(table, rows, columns);
    }

    /// Rows are deleted.
    ///
    /// @param key the primary key, if it is one and known before
    void delete(SqlTable table, @Nullable Key key, double rows) {
        transaction.read(own, table.stored(), key, rows);
        transaction.delete(table.stored(), key, rows);
        for (SqlIndex index : table.indexes()) {
            if (index.isUnique()) {
                transaction.read(own, entries(index), null, rows);
                transaction.delete(entries(index), null, rows);
            }
        }
        own.roundTrips(transaction.roundTrips(table.stored(), rows, TableWriter.BATCH));
        leave(table, rows, null);
    }

    /// Rows get values that refer to parents: those are read, and required.
    ///
    /// @param isAny whether one of the columns is enough, or all must be there
    private void refer(SqlTable table, double rows, List<Integer> columns, boolean isAny) {
        double most = 0;
        for (ForeignKeyConstraint constraint : table.foreignKeys()) {
            ForeignKey key = key(constraint);
            boolean refers =
                    isAny
                            ? key.childColumns().stream().anyMatch(columns::contains)
                            : columns.containsAll(key.childColumns());
            if (refers) {
                double parents = Math.min(rows, (double) key.parents().estimatedRows());
                transaction.read(own, key.parents(), null, parents);
                transaction.require(key.parents(), parents);
                most = Math.max(most, parents);
            }
        }
        own.roundTrips(batches(most));
    }

    /// Deletes or changes of rows that may be referred to: children are searched, and searched
    /// again at commit.
    ///
    /// @param columns those that change; null if the rows go
    private void leave(SqlTable table, double rows, @Nullable List<Integer> columns) {
        for (ForeignKeyConstraint constraint : table.referencedBy()) {
            ForeignKey key = key(constraint);
            if (columns == null || key.parentColumns().stream().anyMatch(columns::contains)) {
                Table child = key.child().stored();
                transaction.lookUp(own, child, key.childIndex(), rows, 0, false);
                transaction.requireNone(child, key.childIndex(), rows);
            }
        }
    }

    private ForeignKey key(ForeignKeyConstraint constraint) {
        return new ForeignKey(
                constraint,
                tables.apply(constraint.table()),
                tables.apply(constraint.referencedTable()));
    }

    private static Table entries(SqlIndex index) {
        return Objects.requireNonNull(index.uniqueTable());
    }

    private static double batches(double rows) {
        return Math.ceil(rows / TableWriter.BATCH);
    }
}
