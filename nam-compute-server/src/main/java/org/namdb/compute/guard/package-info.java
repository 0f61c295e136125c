/// Copies of rows, which a compute server keeps of [cached][org.namdb.mvcc.schema.TableDefinition]
/// tables.
///
/// - *guard line*: a line that stands for some of a table's rows, and holds nothing. Whoever
///   commits a change of one of them has it exclusively meanwhile; whoever has it, to read or to
///   change, knows that nobody else changes one.
/// - *row copy*: the current version of a row, taken under its guard line's ownership, and good for
///   as long as that lasts.
///
/// Why that is enough: docs/decisions/0061.
@NullMarked
package org.namdb.compute.guard;

import org.jspecify.annotations.NullMarked;
