/// The memory of a compute server's cache: frames, each with a copy of a line, and the table that
/// finds them. What may be done with a copy is the protocol's business, not decided here.
@NullMarked
package org.namdb.cache.frame;

import org.jspecify.annotations.NullMarked;
