/// What operators keep beyond `work_mem`: tuples in temporary files.
///
/// - *spill*: to write tuples that do not fit into memory to a temporary file
/// - *partition*: the spilled tuples whose keys share some bits of their hash; it is read when the
///   memory of the one before it is free
/// - *run*: spilled tuples in order, one of the inputs of a merge
@NullMarked
package org.namdb.sql.engine.spill;

import org.jspecify.annotations.NullMarked;
