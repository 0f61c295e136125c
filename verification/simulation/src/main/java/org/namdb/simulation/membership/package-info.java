/// Leases in virtual time, for simulated clusters.
///
/// - *ensemble*: the service that grants leases, as one process: it has a clock of its own, which
///   goes faster or slower than those of the members, and may jump.
/// - *to beat*: to send the ensemble a heartbeat. A member that stands still, or can't reach it,
///   doesn't, and loses the lease; and may go on until it finds out.
@NullMarked
package org.namdb.simulation.membership;

import org.jspecify.annotations.NullMarked;
