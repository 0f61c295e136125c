/// The fabric for memory servers in other processes, over TCP: verbs as frames, which an agent in
/// the memory server's process does in its network card's place.
///
/// *Agent*: the thread that does the verbs of all clients. *Link*: the connection of a compute
/// server to an agent, shared by its queue pairs. *VerbStream*: a queue pair's part of a link.
/// *Mapping*: a region of a memory server on the same machine, which verbs go to without a frame.
///
/// Connections may be encrypted ([org.namdb.fabric.tls]); only a [Connection] depends on it.
///
/// Atomicity domain: an agent's loads, stores and atomics are the processor's, as are those of
/// processes that have mapped the region. Ordering: the verbs of a queue pair to the memory servers
/// of one agent are done in the order in which they were posted.
@NullMarked
package org.namdb.fabric.tcp;

import org.jspecify.annotations.NullMarked;
