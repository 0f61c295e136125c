package org.namdb.compute;

import org.jspecify.annotations.Nullable;

/// A procedure that is registered by name and called with arguments; runs as one transaction. It
/// may be run more than once for one call, so it has no effect but on the transaction and on
/// its result.
///
/// @param <A> its arguments
/// @param <R> its result
@FunctionalInterface
public interface StoredProcedure<A, R extends @Nullable Object> {
    R run(Transaction transaction, A arguments);
}
