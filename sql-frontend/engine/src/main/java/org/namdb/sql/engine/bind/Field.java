package org.namdb.sql.engine.bind;

import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.language.type.SqlType;

/// A column of a relation. Its number is its own among all columns of a statement, so that an
/// expression keeps its meaning wherever in the tree of relations it is moved to.
///
/// @param id the number
/// @param name its name, as a result shows it
/// @param type the type of its values
public record Field(int id, String name, SqlType type) {
    /// The value of the column, named by its number.
    public ColumnScalar scalar() {
        return new ColumnScalar(id, type, name);
    }
}
