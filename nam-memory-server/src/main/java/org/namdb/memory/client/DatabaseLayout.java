package org.namdb.memory.client;

import org.namdb.fabric.QueuePair;
import org.namdb.memory.server.RegionLayout;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.timestamp.TimestampVectorLayout;

/// Where the fixed structures of a database lie: the timestamp vector behind the head of server 0's
/// region, the intents of all slots behind that, and behind the heads of all others.
public final class DatabaseLayout {
    private static final long FIRST = RegionLayout.address(0, RegionLayout.HEAD_BYTES);

    private DatabaseLayout() {}

    /// What memory server `server` keeps for a database of so many slots.
    public static long reservedBytes(int server, int slots) {
        return vectorBytes(server, slots) + IntentLayout.bytes(slots);
    }

    private static long vectorBytes(int server, int slots) {
        return server == 0 ? TimestampVectorLayout.bytes(slots) : 0;
    }

    /// The timestamp vector, by the number of slots.
    public static TimestampVectorLayout vector(int slots) {
        return new TimestampVectorLayout(FIRST, slots);
    }

    /// The timestamp vector, as it was formatted.
    ///
    /// @throws IllegalStateException if there is none
    public static TimestampVectorLayout openVector(QueuePair queuePair) {
        return TimestampVectorLayout.open(queuePair, FIRST);
    }

    /// Where the slots' intents lie.
    public static IntentLayout intents(int servers, int slots) {
        long[] addresses = new long[servers];
        for (int server = 0; server < servers; server++) {
            long offset = RegionLayout.HEAD_BYTES + vectorBytes(server, slots);
            addresses[server] = RegionLayout.address(server, offset);
        }
        return new IntentLayout(addresses);
    }
}
