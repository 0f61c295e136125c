package org.namdb.sql.engine.catalog;

import java.util.List;
import org.namdb.sql.language.ast.DdlStatement.ForeignKey.Action;

/// A FOREIGN KEY constraint.
///
/// @param name its name
/// @param table the table whose rows refer
/// @param columns the names of its columns that do
/// @param referencedTable the table that they refer to
/// @param referencedColumns the names of the columns referred to: the primary key or the columns of
///     a unique constraint
/// @param onDelete what happens when a row that is referred to is deleted
/// @param onUpdate what happens when its key is changed
/// @param isValid whether all rows fulfil it; if not, those that were there before it may not
public record ForeignKeyConstraint(
        String name,
        String table,
        List<String> columns,
        String referencedTable,
        List<String> referencedColumns,
        Action onDelete,
        Action onUpdate,
        boolean isValid) {
    public ForeignKeyConstraint {
        columns = List.copyOf(columns);
        referencedColumns = List.copyOf(referencedColumns);
    }

    /// The same by another name.
    public ForeignKeyConstraint named(String other) {
        return new ForeignKeyConstraint(
                other,
                table,
                columns,
                referencedTable,
                referencedColumns,
                onDelete,
                onUpdate,
                isValid);
    }

    /// The same, which all rows fulfil or not.
    public ForeignKeyConstraint valid(boolean isItValid) {
        return new ForeignKeyConstraint(
                name,
                table,
                columns,
                referencedTable,
                referencedColumns,
                onDelete,
                onUpdate,
                isItValid);
    }
}
