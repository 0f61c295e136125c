package org.namdb.sql.engine.change;

import org.namdb.sql.engine.catalog.SqlTable;

/// Gives the constraints of tables, bound.
public interface ConstraintSource {
    /// Those of a table.
    TableConstraints of(SqlTable table);
}
