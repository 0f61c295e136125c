/// How the schema changes while compute servers use it: one definition at a time, alone in the
/// whole cluster.
///
/// Glossary: *definition*, a change of the schema; *epoch*, a word in the region that says which
/// definition is the last one; *lease*, a compute server's word in the region, by which it says
/// which epoch it has passed; *gate*, what all sessions of a compute server go through; *turn*, a
/// compute server's right to define.
@NullMarked
package org.namdb.compute.schema;

import org.jspecify.annotations.NullMarked;
