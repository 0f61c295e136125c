/// What sessions do and statements cost: for `pg_stat_activity`, `pg_stat_statements`, the log of
/// slow statements and the server's metrics.
@NullMarked
package org.namdb.sql.engine.monitor;

import org.jspecify.annotations.NullMarked;
