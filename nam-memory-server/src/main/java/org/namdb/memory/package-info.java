/// Memory servers: they hold everything and decide little. A server registers one region, hands out *extents* of it, keeps its part
/// of the catalog, and in the background moves and collects old versions. No transaction waits for its processor.
///
/// Glossary: *extent*, a piece of a region that a server hands to one compute thread, which cuts it up itself; *catalog*, what tables and
/// indexes there are and where.  Source: NAM-DB, sections 2.1, 5.3 and 6.1.
@NullMarked
package org.namdb.memory;

import org.jspecify.annotations.NullMarked;
