/// What a compute server does beside its transactions: it takes away what they have left behind,
/// does the memory servers' upkeep where it leads, and cleans up after sessions that are dead.
///
/// Glossary: *upkeep*, taking away versions and index entries that no snapshot needs, moving old
/// versions, and giving memory back; *at rest*, said of a session that runs nothing, whose upkeep
/// another thread may do; *broken*, said of a session that can't be used again; *dead*, said of one
/// that is fenced as well, so that others may clean up after it.
///
/// Source: NAM-DB, sections 5.1 (version mover), 5.3 (garbage collection) and 6.2 (locks that a
/// failed compute server has left); what is left is found in [org.namdb.mvcc.owner.Intents], not in
/// a log.
@NullMarked
package org.namdb.compute.upkeep;

import org.jspecify.annotations.NullMarked;
