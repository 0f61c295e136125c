/// Statements that make, change and drop tables and indexes. They run outside of transactions,
/// while no other statement runs.
///
/// - *draft*: a table that is being defined or changed, before the compute server knows it;
/// - *replaced*: a table whose records get another layout is rebuilt and its rows are copied.
@NullMarked
package org.namdb.sql.engine.ddl;

import org.jspecify.annotations.NullMarked;
