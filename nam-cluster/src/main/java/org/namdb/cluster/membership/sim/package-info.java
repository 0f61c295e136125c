/// Leases in virtual time, for simulated clusters.
///
/// - *ensemble*: those who hold the leases, as one: it judges by a clock of its own, which goes
///   faster or slower than those of the members, and may jump.
/// - *to beat*: to tell the ensemble that one is alive. Whoever stands still, or can't reach it,
///   doesn't, and loses the lease; and may go on for as long as it doesn't learn that.
@NullMarked
package org.namdb.cluster.membership.sim;

import org.jspecify.annotations.NullMarked;
