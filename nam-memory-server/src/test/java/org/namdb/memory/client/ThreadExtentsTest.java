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
    private static final long REGION_BYTES = 4 << 20;

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
    void aThreadsPiecesDontOverlapAndEverythingCanBeGivenBack() {
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

    /// The newer half stays, and is what is handed out next.
    @Test
    void whatIsFreedAndNotUsedAgainGoesBack() {
        ThreadExtents extents = new ThreadExtents(client);
        long[] pieces = new long[3_000];
        for (int i = 0; i < pieces.length; i++) {
            pieces[i] = extents.allocate(0, 1_000);
        }
        for (int i = 0; i < 2_000; i++) {
            extents.free(pieces[i], 1_000);
        }
        long held = extents.heldBytes();
        extents.releaseSurplus();
        assertThat(extents.heldBytes()).as("so much may stay").isEqualTo(held);
        for (int i = 2_000; i < pieces.length; i++) {
            extents.free(pieces[i], 1_000);
        }
        long used = client.usage(0).usedBytes();
        extents.releaseSurplus();
        assertThat(held - extents.heldBytes()).isBetween(1_500L * 1_024, 1_600L * 1_024);
        assertThat(used - client.usage(0).usedBytes()).isEqualTo(held - extents.heldBytes());
        assertThat(extents.usedBytes()).isZero();
        for (int i = pieces.length - 1; i >= 2_000; i--) {
            assertThat(extents.allocate(0, 1_000)).isEqualTo(pieces[i]);
        }
    }

    @Test
    void whatAServerThatIsGoneDoesNotTakeBackIsHandedOutOnceAtMost() {
        ThreadExtents extents = new ThreadExtents(client);
        Set<Long> pieces = new HashSet<>();
        for (int i = 0; i < 3_000; i++) {
            pieces.add(extents.allocate(0, 1_000));
        }
        for (long piece : pieces) {
            extents.free(piece, 1_000);
        }
        fabric.leave(0);
        assertThatThrownBy(extents::releaseSurplus).isInstanceOf(FabricException.class);
        int again = 0;
        while (pieces.remove(extents.allocate(0, 1_000))) {
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
            // Somebody else takes the rest.
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
