package org.namdb.memory.client;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.memory.server.RegionLayout;
import org.namdb.timestamp.TimestampVectorLayout;

/// What a compute server finds that has only the regions of all memory servers.
public sealed interface DatabaseFinding {
    /// A database.
    ///
    /// @param vector its timestamp vector
    record Found(TimestampVectorLayout vector) implements DatabaseFinding {}

    /// None yet, or none that it can use now.
    ///
    /// @param reason what is waited for
    /// @param isRecovering whether it comes by itself, however long that takes
    record NotYet(String reason, boolean isRecovering) implements DatabaseFinding {}

    /// Checks, and ensures, that the memory servers hold parts of one database. Server 0 has chosen
    /// its number; the first compute server that checks writes it to the others, and marks server 0
    /// as complete. From then on a server with another number, or none, was restarted and has lost
    /// what it held, or is that of another database.
    /// ```
    /// first          0: number, incomplete   1: 0         1 := number, then 0 := complete
    /// any later      0: number, complete     1: number    fine
    /// 1 restarted    0: number, complete     1: 0         refused
    /// 0 restarted    0: other, incomplete    1: number    refused
    /// ```
    /// Where memory servers keep the database on disks, it is not refused, but recovered soon.
    ///
    /// Two that check at once write the same. One that stops between the writes leaves it to the
    /// next.
    ///
    /// @param regions of all memory servers, by number
    /// @throws IllegalStateException if they don't belong together: waiting does not help
    static DatabaseFinding checkAndJoin(QueuePair queuePair, List<Region> regions) {
        for (Region region : regions) {
            if (word(queuePair, region, RegionLayout.MAGIC_OFFSET) != RegionLayout.MAGIC) {
                return new NotYet(
                        "memory server " + region.server() + " to format its region", false);
            }
        }
        TimestampVectorLayout vector;
        try {
            vector = DatabaseLayout.openVector(queuePair);
        } catch (IllegalStateException e) {
            return new NotYet("memory server 0 to make the database", false);
        }
        if (DatabaseLayout.isRecovering(queuePair)) {
            return new NotYet("memory server 0 to recover the database from the disks", true);
        }
        checkServers(vector, regions.size());
        int ringBytes = DatabaseLayout.imageRingBytes(queuePair);
        for (Region region : regions) {
            long reserved =
                    DatabaseLayout.reservedBytes(
                            region.server(), vector, regions.size(), ringBytes);
            checkReserved(queuePair, region, vector, reserved, ringBytes > 0);
        }
        String foreign = join(queuePair, regions);
        if (foreign == null) {
            return new Found(vector);
        }
        if (DatabaseLayout.kept(queuePair) != 0) {
            return new NotYet("memory server 0 to recover the database, as " + foreign, false);
        }
        throw new IllegalStateException(
                foreign
                        + ", and what it held is lost; restart all memory servers, for an empty database");
    }

    private static void checkServers(TimestampVectorLayout vector, int servers) {
        if (vector.servers() > servers) {
            throw new IllegalStateException(
                    "memory server 0 has a vector on %d memory servers, and there are %d: give all"
                                    .formatted(vector.servers(), servers)
                            + " the same configuration, and restart them");
        }
    }

    private static void checkReserved(
            QueuePair queuePair,
            Region region,
            TimestampVectorLayout vector,
            long reserved,
            boolean isReplicated) {
        if (word(queuePair, region, RegionLayout.MAP_OFFSET) != RegionLayout.extentMap(reserved)) {
            throw new IllegalStateException(
                    "memory server %d was started for other slots than memory server 0, which has %d,"
                                    .formatted(region.server(), vector.maxSlots())
                            + " on %d memory servers, %s replicated commits: give all the same"
                                    .formatted(vector.servers(), isReplicated ? "with" : "without")
                            + " configuration, and restart them");
        }
    }

    /// Has all memory servers hold parts of one database.
    ///
    /// @param regions of all of them, by number
    /// @return what is wrong, if one does not; null if all do
    static @Nullable String join(QueuePair queuePair, List<Region> regions) {
        Region first = regions.getFirst();
        long number = word(queuePair, first, RegionLayout.DATABASE_OFFSET);
        boolean isComplete = word(queuePair, first, RegionLayout.COMPLETE_OFFSET) != 0;
        for (Region region : regions.subList(1, regions.size())) {
            long address = RegionLayout.address(region.server(), RegionLayout.DATABASE_OFFSET);
            long found =
                    isComplete
                            ? queuePair.readWord(address)
                            : queuePair.casWord(address, 0, number);
            if (found != number && (found != 0 || isComplete)) {
                return "memory server %d does not hold a part of memory server 0's database: one of the two was restarted"
                        .formatted(region.server());
            }
        }
        if (!isComplete) {
            long address = RegionLayout.address(first.server(), RegionLayout.COMPLETE_OFFSET);
            long _ = queuePair.casWord(address, 0, 1);
        }
        return null;
    }

    private static long word(QueuePair queuePair, Region region, long offset) {
        return queuePair.readWord(RegionLayout.address(region.server(), offset));
    }
}
