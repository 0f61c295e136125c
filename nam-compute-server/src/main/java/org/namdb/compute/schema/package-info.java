/// The catalog's user side: the tables and indexes that a compute server knows, how they are opened
/// from the memory servers' catalog, and how they change while they are used: one definition at a
/// time, alone in the whole cluster. Knows no session: who uses tables stands behind
/// [org.namdb.compute.schema.SchemaUsers], what fills an index behind
/// [org.namdb.compute.schema.IndexFill].
///
/// Glossary: *definition*, a change of the schema; *epoch*, a word in the region that says which
/// definition is the last one; *lease*, a compute server's word in the region, by which it says
/// which epoch it has passed; *gate*, what all sessions of a compute server go through; *turn*, a
/// compute server's right to define.
///
/// Source: NAM-DB, section 6.1 (the catalog).
@NullMarked
package org.namdb.compute.schema;

import org.jspecify.annotations.NullMarked;
