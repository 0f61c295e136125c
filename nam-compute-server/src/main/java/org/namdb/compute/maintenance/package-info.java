/// What a compute server does in addition to its transactions: it collects their garbage, maintains
/// the memory servers' records where it leads, and recovers dead sessions.
///
/// Glossary: *maintenance*, collecting versions and index entries that no snapshot needs, moving
/// old versions, and freeing memory; *idle*, said of a session that runs nothing, which another
/// thread may maintain; *failed*, said of a session that can't be used again; *dead*, said of one
/// that is fenced as well, so that others may recover it.
///
/// Source: NAM-DB, sections 5.1 (version mover), 5.3 (garbage collection) and 6.2 (locks that a
/// failed compute server has left); what is left is found in [org.namdb.mvcc.owner.Intents], not in
/// a log.
@NullMarked
package org.namdb.compute.maintenance;

import org.jspecify.annotations.NullMarked;
