/// A fabric that exists in virtual time only: whole clusters, on one thread, from one seed; and
/// disks in memory that lose in a crash what real ones may lose.
///
/// - *simulation*: virtual time, and what is to happen at which of its moments. Everything that
///   runs does so one after the other.
/// - *host*: a process of the cluster. Its threads are virtual ones that run on the simulation's
///   only carrier; it can be paused, and it can crash.
/// - *cluster model*: how long things take on the hardware that is simulated.
/// - *fault plan*: what goes wrong, and how often.
/// - *trace*: everything that happened, in order. The same seed gives the same trace.
///
/// The engine's code is the same as everywhere: it waits in `QueuePair.await`, and its thread is
/// put aside until the verbs' time has come. This needs the JVM option
/// `--add-opens java.base/java.lang=ALL-UNNAMED` (see [SimThreads]).
@NullMarked
package org.namdb.simulated;

import org.jspecify.annotations.NullMarked;
