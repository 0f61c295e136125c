package org.namdb.sql.engine.plan;

import org.jspecify.annotations.Nullable;

/// Gives the tuples of an operator, one after the other.
public interface TupleCursor extends AutoCloseable {
    /// The next tuple; null if there is no more. The array is the caller's: the operator does not
    /// change it any more.
    @Nullable Object @Nullable [] next();

    /// About so many tuples are needed, because of a LIMIT; before the first one is read.
    default void expect(int tuples) {}

    /// Ends it early, and frees what it holds.
    @Override
    void close();
}
