/// Snapshots: the read timestamps of transactions, made of what the slots of the timestamp vector
/// say.
///
/// [SnapshotOracle] is where a session gets them: the [SnapshotChain], with its proof, a
/// [SharedChain], or a plain [DirectRead]. What no snapshot can need any more, the [LowWatermark]
/// tells. The words of all that are described beside the vector, in
/// [org.namdb.timestamp.TimestampVectorLayout]; the glossary is that of `org.namdb.timestamp`.
///
/// Source: NAM-DB, section 4.
@NullMarked
package org.namdb.timestamp.snapshot;

import org.jspecify.annotations.NullMarked;
