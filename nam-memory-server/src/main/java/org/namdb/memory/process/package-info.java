/// A memory server as a process: what it does from its configuration to its first request, and at
/// its end.
@NullMarked
package org.namdb.memory.process;

import org.jspecify.annotations.NullMarked;
