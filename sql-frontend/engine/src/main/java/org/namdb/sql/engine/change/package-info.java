/// Changes of rows: INSERT, UPDATE, DELETE, and their constraints.
///
/// - *tuple*: the values of all columns of a row, by number, the hidden row id too;
/// - *unique table*: the hidden table behind a unique index;
/// - *child*, *parent*: the row that refers by a foreign key, and the row that it refers to.
@NullMarked
package org.namdb.sql.engine.change;

import org.jspecify.annotations.NullMarked;
