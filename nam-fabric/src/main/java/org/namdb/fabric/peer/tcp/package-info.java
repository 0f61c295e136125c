/// Peers over TCP: compute servers that are other processes, on this machine or on others. Each
/// process listens, and connects to a peer when it has the first request for it: requests go one
/// way over that connection, and their answers the other way.
@NullMarked
package org.namdb.fabric.peer.tcp;

import org.jspecify.annotations.NullMarked;
