/// Trees that lie on one memory server each, and that this server's own processor searches and
/// changes on request, beside clients that work on them by one-sided verbs.
///
/// A memory server's process has [workers][org.namdb.mvcc.coarse.TreeWorker]. A worker is one more
/// client of the B-link tree, on a queue pair whose verbs are the processor's loads, stores and
/// atomics; so there is one tree and one protocol, and conflicts are settled by the latches of
/// nodes. A [batch][org.namdb.mvcc.coarse.RequestBatch] has many operations done by one request to
/// each server, in one round trip.
///
/// Three rules keep this safe:
/// - A worker latches as its client's slot. If the client's process dies, its latches are found and
///   repaired as if it had taken them by verbs.
/// - A fence is confirmed when no worker handles a request of the fenced process any more. So what
///   is found then stays so.
/// - A worker waits for no latch. It answers `BUSY` after a few polls, and the client does that
///   operation by verbs, and waits as it always does. So no request waits for a client, and clients
///   whose requests wait in a server's queue wait for workers alone.
///
/// Source: tree-index paper, section 3 (the coarse-grained index).
@NullMarked
package org.namdb.mvcc.coarse;

import org.jspecify.annotations.NullMarked;
