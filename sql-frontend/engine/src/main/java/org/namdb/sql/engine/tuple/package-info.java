/// Rows of values as bytes: in temporary files, and in statistics.
@NullMarked
package org.namdb.sql.engine.tuple;

import org.jspecify.annotations.NullMarked;
