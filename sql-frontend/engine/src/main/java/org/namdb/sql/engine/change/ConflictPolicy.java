package org.namdb.sql.engine.change;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.SqlIndex;

/// An ON CONFLICT clause.
interface ConflictPolicy {
    /// Whether it is about a unique index.
    ///
    /// @param index null for the primary key
    boolean covers(@Nullable SqlIndex index);

    /// Whether the row is left out.
    boolean isDoNothing();

    /// The row that is there, as it will be.
    ///
    /// @param old the row that is there
    /// @param excluded the row that was to be inserted
    /// @return null to leave it as it is
    @Nullable Object @Nullable [] changed(@Nullable Object[] old, @Nullable Object[] excluded);
}
