/// A compute server thread's requests to memory servers, for extents and the catalog, and its
/// allocator, which cuts extents into pieces.
///
/// Glossary: *piece*, what an extent is cut into; *pool*, the free pieces of one size that a thread
/// holds for itself. Source: NAM-DB, section 5.3.
@NullMarked
package org.namdb.memory.client;

import org.jspecify.annotations.NullMarked;
