package org.namdb.memory.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.MemoryFullException;

class ThreadExtentsTest {
    private static final long REGION_BYTES = 64 << 20;
    private static final int PIECE_BYTES = 8_000;

    private ShmFabric fabric;
    private MemoryServer server;
    private QueuePair queuePair;
    private MemoryClient client;

    @BeforeEach
    void open() {
        fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
        server = new MemoryServer(fabric, 0, REGION_BYTES, 0);
        queuePair = fabric.connect(List.of(server.region()));
        client = new MemoryClient(queuePair, 1);
    }

    @AfterEach
    void close() {
        queuePair.close();
        server.close();
        fabric.close();
    }

    @Test
    void aThreadsPiecesDontOverlapAndEverythingCanBeFreed() {
        ThreadExtents extents = new ThreadExtents(client);
        SplittableRandom random = new SplittableRandom(Seeds.next());
        long before = client.usage(0).usedBytes();
        Set<Long> taken = new HashSet<>();
        long[][] live = new long[50][2];
        for (int i = 0; i < 5000; i++) {
            int place = random.nextInt(live.length);
            if (live[place][1] != 0) {
                extents.free(live[place][0], (int) live[place][1]);
                release(taken, live[place]);
            }
            int bytes = 1 + random.nextInt(3000);
            long address = extents.allocate(0, bytes);
            live[place] = new long[] {address, bytes};
            for (long line = 0; line < bytes; line += 64) {
                assertThat(taken.add(address + line)).as("taken once").isTrue();
            }
        }
        for (long[] piece : live) {
            if (piece[1] != 0) {
                extents.free(piece[0], (int) piece[1]);
            }
        }
        assertThat(extents.usedBytes()).isZero();
        extents.releaseUnused();
        assertThat(client.usage(0).usedBytes()).isEqualTo(before);
    }

    private static void release(Set<Long> taken, long[] piece) {
        for (long line = 0; line < piece[1]; line += 64) {
            taken.remove(piece[0] + line);
        }
    }

    private static long[] allocate(ThreadExtents extents, int count) {
        long[] pieces = new long[count];
        for (int i = 0; i < count; i++) {
            pieces[i] = extents.allocate(0, PIECE_BYTES);
        }
        return pieces;
    }

    private static void free(ThreadExtents extents, long[] pieces, int from, int to) {
        for (int i = from; i < to; i++) {
            extents.free(pieces[i], PIECE_BYTES);
        }
    }

    /// The newer half stays, and is what is handed out next.
    @Test
    void unusedPiecesAreReturnedToTheServer() {
        ThreadExtents extents = new ThreadExtents(client);
        long[] pieces = allocate(extents, 3_000);
        free(extents, pieces, 0, 2_000);
        long held = extents.heldBytes();
        extents.releaseSurplus();
        assertThat(extents.heldBytes()).as("so much may stay").isEqualTo(held);
        free(extents, pieces, 2_000, 3_000);
        long used = client.usage(0).usedBytes();
        extents.releaseSurplus();
        assertThat(held - extents.heldBytes()).isBetween(1_500L * 8_000, 1_600L * 8_000);
        assertThat(used - client.usage(0).usedBytes()).isEqualTo(held - extents.heldBytes());
        assertThat(extents.usedBytes()).isZero();
        for (int i = pieces.length - 1; i >= 2_000; i--) {
            assertThat(extents.allocate(0, PIECE_BYTES)).isEqualTo(pieces[i]);
        }
    }

    /// A thread that reuses some of what it has, again and again, does not need the remainder.
    @Test
    void surplusPiecesAreReturnedToTheServer() {
        ThreadExtents extents = new ThreadExtents(client);
        long[] pieces = allocate(extents, 1_200);
        free(extents, pieces, 0, 1_200);
        extents.releaseSurplus();
        long held = extents.heldBytes();
        for (int turn = 0; turn < 20; turn++) {
            free(extents, allocate(extents, 100), 0, 100);
            extents.releaseSurplus();
        }
        assertThat(held - extents.heldBytes()).isBetween(500L * 8_000, 1_000L * 8_000);
    }

    /// It needs all that it has, but not all the time.
    @Test
    void reusedPiecesStay() {
        ThreadExtents extents = new ThreadExtents(client);
        for (int turn = 0; turn < 20; turn++) {
            long held = extents.heldBytes();
            long[] pieces = allocate(extents, 1_200);
            if (turn > 0) {
                assertThat(extents.heldBytes()).isEqualTo(held);
            }
            free(extents, pieces, 0, 1_200);
            extents.releaseSurplus();
        }
    }

    @Test
    void whatCannotBeFreedOnALostServerIsAllocatedOnceAtMost() {
        ThreadExtents extents = new ThreadExtents(client);
        Set<Long> pieces = new HashSet<>();
        for (int i = 0; i < 3_000; i++) {
            pieces.add(extents.allocate(0, PIECE_BYTES));
        }
        for (long piece : pieces) {
            extents.free(piece, PIECE_BYTES);
        }
        fabric.leave(0);
        assertThatThrownBy(extents::releaseSurplus).isInstanceOf(FabricException.class);
        int again = 0;
        while (pieces.remove(extents.allocate(0, PIECE_BYTES))) {
            again++;
            if (again == 1_000) {
                return;
            }
        }
        throw new AssertionError("a piece is handed out twice");
    }

    @Test
    void whatIsReservedCanBeAllocated() {
        ThreadExtents extents = new ThreadExtents(client);
        extents.reserve(0, 100_000);
        while (!RemoteAddress.isNull(client.allocate(0, 64))) {
            // Another session takes what is left.
        }
        for (int i = 0; i < 100; i++) {
            assertThat(extents.allocate(0, 960)).isNotEqualTo(RemoteAddress.NULL);
        }
        assertThatThrownBy(
                        () -> {
                            for (int i = 0; i < 2000; i++) {
                                extents.allocate(0, 960);
                            }
                        })
                .isInstanceOf(MemoryFullException.class)
                .hasMessageContaining("memory server 0 is full");
    }
}
