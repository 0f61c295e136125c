/// Timestamps and snapshots: snapshot isolation without a global counter.
///
/// Each transaction execution thread has a slot of a vector in a memory server's region. It makes
/// its commit timestamps by itself and publishes them by one WRITE. A read timestamp is a vector;
/// the vectors in use are members of one chain, which the threads make themselves by one-sided
/// verbs, so that a snapshot holds all that its transactions have seen, and any two can be
/// compared.
///
/// The slots, their owners, and the layout ([TimestampVectorLayout]); snapshots and their chain are
/// in `snapshot`. A transaction: `SnapshotOracle.acquire`, reads that call `Snapshot.sees`,
/// [TimestampSlot#next], installs, [TimestampSlot#publish].
///
/// Glossary: *slot*, a place i in the vector; `V[i]` is the last *published* timestamp of the
/// thread that holds it. *Commit timestamp*, the pair of slot and timestamp `<i, t>`. *Snapshot* or
/// read timestamp, a vector T_R that sees `<i, t>` if `t <= T_R[i]`. *Collect*, to read all slots.
/// *Member* S_k of the *snapshot chain*, an immutable vector with a sequence number k; the *head*
/// is the newest. *Guard*, the word with the number of a buffer's member. *Announcement*, which
/// member the snapshot of the transaction in a slot dominates. *Low watermark*, a member that all
/// snapshots in use dominate. *E*, the maximum transaction time. *Strong*, of an oracle: sees every
/// commit that was published before the transaction began. *Compressed*, of a vector: one slot for
/// all threads of a compute server.
///
/// Source: NAM-DB, section 4.
@NullMarked
package org.namdb.timestamp;

import org.jspecify.annotations.NullMarked;
