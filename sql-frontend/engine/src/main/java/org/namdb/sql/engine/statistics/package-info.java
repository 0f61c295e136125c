/// What ANALYZE learns of tables: how it is estimated, kept, and read by the planner.
@NullMarked
package org.namdb.sql.engine.statistics;

import org.jspecify.annotations.NullMarked;
