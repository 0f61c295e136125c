package org.namdb.sql.engine.procedure;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.RecordType;

/// A stored procedure: called by name, from SQL (`CALL transfer(1, 2, 30)`) or by a program. A call
/// is a transaction of its own, run again after a conflict; within a transaction block it is a part
/// of that. So it may run more than once, and has no effect but on the database and on its result.
///
/// ```java
/// public final class Transfer implements Procedure<Transfer.Order, BigDecimal> {
///     public record Order(int fromAccount, int toAccount, BigDecimal amount) {}
///
///     @Override
///     public BigDecimal run(ProcedureContext context, Order order) { .. }
/// }
/// ```
///
/// Its parameters are the components of the record `I`, by name and type; its result is a row of
/// the components of the record `O`, or a single value; for a `List` of them as many rows as it
/// has. [RecordType] says which types there are.
///
/// One object serves all calls, many at a time.
///
/// @param <I> its input: a record, a type of single values, or Void
/// @param <O> its result: the same, or a List of them
@FunctionalInterface
public interface Procedure<I extends @Nullable Object, O extends @Nullable Object> {
    /// Does it.
    ///
    /// @throws Exception whatever it throws, the transaction is rolled back; a conflict has it run
    ///     again, an [org.namdb.sql.language.error.SqlException] goes to the caller as it is, and
    ///     all else as error 38000 with the message
    O run(ProcedureContext context, I input) throws Exception;

    /// What it is called: the name of its class in the manner of SQL, `new_order` for `NewOrder`.
    default String name() {
        return RecordType.snakeCase(getClass().getSimpleName());
    }
}
