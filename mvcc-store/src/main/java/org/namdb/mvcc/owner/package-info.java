/// Who holds what: so that after a process has died, others can tell from the memory alone what it
/// held.
///
/// Glossary: *intent*, a note of a slot that it is about to lock a record, or to change a bucket;
/// *attempt*, the locks that a slot takes and gives back together, as those of one commit;
/// *suspect*, a locked record whose lock may be that of a dead session.
@NullMarked
package org.namdb.mvcc.owner;

import org.jspecify.annotations.NullMarked;
