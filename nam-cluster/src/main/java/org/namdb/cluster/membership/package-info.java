/// Who is in a cluster: every compute server holds a *lease*, which ends when it has been silent
/// for too long. Memory servers hold none: what they have, nobody else can take over.
///
/// A lease that has ended says only that its holder may be dead. It may also be alive, and late: so
/// whoever acts on it fences it at the memory servers first, and nothing here is ever relied upon
/// for what is in memory.
///
/// Source: NAM-DB, section 6.2, has each compute server monitored by another one; that ZooKeeper
/// says who is in the cluster is this project's.
@NullMarked
package org.namdb.cluster.membership;

import org.jspecify.annotations.NullMarked;
