/// Copies of rows, which a compute server keeps of [cached][org.namdb.mvcc.schema.TableDefinition]
/// tables.
///
/// - *guard line*: a line that stands for some of a table's rows, and holds nothing. A compute
///   server that commits a change of one of them has it exclusively meanwhile; while a compute
///   server has it, to read or to change, no other one changes these rows.
/// - *row copy*: the current version of a row, taken under its guard line's ownership, and good for
///   as long as that lasts.
///
/// Why that is enough: docs/decisions/0061.
@NullMarked
package org.namdb.compute.guard;

import org.jspecify.annotations.NullMarked;
