/// Ownership: the identity under which a session latches, and waits for those of others
/// ([LatchOwner]); and the list that each slot writes before it locks ([Intents]), by which others
/// find from memory alone what a dead process held.
///
/// Glossary: *dead slot*, one whose process is dead and fenced; *intent*, a slot's entry that it is
/// about to lock a record, or to change a bucket; *attempt*, the locks that a slot takes and
/// releases together, as those of one commit; *suspect*, a locked record whose lock may be that of
/// a dead session.
@NullMarked
package org.namdb.mvcc.owner;

import org.jspecify.annotations.NullMarked;
