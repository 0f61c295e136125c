package org.namdb.compute.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Host;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.ForwardingDisk;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.Request;
import org.namdb.mvcc.ring.ImageRings;
import org.namdb.simulated.SimDisk;
import org.namdb.timestamp.TimestampVectorLayout;

/// A memory server removes a generation that is no longer needed, and may die at any step: what is
/// left of the generation is a journal without its end, never one with a gap.
class DroppedGenerationTest {
    private static final int SLOTS = 8;
    private static final int SERVERS = 2;
    private static final int RING_BYTES = 4096;
    private static final long DATABASE = 0x77;
    private static final int SEGMENTS = 12; // so that their names have one digit, and two

    private final TimestampVectorLayout vector = DatabaseLayout.vector(SLOTS);
    private final ImageRings rings = DatabaseLayout.imageRings(SERVERS, vector, RING_BYTES);

    /// A disk that lists its journal's segments at each change of names.
    private static final class Observed extends ForwardingDisk {
        private final List<List<String>> states;

        private Observed(SimDisk disk, List<List<String>> states) {
            super(disk);
            this.states = states;
        }

        @Override
        public void remove(String name) {
            actual.remove(name);
            states.add(segments(actual));
        }

        @Override
        public void forceNames() {
            actual.forceNames();
            states.add(List.of("forced"));
        }
    }

    private static List<String> segments(Disk disk) {
        return disk.list().stream()
                .filter(name -> name.startsWith(MemoryJournal.prefix(1)))
                .toList();
    }

    private void answered(Disk disk, ByteBuffer request) {
        try (Arena arena = Arena.ofShared()) {
            long bytes = DatabaseLayout.reservedBytes(0, vector, SERVERS, RING_BYTES) + (1 << 16);
            long region = arena.allocate(bytes, 4096).address();
            JournalOptions options =
                    JournalOptions.in(Path.of("/nowhere"))
                            .on(() -> disk, "disk")
                            .withBytes(1 << 16, 1 << 20);
            try (MemoryJournal journal =
                    new MemoryJournal(Host.MACHINE, options, 0, SERVERS, region, rings, SLOTS)) {
                assertThat(journal.answer(request.flip()).get()).isEqualTo(Request.DONE);
            }
        }
    }

    @Test
    void theLastSegmentsAreRemovedFirst() {
        SimDisk disk = new SimDisk();
        answered(
                disk,
                ByteBuffer.allocate(17)
                        .put(MemoryJournal.BEGIN)
                        .putInt(1)
                        .putInt(0)
                        .putLong(DATABASE));
        for (int number = 1; number <= SEGMENTS; number++) {
            disk.open(MemoryJournal.prefix(1) + JournalSegments.name(number)).close();
        }
        List<String> whole = segments(disk);
        assertThat(whole).hasSizeGreaterThanOrEqualTo(SEGMENTS);
        List<List<String>> states = new ArrayList<>();
        answered(
                new Observed(disk, states),
                ByteBuffer.allocate(5).put(MemoryJournal.DROP).putInt(2));
        List<List<String>> expected = new ArrayList<>();
        for (int left = whole.size() - 1; left >= 0; left--) {
            expected.add(whole.subList(0, left));
        }
        expected.add(List.of("forced"));
        assertThat(states).isEqualTo(expected);
    }
}
