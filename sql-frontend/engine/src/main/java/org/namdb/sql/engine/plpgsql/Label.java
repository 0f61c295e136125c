package org.namdb.sql.engine.plpgsql;

import org.jspecify.annotations.Nullable;

/// Where EXIT and CONTINUE may go: a loop, or a block with a name.
///
/// @param outer the loop or block around; null of the outermost
@SuppressWarnings("ReferenceEquality") // two loops may have the same name
record Label(@Nullable String name, boolean isLoop, @Nullable Label outer) {
    /// Whether it is this loop or block itself.
    boolean isSame(@Nullable Label other) {
        return this == other;
    }
}
