package org.namdb.memory.client;

import java.time.Duration;
import java.util.List;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.memory.server.RegionLayout;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.ring.ImageRings;
import org.namdb.timestamp.TimestampVectorLayout;

/// Where the fixed structures of a database lie: the timestamp vector behind the head of server 0's
/// region, its other parts behind those of the servers that follow, if it is partitioned; the
/// intents of all slots behind that, or behind the heads of all others; and behind those the image
/// rings, if commits are replicated.
public final class DatabaseLayout {
    private static final long FIRST = RegionLayout.address(0, RegionLayout.HEAD_BYTES);

    private static final long RING_BYTES =
            RegionLayout.address(0, RegionLayout.IMAGE_RING_BYTES_OFFSET);

    private static final long KEPT = RegionLayout.address(0, RegionLayout.KEPT_OFFSET);
    private static final long RECOVERING = RegionLayout.address(0, RegionLayout.RECOVERING_OFFSET);

    private DatabaseLayout() {}

    /// What memory server `server` keeps for a database of so many slots, all on server 0.
    public static long reservedBytes(int server, int slots) {
        return reservedBytes(server, vector(slots));
    }

    /// What memory server `server` keeps for a database with this vector.
    public static long reservedBytes(int server, TimestampVectorLayout vector) {
        return vector.bytesOn(server) + IntentLayout.bytes(vector.maxSlots());
    }

    /// What memory server `server` keeps for a database with this vector.
    ///
    /// @param servers how many memory servers there are
    /// @param ringBytes the bytes of each image ring; 0 if there are none
    public static long reservedBytes(
            int server, TimestampVectorLayout vector, int servers, int ringBytes) {
        int slots = vector.maxSlots();
        long rings =
                ringBytes == 0
                        ? 0
                        : ImageRings.bytes(slots, servers, ringBytes)
                                + ImageRings.controlBytes(slots, servers);
        return reservedBytes(server, vector) + rings;
    }

    /// The timestamp vector on server 0, by the number of slots.
    public static TimestampVectorLayout vector(int slots) {
        return vector(slots, 1);
    }

    /// The timestamp vector, by the number of slots and of the servers that they lie on.
    public static TimestampVectorLayout vector(int slots, int servers) {
        return new TimestampVectorLayout(FIRST, slots, servers);
    }

    /// Makes an empty database of memory servers that have just been started, each with
    /// [#reservedBytes] for it. Its vector is not partitioned.
    ///
    /// @param slots how many sessions there can be at once, those of the compute servers' own
    ///     included
    /// @param maxTransactionTime the paper's E, which collectors and readers of old versions must
    ///     agree on
    public static void format(
            ComputeFabric fabric, List<Region> regions, int slots, Duration maxTransactionTime) {
        try (QueuePair queuePair = fabric.connect(regions)) {
            vector(slots).format(queuePair, maxTransactionTime.toNanos());
        }
    }

    /// The timestamp vector, as it was formatted.
    ///
    /// @throws IllegalStateException if there is none
    public static TimestampVectorLayout openVector(QueuePair queuePair) {
        return TimestampVectorLayout.open(queuePair, FIRST);
    }

    /// Where the slots' intents lie.
    public static IntentLayout intents(int servers, TimestampVectorLayout vector) {
        long[] addresses = new long[servers];
        for (int server = 0; server < servers; server++) {
            long offset = RegionLayout.HEAD_BYTES + vector.bytesOn(server);
            addresses[server] = RegionLayout.address(server, offset);
        }
        return new IntentLayout(addresses);
    }

    /// Where the slots' image rings lie.
    ///
    /// @param ringBytes the bytes of each
    public static ImageRings imageRings(int servers, TimestampVectorLayout vector, int ringBytes) {
        long[] addresses = new long[servers];
        for (int server = 0; server < servers; server++) {
            long offset = RegionLayout.HEAD_BYTES + reservedBytes(server, vector);
            addresses[server] = RegionLayout.address(server, offset);
        }
        return new ImageRings(vector.maxSlots(), ringBytes, addresses);
    }

    /// Records that there are image rings, in memory that holds nothing but zeroes; before the
    /// vector is formatted, by which a compute server finds the database.
    ///
    /// @param ringBytes the bytes of each
    public static void formatImageRings(QueuePair queuePair, int ringBytes) {
        queuePair.writeWord(RING_BYTES, ringBytes);
        queuePair.await();
    }

    /// Whether memory servers write images to disks: a word of [RegionLayout#KEPT_OFFSET].
    public static long kept(QueuePair queuePair) {
        return queuePair.readWord(KEPT);
    }

    /// Records that they do, before the vector is formatted.
    public static void formatKept(QueuePair queuePair, long kept, boolean isRecovering) {
        queuePair.writeWord(RECOVERING, isRecovering ? 1 : 0);
        queuePair.writeWord(KEPT, kept);
        queuePair.await();
    }

    /// Whether what is on the memory servers' disks is not all there yet.
    public static boolean isRecovering(QueuePair queuePair) {
        return queuePair.readWord(RECOVERING) != 0;
    }

    /// Records that it is.
    public static void recovered(QueuePair queuePair) {
        queuePair.writeWord(RECOVERING, 0);
        queuePair.await();
    }

    /// The bytes of each image ring of a database that was formatted; 0 if there are none.
    public static int imageRingBytes(QueuePair queuePair) {
        return (int) queuePair.readWord(RING_BYTES);
    }
}
