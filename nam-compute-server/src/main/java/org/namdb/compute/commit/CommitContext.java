package org.namdb.compute.commit;

import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.LocalAllocator;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.hash.DueSplits;
import org.namdb.mvcc.index.IndexContext;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.timestamp.TimestampSlot;

/// What a thread needs to commit.
///
/// @param owner whose latches are taken; the same slot's
/// @param intents where the slot writes down what it locks
/// @param data memory for new records
/// @param oldVersions memory for old versions
/// @param local memory that lasts as long as a transaction
/// @param splits gets the buckets that inserts have filled
public record CommitContext(
        QueuePair queuePair,
        TimestampSlot slot,
        LatchOwner owner,
        Intents intents,
        RemoteAllocator data,
        RemoteAllocator oldVersions,
        LocalAllocator local,
        DueSplits splits) {
    /// The context for maintaining secondary indexes.
    IndexContext forIndexes() {
        return new IndexContext(queuePair, data, owner, intents);
    }
}
