/// Garbage collection of what no snapshot can see any more: old versions, deleted records, index
/// entries of former values.
///
/// Each transaction execution thread keeps a queue of what its own commits will leave behind, and
/// collects it itself once the *low watermark* has passed them: there is no thread whose speed
/// limits the others'. Source: NAM-DB, section 5.3; by watermark and by the committing threads is
/// this project's.
@NullMarked
package org.namdb.mvcc.gc;

import org.jspecify.annotations.NullMarked;
