/// Compute servers: they run transactions on data that memory servers hold. The public Java
/// interface of the database.
///
/// ```java
/// try (NamDb db = NamDb.embedded()) {
///     Table accounts = db.createTable(TableDefinition.named("accounts")
///             .column("id", ColumnType.INT64)
///             .column("balance", ColumnType.INT64)
///             .primaryKey("id")
///             .build());
///     Column balance = accounts.column("balance");
///     db.transact(tx -> {
///         tx.insert(accounts, accounts.newKey().set(1)).setInt64(balance, 100);
///         return true;
///     });
/// }
/// ```
///
/// A transaction that is a conversation stays open: `Transaction tx = session.begin()`, then
/// `session.commit()`, which returns the outcome.
///
/// Glossary: *session*, a timestamp slot and a queue pair, used by one thread at a time: the
/// paper's transaction execution thread; *read snapshot*, what a transaction sees; *write set*,
/// what it is going to change; *savepoint*, a moment that its changes can be rolled back to;
/// *requirement*, what must hold at the commit beyond the write set. Isolation is strong snapshot
/// isolation: a transaction sees every commit that was acknowledged before it began. Write skew is
/// possible, as SI has it.
///
/// Source: NAM-DB, sections 3 and 6.
@NullMarked
package org.namdb.compute;

import org.jspecify.annotations.NullMarked;
