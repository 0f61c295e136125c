package org.namdb.sql.engine.procedure;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.compute.schema.Table;
import org.namdb.sql.language.result.Result;

/// What a running procedure does its work with: the transaction that its call is, by SQL or by the
/// engine's own interface. For the procedure's thread, until it returns.
public interface ProcedureContext {
    /// Runs a statement: SELECT, VALUES, INSERT, UPDATE, DELETE, or CALL. It is planned once and
    /// kept.
    ///
    /// @param parameters the values of `?` or `$1`, `$2`, in order; null for NULL
    /// @return its rows; they end with the procedure
    /// @throws org.namdb.sql.language.error.SqlException if it can't be done; nothing of it has
    ///     happened, and the procedure may go on, but after a conflict
    Result execute(String sql, @Nullable Object... parameters);

    /// The transaction, for reads and changes without SQL. Those are not checked by CHECK, UNIQUE
    /// and foreign keys.
    ///
    /// @throws org.namdb.sql.language.error.SqlException 25006 in a read-only transaction
    Transaction transaction();

    /// A table, for [#transaction].
    ///
    /// @throws IllegalArgumentException if there is none of this name
    Table table(String name);

    /// Ends the procedure if its caller has cancelled it, or its time is up. Whatever is run above
    /// does so, too, and so do the loops of a procedure that was submitted as a jar.
    void checkCancelled();
}
