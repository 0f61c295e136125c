/// Memory servers: they hold everything and decide little. A server registers one region, hands out
/// *extents* of it, and keeps its part of the catalog. Old versions are moved and collected by
/// verbs, which background maintenance of compute servers posts. No transaction waits for its
/// processor.
///
/// Glossary: *extent*, a piece of a region that a server hands to one compute thread, which cuts it
/// up itself; *catalog*, what tables and indexes there are and where; *request*, one of the few
/// operations that a memory server's processor does for a compute server; *maintenance*, background
/// maintenance on old versions. Source: NAM-DB, sections 2.1, 5.3 and 6.1.
@NullMarked
package org.namdb.memory.server;

import org.jspecify.annotations.NullMarked;
