/// The provider for RDMA hardware: verbs are carried out by network cards, and no processor of a
/// memory server is on a transaction's path. It stands on DiSNI's native functions.
///
/// A memory server's process listens on an address ([RdmaMemoryFabric]). A queue pair's first verb
/// to a memory server opens a reliable connection ([ReliableConnection]), whose first message names
/// its client and its region; where the region's *pieces* lie, each registered for itself, and
/// their keys, comes from the same process by a connection for such requests ([ControlConnection]).
/// Verbs are written into a [SendQueue], as the card reads them, and handed over many at a time
/// (one *doorbell*); the last of them alone is *signalled*: its completion means that those before
/// it are done.
///
/// Glossary: *NIC*, the card ([Nic]). *Piece*, a part of a region that is registered by itself, as
/// one registration holds less than 2 GiB. *Fence flag* of a verb: it waits for the READs and the
/// atomics posted before it.
@NullMarked
package org.namdb.fabric.rdma;

import org.jspecify.annotations.NullMarked;
