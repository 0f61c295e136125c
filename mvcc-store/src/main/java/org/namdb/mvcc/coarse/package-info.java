/// Trees that lie on one memory server each, and that this server's own processor searches and
/// changes on request, concurrently with clients that work on them by one-sided verbs.
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
/// A hybrid index keeps the separators of its leaves in such a tree, as an index of its own, and
/// its leaves are changed by verbs ([org.namdb.mvcc.tree.TreeClient]). Its workers never wait for a
/// leaf:
/// - A worker reads and latches nodes of the trees that requests name, and follows addresses within
///   these alone. To it, a leaf's address is a word of an entry.
/// - So it could wait for a leaf only by way of a latch of the separators' tree, whose holder waits
///   for a leaf. It waits for no latch (the third rule); and no holder of one waits for a leaf:
///   a client that works on separators by verbs takes a leaf's latch neither before, as it does
///   that when it has none, nor meanwhile, as that is one operation of the separators' tree.
///
/// Source: tree-index paper, sections 3 (the coarse-grained index) and 5 (the hybrid one).
@NullMarked
package org.namdb.mvcc.coarse;

import org.jspecify.annotations.NullMarked;
