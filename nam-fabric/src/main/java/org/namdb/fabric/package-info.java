/// Verbs on remote memory: how compute servers reach what memory servers hold.
///
/// A *memory server* registers a [Region], by [MemoryFabric]. A thread of a compute server opens a
/// [QueuePair], by [ComputeFabric], and posts verbs on it: one-sided READ, WRITE, compare-and-swap
/// (CAS) and fetch-and-add (FAA) on a [RemoteAddress], two-sided SEND and RECEIVE for the few
/// remote procedure calls. Verbs are *posted, then awaited*: one [QueuePair#await()] is one
/// *round trip*, however many verbs were posted before it.
///
/// Glossary: *view*, where the bytes of a READ can be found after the await: the region itself
/// where it is mapped in this process, a *landing buffer* elsewhere. *Region key*, what a peer
/// needs to reach a region (rkey).
///
/// Source: NAM-DB, section 2.
@NullMarked
package org.namdb.fabric;

import org.jspecify.annotations.NullMarked;
