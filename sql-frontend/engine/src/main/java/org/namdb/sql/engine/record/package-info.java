/// Values of SQL in the records and keys of the database.
@NullMarked
package org.namdb.sql.engine.record;

import org.jspecify.annotations.NullMarked;
