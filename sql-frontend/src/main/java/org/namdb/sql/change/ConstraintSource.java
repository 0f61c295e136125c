package org.namdb.sql.change;

import org.namdb.sql.catalog.SqlTable;

/// Gives the constraints of tables, bound.
public interface ConstraintSource {
    /// Those of a table.
    TableConstraints of(SqlTable table);
}
