package org.namdb.compute.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.disk.DiskFile;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.Request;
import org.namdb.mvcc.ring.ImageRings;
import org.namdb.simulated.SimDisk;
import org.namdb.timestamp.TimestampVectorLayout;

/// The journal of a memory server whose last writes have reached its disk in part.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TornMemoryJournalTest {
    private static final int SLOTS = 8;
    private static final int SERVERS = 2;
    private static final int RING_BYTES = 4096;
    private static final int SEGMENT_BYTES = 1 << 16;
    private static final long DATABASE = 0x77;
    private static final int CUTS = 4;
    private static final String JOURNAL = MemoryJournal.prefix(1) + JournalSegments.name(1);

    private final TimestampVectorLayout vector = DatabaseLayout.vector(SLOTS);
    private final ImageRings rings = DatabaseLayout.imageRings(SERVERS, vector, RING_BYTES);

    /// With the schema that it has, so that some take several blocks.
    private static Cut cut(int sequence) {
        byte[] catalog = Cut.catalog(List.of());
        long[] shown = new long[sequence * 100];
        return new Cut(sequence, 1, Cut.hash(catalog), shown, sequence % 2 == 1 ? catalog : null);
    }

    /// Writes cuts, each forced alone.
    ///
    /// @return the disk, without what a clean shutdown adds to a journal
    private SimDisk written() throws InterruptedException {
        SimDisk disk = new SimDisk();
        try (Arena arena = Arena.ofShared()) {
            long bytes = DatabaseLayout.reservedBytes(0, vector, SERVERS, RING_BYTES) + (1 << 16);
            long region = arena.allocate(bytes, 4096).address();
            try (MemoryJournal journal =
                    new MemoryJournal(
                            Host.MACHINE,
                            JournalOptions.in(Path.of("/nowhere"))
                                    .on(() -> disk, "disk")
                                    .withBytes(SEGMENT_BYTES, 1 << 20),
                            0,
                            SERVERS,
                            region,
                            rings,
                            SLOTS)) {
                ByteBuffer begin =
                        ByteBuffer.allocate(17)
                                .put(MemoryJournal.BEGIN)
                                .putInt(1)
                                .putInt(0)
                                .putLong(DATABASE);
                assertThat(journal.answer(begin.flip()).get()).isEqualTo(Request.DONE);
                for (int sequence = 1; sequence <= CUTS; sequence++) {
                    byte[] body = cut(sequence).encode();
                    ByteBuffer request =
                            ByteBuffer.allocate(21 + body.length)
                                    .put(MemoryJournal.CUT)
                                    .putInt(1)
                                    .putLong(sequence)
                                    .putInt(body.length)
                                    .putInt(0)
                                    .put(body);
                    assertThat(journal.answer(request.flip()).get()).isEqualTo(Request.DONE);
                    long word = region + RemoteAddress.offset(rings.forcedCut(0));
                    while (LocalMemory.longAt(word) < sequence) {
                        Thread.sleep(1);
                    }
                }
                return disk.killed();
            }
        }
    }

    private static JournalScan scan(SimDisk disk) {
        JournalScan scan = new JournalScan(1, SERVERS, 1);
        scan.add(0, new PartDisk(disk, MemoryJournal.prefix(1)), DATABASE);
        return scan;
    }

    /// What is recovered is the last cut that is whole, and never more, wherever a write has ended.
    @Test
    void theJournalIsCutAtEveryByte() throws InterruptedException {
        SimDisk disk = written();
        byte[] whole = new byte[SEGMENT_BYTES];
        try (DiskFile file = disk.open(JOURNAL)) {
            assertThat(file.read(0, ByteBuffer.wrap(whole))).isEqualTo(SEGMENT_BYTES);
        }
        int end = whole.length;
        while (whole[end - 1] == 0) {
            end--;
        }
        long before = CUTS;
        for (int cut = end; cut > 0; cut--) {
            if (whole[cut - 1] == 0) {
                continue; // as behind it
            }
            try (DiskFile file = disk.open(JOURNAL)) {
                file.write(cut - 1, ByteBuffer.wrap(new byte[1]));
            }
            JournalScan scan = scan(disk);
            Cut found = scan.end();
            long sequence = found == null ? 0 : found.sequence();
            assertThat(sequence)
                    .as("cut at %d", cut - 1)
                    .isBetween(Math.max(0, before - 1), before);
            if (found != null) {
                assertThat(found.vector()).hasSize((int) sequence * 100);
                assertThat(scan.tablesAt(found)).isEmpty();
            }
            before = sequence;
        }
        assertThat(before).isZero();
    }
}
