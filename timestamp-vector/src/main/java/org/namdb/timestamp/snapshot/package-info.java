/// Snapshots: the read timestamps of transactions, made of the slots of the timestamp vector.
///
/// [SnapshotOracle] is where a session gets them: the [SnapshotChain], with its proof, a
/// [SharedChain], or a plain [DirectRead]. The [LowWatermark] shows what no snapshot can need any
/// more. The words of all that are described beside the vector, in
/// [org.namdb.timestamp.TimestampVectorLayout]; the glossary is that of `org.namdb.timestamp`.
///
/// Source: NAM-DB, section 4.
@NullMarked
package org.namdb.timestamp.snapshot;

import org.jspecify.annotations.NullMarked;
