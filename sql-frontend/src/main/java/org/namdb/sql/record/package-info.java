/// Values of SQL in the records and keys of the database.
@NullMarked
package org.namdb.sql.record;

import org.jspecify.annotations.NullMarked;
