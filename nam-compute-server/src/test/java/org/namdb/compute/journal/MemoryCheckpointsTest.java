package org.namdb.compute.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.compute.commit.JournalFullException;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.memory.server.Request;
import org.namdb.simulated.SimDisk;
import org.namdb.timestamp.CommitTimestamp;

/// A memory server's journal, and which of its beginning a checkpoint replaces.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MemoryCheckpointsTest {
    private static final int SEGMENT_BYTES = 1 << 16;
    private static final int IMAGE_BYTES = 8 << 10;
    private static final int LIMIT = 200_000;
    private static final String FILE = CheckpointFile.name(1);

    private final SimDisk disk = new SimDisk();
    private final JournalOptions options =
            JournalOptions.in(Path.of("/nowhere"))
                    .on(() -> disk, "disk")
                    .withBytes(SEGMENT_BYTES, LIMIT);
    private final DiskJournal journal = new DiskJournal(Host.MACHINE, disk, options, 1, 1);
    private final Arena arena = Arena.ofShared();
    private final long memory = arena.allocate(IMAGE_BYTES, 8).address();
    private final MemoryCheckpoints checkpoints =
            new MemoryCheckpoints(Host.MACHINE, disk, journal, options, 4, memory);

    @BeforeEach
    void start() {
        journal.start(null);
    }

    @AfterEach
    void end() {
        checkpoints.close();
        journal.close();
        arena.close();
    }

    private void append(int slot, long timestamp) throws JournalFullException {
        journal.reserve(IMAGE_BYTES);
        long end = journal.append(JournalEntry.Kind.COMMIT, memory, IMAGE_BYTES);
        checkpoints.spilled(CommitTimestamp.of(slot, timestamp), end);
        journal.force();
    }

    /// The journal makes another one at its end whenever it has come to it.
    private int firstSegment() {
        return disk.list().stream()
                .mapToInt(JournalSegments::number)
                .filter(number -> number > 0)
                .min()
                .orElseThrow();
    }

    /// An image that the snapshot does not show keeps its segment, and all that follow.
    @Test
    void segmentsOfImagesThatASnapshotShowsAreReplaced() {
        for (int i = 1; i <= 10; i++) {
            append(0, i);
        }
        append(3, 7);
        for (int i = 11; i <= 40; i++) {
            append(0, i);
        }
        assertThat(checkpoints.neededFrom(new long[] {0, 0, 0, 0})).isEqualTo(1);
        assertThat(checkpoints.neededFrom(new long[] {5, 0, 0, 7})).isEqualTo(1);
        assertThat(checkpoints.neededFrom(new long[] {40})).isEqualTo(2);
        assertThat(checkpoints.neededFrom(new long[] {40, 0, 0, 6})).isEqualTo(2);
        assertThat(checkpoints.neededFrom(new long[] {20, 0, 0, 7})).isBetween(2, 4);
        int first = checkpoints.neededFrom(new long[] {40, 0, 0, 7});
        assertThat(first).isBetween(5, 9);
        assertThat(firstSegment()).isEqualTo(1);
        assertThat(checkpoints.dropBefore(0, first)).isEqualTo(Request.DONE);
        assertThat(firstSegment()).isEqualTo(first);
        assertThat(checkpoints.neededFrom(new long[] {40, 0, 0, 7})).isEqualTo(first);
    }

    @Test
    void oneComputeServerAtATimeWritesACheckpoint() {
        append(0, 1);
        assertThat(checkpoints.begin()).as("the journal is short").isZero();
        for (int i = 2; i <= 40; i++) {
            append(0, i);
        }
        assertThat(checkpoints.begin()).isEqualTo(1);
        assertThat(LocalMemory.longAt(memory)).isEqualTo(1);
        assertThat(checkpoints.begin()).as("another one writes it").isZero();
        ByteBuffer bytes = ByteBuffer.wrap(new byte[5]);
        assertThat(checkpoints.write(2, FILE, 0, bytes)).isEqualTo(Request.NOTHING);
        assertThat(checkpoints.write(1, "namdb", 0, bytes)).isEqualTo(Request.NOTHING);
        assertThat(checkpoints.write(1, FILE, 0, bytes)).isEqualTo(Request.DONE);
        assertThat(disk.list()).contains(FILE);
        assertThat(checkpoints.remove(1, FILE)).isEqualTo(Request.DONE);
        assertThat(disk.list()).doesNotContain(FILE);
        assertThat(checkpoints.begin()).isEqualTo(2);
        assertThat(checkpoints.dropBefore(1, 2)).as("given up").isEqualTo(Request.NOTHING);
        try (CheckpointFile.Writer writer =
                new CheckpointFile.Writer(disk, new CheckpointFile.Head(1, 0, 1))) {
            writer.needed(new int[] {2});
            long _ = writer.complete();
        }
        assertThat(checkpoints.dropBefore(2, 2)).isEqualTo(Request.DONE);
        assertThat(checkpoints.begin()).as("it is replaced").isZero();
        assertThat(CheckpointFile.all(disk)).isEqualTo(List.of(1));
    }

    /// A compute server that was silent writes no more of one when another one has begun the next.
    @Test
    void theSecondCopyIsThatOfTheLastNumber() {
        ByteBuffer bytes = ByteBuffer.wrap(new byte[5]);
        assertThat(checkpoints.write(3, FILE, 0, bytes)).isEqualTo(Request.NOTHING);
        assertThat(checkpoints.begin(3)).isEqualTo(Request.DONE);
        assertThat(checkpoints.write(3, FILE, 0, bytes)).isEqualTo(Request.DONE);
        assertThat(checkpoints.begin(5)).isEqualTo(Request.DONE);
        assertThat(disk.list()).doesNotContain(FILE);
        assertThat(checkpoints.begin(4)).isEqualTo(Request.NOTHING);
        assertThat(checkpoints.write(3, FILE, 0, bytes)).isEqualTo(Request.NOTHING);
        assertThat(checkpoints.write(5, FILE, 0, bytes)).isEqualTo(Request.DONE);
        assertThat(checkpoints.dropBefore(3, 1)).isEqualTo(Request.NOTHING);
        assertThat(checkpoints.dropBefore(5, 1)).isEqualTo(Request.DONE);
    }
}
