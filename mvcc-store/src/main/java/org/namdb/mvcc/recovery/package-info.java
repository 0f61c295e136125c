/// Recovery of dead sessions: releases and undoes what they held, from memory alone, while others
/// go on.
///
/// Glossary: *dead slot*, one whose holder has died and is fenced, so that none of its verbs takes
/// effect any more; *suspect*, a locked record whose lock may be a dead slot's; *undo*, a commit of
/// the dead slot itself that restores the versions which its last one has replaced.
///
/// Source: NAM-DB, section 6.2 (a monitoring compute server releases abandoned locks).
@NullMarked
package org.namdb.mvcc.recovery;

import org.jspecify.annotations.NullMarked;
