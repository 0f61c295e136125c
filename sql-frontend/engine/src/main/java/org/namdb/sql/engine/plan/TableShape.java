package org.namdb.sql.engine.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Projection;
import org.namdb.sql.engine.bind.Field;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.record.RowReader;

/// Which columns of a table are read, and where a tuple has them.
///
/// @param alias what the query calls the table
/// @param columns the table's columns in the order of the tuple
/// @param fields the same as fields of the query
/// @param projection what is read of a record
/// @param reader makes tuples of rows
public record TableShape(
        SqlTable table,
        String alias,
        List<SqlColumn> columns,
        List<Field> fields,
        Projection projection,
        RowReader reader) {
    public TableShape {
        columns = List.copyOf(columns);
        fields = List.copyOf(fields);
    }

    /// The shape that has these columns.
    ///
    /// @param numbers the columns' numbers in the table, in the order of the tuple
    /// @param allFields the fields of all of the table's columns
    /// @param indexed the numbers of columns that an index needs read as well
    static TableShape of(
            SqlTable table,
            String alias,
            List<Integer> numbers,
            List<Field> allFields,
            List<Integer> indexed) {
        List<SqlColumn> columns = new ArrayList<>();
        List<Field> fields = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int number : numbers) {
            columns.add(table.columns().get(number));
            fields.add(allFields.get(number));
            names.add(table.columns().get(number).stored().name());
        }
        indexed.forEach(number -> names.add(table.columns().get(number).stored().name()));
        Table stored = table.stored();
        return new TableShape(
                table,
                alias,
                columns,
                fields,
                stored.project(names.toArray(new String[0])),
                new RowReader(columns));
    }

    /// The same, but long values are not read where they are not needed.
    ///
    /// @param isNeeded whether the column at a place of the tuple is
    public TableShape needing(IntPredicate isNeeded) {
        return new TableShape(table, alias, columns, fields, projection, reader.needing(isNeeded));
    }

    @Override
    public String toString() {
        return alias.equals(table.name()) ? alias : table.name() + " " + alias;
    }
}
