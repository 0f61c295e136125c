/// The memory of a compute server's cache: frames, each with a copy of a line, and the table that
/// finds them. The protocol, not this package, decides what may be done with a copy.
@NullMarked
package org.namdb.cache.frame;

import org.jspecify.annotations.NullMarked;
