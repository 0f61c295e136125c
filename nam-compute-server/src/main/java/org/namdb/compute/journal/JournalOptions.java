package org.namdb.compute.journal;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.MachineDisk;

/// Where an embedded database keeps what it must not lose, and how.
///
/// @param disk gives the data directory
/// @param place what people call that
/// @param durability what an acknowledged commit outlives
/// @param interval how long a commit waits at most to be written, or forced, if no session waits
///     for it
/// @param segmentBytes the length of the journal's files
/// @param checkpointBytes how long the journal gets before a checkpoint takes its place, if that is
///     not larger itself
/// @param progress notified of the progress of a restart
public record JournalOptions(
        Supplier<Disk> disk,
        String place,
        Durability durability,
        Duration interval,
        int segmentBytes,
        long checkpointBytes,
        RecoveryProgress progress) {
    /// What is written is a multiple of it.
    static final int MIN_SEGMENT_BYTES = 1 << 16;

    /// The length of the journal's files, unless another one is chosen.
    public static final int SEGMENT_BYTES = 16 << 20;

    private static final long CHECKPOINT_BYTES = 256L << 20;

    public JournalOptions {
        if (!interval.isPositive()) {
            throw new IllegalArgumentException("the journal's interval must be positive");
        }
        if (segmentBytes < MIN_SEGMENT_BYTES || segmentBytes % MIN_SEGMENT_BYTES != 0) {
            throw new IllegalArgumentException(
                    "the journal's segments have a multiple of 64 KiB, not " + segmentBytes);
        }
    }

    /// In a directory of this machine, forced before each acknowledgement.
    public static JournalOptions in(Path directory) {
        return new JournalOptions(
                () -> new MachineDisk(directory),
                directory.toString(),
                Durability.SYNC,
                Duration.ofMillis(10),
                SEGMENT_BYTES,
                CHECKPOINT_BYTES,
                RecoveryProgress.UNSEEN);
    }

    /// On another disk.
    public JournalOptions on(Supplier<Disk> other, String name) {
        return new JournalOptions(
                other, name, durability, interval, segmentBytes, checkpointBytes, progress);
    }

    /// With another promise.
    public JournalOptions withDurability(Durability chosen) {
        return new JournalOptions(
                disk, place, chosen, interval, segmentBytes, checkpointBytes, progress);
    }

    /// With files of another length, and another limit of all together.
    public JournalOptions withBytes(int ofSegment, long beforeCheckpoint) {
        return new JournalOptions(
                disk, place, durability, interval, ofSegment, beforeCheckpoint, progress);
    }

    /// With a listener for the progress of a restart.
    public JournalOptions withProgress(RecoveryProgress watcher) {
        return new JournalOptions(
                disk, place, durability, interval, segmentBytes, checkpointBytes, watcher);
    }
}
