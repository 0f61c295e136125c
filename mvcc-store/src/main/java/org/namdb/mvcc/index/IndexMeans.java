package org.namdb.mvcc.index;

import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;

/// What a thread needs to work on indexes.
///
/// @param allocator where new nodes and buckets come from
/// @param owner whose latches are taken
/// @param intents where the same slot writes down what it locks
public record IndexMeans(
        QueuePair queuePair, RemoteAllocator allocator, LatchOwner owner, Intents intents) {}
