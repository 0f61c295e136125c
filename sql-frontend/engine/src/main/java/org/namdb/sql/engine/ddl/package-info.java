/// DDL: creates, alters and drops tables and indexes, alone or in a transaction block. Its commit
/// runs while no other transaction does.
///
/// - *draft*: a table that is being defined or changed, before the compute server knows it;
/// - *replaced*: a table whose records get another layout is rebuilt and its rows are copied.
@NullMarked
package org.namdb.sql.engine.ddl;

import org.jspecify.annotations.NullMarked;
