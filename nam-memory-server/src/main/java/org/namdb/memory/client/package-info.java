/// What a compute server's thread asks memory servers for, and how it keeps house with what it
/// gets: requests for extents and the catalog, and the pieces that it cuts extents into.
///
/// Glossary: *piece*, what an extent is cut into; *pool*, the free pieces of one size that a thread
/// holds for itself. Source: NAM-DB, section 5.3.
@NullMarked
package org.namdb.memory.client;

import org.jspecify.annotations.NullMarked;
