package org.namdb.sql.engine.plpgsql;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.SqlType;

/// A variable of a routine.
///
/// @param label of the block that declares it; null if that has none
/// @param slot where an activation keeps its value
/// @param type of a single value; null of a record
/// @param shape of a record of a table's rows; null of one that takes any row
record Variable(
        String name,
        @Nullable String label,
        int slot,
        @Nullable SqlType type,
        @Nullable RowShape shape,
        boolean isConstant,
        boolean isNotNull) {
    boolean isRecord() {
        return type == null;
    }
}
