/// A compute server's side of the catalog: its tables and indexes, how they are opened from the
/// memory servers' catalog, and how they change while they are used: one schema change at a time,
/// alone in the whole cluster. Does not depend on sessions: they use tables behind
/// [org.namdb.compute.schema.SchemaUsers], and fill indexes behind
/// [org.namdb.compute.schema.IndexFill].
///
/// Glossary: *coordinator*, the compute server that runs a schema change; *epoch*, a word in the
/// region with the number of the last schema change; *lease*, a compute server's word in the
/// region, with the epoch that it has passed; *schema latch*, shared by a compute server's sessions
/// that run, exclusive during a schema change; *turn*, a compute server's right to change the
/// schema.
///
/// Source: NAM-DB, section 6.1 (the catalog).
@NullMarked
package org.namdb.compute.schema;

import org.jspecify.annotations.NullMarked;
