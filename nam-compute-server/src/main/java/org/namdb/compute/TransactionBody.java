package org.namdb.compute;

import org.jspecify.annotations.Nullable;

/// What a transaction does. It may be run more than once, so it has no effect but on the
/// transaction.
///
/// @param <R> what it returns
@FunctionalInterface
public interface TransactionBody<R extends @Nullable Object> {
    R run(Transaction transaction);
}
