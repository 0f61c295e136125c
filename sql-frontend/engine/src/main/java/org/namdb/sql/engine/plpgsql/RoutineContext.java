package org.namdb.sql.engine.plpgsql;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.sql.engine.bind.Variables;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.change.ChangePlan;
import org.namdb.sql.engine.execute.Execution;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.type.SqlType;

/// What a running routine needs of the session that runs it, in one attempt of one transaction.
public interface RoutineContext {
    /// The tables and routines.
    SqlCatalog catalog();

    /// The transaction that the routine is, or is a part of.
    Transaction transaction();

    /// Plans a statement of a routine.
    ///
    /// @param text what was parsed
    /// @param variables those that it may use
    /// @throws SqlException if it has no meaning
    PreparedSql prepare(String text, Statement statement, Variables variables);

    /// Plans a statement that is made while the routine runs; it is kept for later calls.
    ///
    /// @param types those of its parameters
    /// @throws SqlException if it has no meaning
    PreparedSql prepare(String text, List<SqlType> types);

    /// Whether a plan suits the schema and the tables as they are now.
    boolean isCurrent(PreparedSql prepared);

    /// Opens a query, or calls the function that it calls.
    ///
    /// @param values those of its parameters, which don't change while it is read
    /// @param isCollected whether all rows are read before the first one is given, so that it does
    ///     not see later changes
    /// @throws SqlException 42501 if the session's role may not, and what the query does
    TupleCursor open(PreparedSql query, @Nullable Object[] values, boolean isCollected);

    /// Runs an INSERT, UPDATE or DELETE.
    ///
    /// @throws SqlException 42501 if the session's role may not, and what the statement does
    ChangePlan.ChangeResult change(PreparedSql change, @Nullable Object[] values);

    /// Calls a procedure in the same transaction.
    ///
    /// @return its rows
    List<@Nullable Object[]> call(PreparedSql call, @Nullable Object[] values);

    /// What expressions are evaluated in.
    ///
    /// @param values the variables
    Execution execution(@Nullable Object[] values);

    /// Sets a savepoint of the transaction.
    Savepoint savepoint();

    /// Undoes all changes since a savepoint, and drops it.
    void rollbackTo(Savepoint savepoint);

    /// Drops a savepoint; the changes since stay.
    void release(Savepoint savepoint);

    /// What SQL calls a failure.
    SqlException errorOf(Throwable failure);

    /// Sends the client a message.
    void notice(Notice notice);

    /// A savepoint: its number in the transaction, and how many requirements there were.
    record Savepoint(int mark, int requirements, int locks) {}
}
