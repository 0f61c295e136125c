package org.namdb.sql.engine.plpgsql;

import java.util.ArrayList;
import java.util.List;
import org.namdb.sql.language.result.ResultColumn;
import org.namdb.sql.language.type.SqlType;

/// The columns of a record.
record RowShape(List<String> names, List<SqlType> types) {
    RowShape {
        names = List.copyOf(names);
        types = List.copyOf(types);
    }

    /// Of the rows that a statement gives.
    static RowShape of(List<ResultColumn> columns) {
        List<String> names = new ArrayList<>();
        List<SqlType> types = new ArrayList<>();
        for (ResultColumn column : columns) {
            names.add(column.name());
            types.add(column.type());
        }
        return new RowShape(names, types);
    }

    int size() {
        return names.size();
    }
}
