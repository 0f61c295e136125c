package org.namdb.mvcc.index;

import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;

/// What a thread needs to work on indexes.
///
/// @param allocator where new nodes and buckets come from
/// @param owner the owner of the latches that are taken
/// @param intents the same slot's intents
public record IndexContext(
        QueuePair queuePair, RemoteAllocator allocator, LatchOwner owner, Intents intents) {}
