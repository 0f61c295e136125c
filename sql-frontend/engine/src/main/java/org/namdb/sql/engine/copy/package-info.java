/// COPY: rows as text, as CSV and in the binary format, as PostgreSQL has them.
///
/// - *field*: what is between two delimiters, or a value of the binary format; null for NULL;
/// - *line*: the fields of one row, and where it began in the data.
@NullMarked
package org.namdb.sql.engine.copy;

import org.jspecify.annotations.NullMarked;
