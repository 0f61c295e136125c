/// Membership of a cluster: every compute server holds a *lease*, which ends when it has been
/// silent for too long. Memory servers hold none: no other server can take over what they have.
///
/// A lease that has ended means only that its holder may be dead. It may also be alive, and late:
/// so a recovery first fences it at the memory servers, and no change of memory ever relies on
/// leases alone.
///
/// Source: NAM-DB, section 6.2, has each compute server monitored by another one; membership by
/// ZooKeeper is this project's.
@NullMarked
package org.namdb.cluster.membership;

import org.jspecify.annotations.NullMarked;
