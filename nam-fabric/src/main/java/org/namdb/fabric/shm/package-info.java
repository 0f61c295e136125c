/// The fabric for memory that is mapped in this process: verbs are loads, stores and the
/// processor's atomics. A region may be a file, which other processes of the machine map, too; its
/// own server sends them its path, and which of them may keep using it ([org.namdb.fabric.tcp]).
///
/// Atomicity domain: all verbs on a region, its own server's too, are the same processor's
/// instructions, so they are atomic among each other. Ordering: a WRITE of a word is a release
/// store, a larger WRITE is fenced on both sides, and an await that follows a WRITE is a full
/// fence, so that verbs of one queue pair take effect in issue order, as on a reliable connection.
@NullMarked
package org.namdb.fabric.shm;

import org.jspecify.annotations.NullMarked;
