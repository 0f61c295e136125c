/// Who holds what: as whom a session takes latches, and how it waits for those of others
/// ([LatchOwner]); and what each slot writes down before it locks ([Intents]), so that after a
/// process has died, others can tell from the memory alone what it held.
///
/// Glossary: *dead slot*, one whose process is dead and fenced; *intent*, a note of a slot that it
/// is about to lock a record, or to change a bucket; *attempt*, the locks that a slot takes and
/// gives back together, as those of one commit; *suspect*, a locked record whose lock may be that
/// of a dead session.
@NullMarked
package org.namdb.mvcc.owner;

import org.jspecify.annotations.NullMarked;
