/// Releasing and undoing what dead sessions held, from the memory alone, while others go on.
///
/// Glossary: *dead slot*, one whose holder has died and is fenced, so that none of its verbs takes
/// effect any more; *suspect*, a locked record whose lock may be a dead slot's; *undo*, a commit
/// of the dead slot itself that brings the versions back which its last one has replaced.
///
/// Source: NAM-DB, section 6.2 (a monitoring compute server cleans up).
@NullMarked
package org.namdb.mvcc.cleanup;

import org.jspecify.annotations.NullMarked;
