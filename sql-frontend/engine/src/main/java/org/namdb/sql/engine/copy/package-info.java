/// COPY: rows as text and as CSV, in PostgreSQL's formats.
///
/// - *field*: what is between two delimiters, null for NULL;
/// - *line*: the fields of one row, and where it began in the data.
@NullMarked
package org.namdb.sql.engine.copy;

import org.jspecify.annotations.NullMarked;
