package org.namdb.memory.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.client.ThreadExtents;
import org.namdb.mvcc.coarse.RequestBatch;
import org.namdb.mvcc.coarse.TreeRequest.Operation;
import org.namdb.mvcc.coarse.TreeRequest.Outcome;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.tree.BLinkTree;
import org.namdb.mvcc.tree.NodeLayout;

class MemoryServerTest {
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
    void theHeadSaysWhatTheRegionIs() {
        long view = queuePair.read(RegionLayout.address(0, 0), 32);
        queuePair.await();
        assertThat(LocalMemory.longAt(view + RegionLayout.MAGIC_OFFSET))
                .isEqualTo(RegionLayout.MAGIC);
        assertThat(LocalMemory.longAt(view + RegionLayout.REGION_BYTES_OFFSET))
                .isEqualTo(REGION_BYTES);
    }

    @Test
    void extentsDontOverlapAndComeBack() {
        long a = client.allocate(0, 1000);
        long b = client.allocate(0, 64);
        assertThat(RemoteAddress.offset(b) - RemoteAddress.offset(a)).isEqualTo(1024);
        long used = client.usage(0).usedBytes();
        client.free(0, a, 1000);
        assertThat(client.usage(0).usedBytes()).isEqualTo(used - 1024);
        assertThat(client.allocate(0, 1000)).isEqualTo(a);
        client.free(0, a, 1000);
    }

    @Test
    void anExtentOfZeroesMayHaveBeenUsedBefore() {
        long a = client.allocate(0, 100_000);
        long b = client.allocate(0, 64);
        assertThat(RemoteAddress.offset(b)).isGreaterThan(RemoteAddress.offset(a));
        for (long at = a; at < a + 100_000; at += 4000) {
            queuePair.writeWord(at, -1);
        }
        queuePair.await();
        client.free(0, a, 100_000);
        assertThat(client.allocateZeroed(0, 90_000)).isEqualTo(a);
        for (int at = 0; at < 90_000; at += 10_000) {
            long view = queuePair.read(a + at, 10_000);
            queuePair.await();
            for (int word = 0; word < 10_000; word += 8) {
                assertThat(LocalMemory.longAt(view + word)).isZero();
            }
        }
    }

    @Test
    void anAlignedExtentLiesAtAMultipleOfItsSizeAndIsZero() {
        long bytes = 1 << 20;
        long used = client.allocate(0, 3 * bytes / 2);
        for (long at = used; at < used + 3 * bytes / 2; at += 4096) {
            queuePair.writeWord(at, -1);
        }
        queuePair.await();
        client.free(0, used, 3 * bytes / 2);
        long block = client.allocateAligned(0, bytes);
        assertThat(RemoteAddress.offset(block)).isEqualTo(bytes);
        for (long at = block; at < block + bytes; at += 64 << 10) {
            long view = queuePair.read(at, 64 << 10);
            queuePair.await();
            for (int word = 0; word < 64 << 10; word += 8) {
                assertThat(LocalMemory.longAt(view + word)).isZero();
            }
        }
        assertThat(client.allocateAligned(0, bytes)).isNotIn(block, RemoteAddress.NULL);
        assertThat(client.allocateAligned(0, 4 * bytes)).isEqualTo(RemoteAddress.NULL);
        client.free(0, block, bytes);
        assertThat(client.allocateAligned(0, bytes)).isEqualTo(block);
        assertThatThrownBy(() -> client.allocateAligned(0, bytes + 64))
                .isInstanceOf(FabricException.class);
    }

    @Test
    void whatIsFreedInPiecesIsAllocatedWhole() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        long before = client.usage(0).usedBytes();
        long free = client.usage(0).freeBytes();
        List<Long> pieces = new ArrayList<>();
        for (long next = client.allocate(0, 4096);
                !RemoteAddress.isNull(next);
                next = client.allocate(0, 4096)) {
            pieces.add(next);
        }
        while (!pieces.isEmpty()) {
            client.free(0, pieces.remove(random.nextInt(pieces.size())), 4096);
        }
        assertThat(client.usage(0).usedBytes()).isEqualTo(before);
        assertThat(client.usage(0).freeBytes()).isEqualTo(free);
    }

    @Test
    void nothingIsFreedTwice() {
        long a = client.allocate(0, 1024);
        client.allocate(0, 64);
        client.free(0, a + 256, 128);
        assertThatThrownBy(() -> client.free(0, a, 1024)).isInstanceOf(FabricException.class);
        assertThatThrownBy(() -> client.free(0, a + 320, 64)).isInstanceOf(FabricException.class);
        client.free(0, a, 256);
        client.free(0, a + 384, 640);
        assertThat(client.allocate(0, 1024)).isEqualTo(a);
    }

    @Test
    void aFullServerSaysSoAndGoesOn() {
        assertThat(client.allocate(0, 2 * REGION_BYTES)).isEqualTo(RemoteAddress.NULL);
        assertThat(client.allocate(0, 64)).isNotEqualTo(RemoteAddress.NULL);
    }

    @Test
    void malformedRequestsAreRefusedAndChangeNothing() {
        long used = client.usage(0).usedBytes();
        SplittableRandom random = new SplittableRandom(Seeds.next());
        for (int i = 0; i < 2000; i++) {
            byte[] request = new byte[random.nextInt(1, 40)];
            random.nextBytes(request);
            request[0] = (byte) (Request.LAST + 1 + random.nextInt(100));
            assertThat(queuePair.call(0, request, 64)).containsExactly(Request.REFUSED);
        }
        byte[][] damaged = {
            {},
            {Request.ALLOCATE},
            Request.of(Request.ALLOCATE, -5),
            Request.of(Request.ALLOCATE, 0),
            Request.of(Request.FREE, 1),
            Request.of(Request.FREE, RemoteAddress.of(0, REGION_BYTES), 64),
            {Request.CATALOG_PUT, 127, 0, 0, 0},
            {Request.CATALOG_GET, -1, -1, -1, -1}
        };
        for (byte[] request : damaged) {
            assertThat(queuePair.call(0, request, 64)).containsExactly(Request.REFUSED);
        }
        assertThat(client.usage(0).usedBytes()).isEqualTo(used);
    }

    @Test
    void theCatalogKeepsEntriesAndCountsAlterations() {
        MemoryClient other = new MemoryClient(queuePair, 1);
        long[] versions = client.catalogVersions();
        boolean _ = other.isCatalogAltered("table:a");
        boolean _ = client.isCatalogAltered("table:a");
        assertThat(client.putCatalogEntry("table:a", new byte[] {1, 2})).isTrue();
        assertThat(other.catalogVersions()).isNotEqualTo(versions);
        versions = client.catalogVersions();
        assertThat(client.putCatalogEntry("table:a", new byte[] {3})).isFalse();
        assertThat(client.catalogVersions()).isEqualTo(versions);
        assertThat(client.catalogEntry("table:a")).containsExactly(1, 2);
        assertThat(client.catalogEntry("table:b")).isNull();
        assertThat(client.catalogNames()).containsExactly("table:a");
        assertThat(other.isCatalogAltered("table:a")).isTrue();
        assertThat(other.isCatalogAltered("table:a")).isFalse();
        assertThat(client.replaceCatalogEntry("table:b", new byte[60_000])).isFalse();
        assertThat(client.replaceCatalogEntry("table:a", new byte[60_000])).isTrue();
        assertThat(client.catalogEntry("table:a")).hasSize(60_000);
        assertThat(other.isCatalogAltered("table:a")).isTrue();
        assertThat(client.removeCatalogEntry("table:a")).isTrue();
        assertThat(client.removeCatalogEntry("table:a")).isFalse();
        assertThat(other.isCatalogAltered("table:a")).isTrue();
        // Its own alterations are no news to a client, unless others come in between.
        assertThat(client.isCatalogAltered("table:a")).isFalse();
        assertThat(other.putCatalogEntry("table:a", new byte[] {1})).isTrue();
        assertThat(client.putCatalogEntry("table:b", new byte[] {1})).isTrue();
        assertThat(client.isCatalogAltered("table:a")).isTrue();
        assertThat(client.nextCatalogNumber()).isNotEqualTo(client.nextCatalogNumber());
    }

    @Test
    void aWorkerGetsTheMemoryForATreesNodesAndGivesItBack() {
        ThreadExtents extents = new ThreadExtents(client);
        NodeLayout layout = new NodeLayout(1, 256);
        BLinkTree tree = BLinkTree.create(queuePair, extents, 0, layout, List.of(0));
        LatchOwner owner =
                new LatchOwner(3, Host.MACHINE, 1_000_000_000, LatchOwner.Cancellation.NEVER);
        RequestBatch batch = new RequestBatch(queuePair, owner);
        long before = client.usage(0).usedBytes();
        assertThat(run(batch, Operation.INSERT, tree, 0, 2000)).isEqualTo(Outcome.YES);
        long filled = client.usage(0).usedBytes();
        assertThat(filled).isGreaterThan(before + 2000 * Long.BYTES);
        assertThat(run(batch, Operation.LOOK_UP, tree, 0, 2000)).isEqualTo(Outcome.YES);
        assertThat(run(batch, Operation.REMOVE, tree, 0, 1990)).isEqualTo(Outcome.YES);
        assertThat(client.usage(0).usedBytes()).isEqualTo(filled);
        RequestBatch.drop(queuePair, tree.anchor());
        assertThat(client.usage(0).usedBytes()).isLessThan(filled);
        assertThat(queuePair.call(0, new byte[] {Request.TREE_OPERATIONS, 1, 2}, 64))
                .containsExactly(Request.REFUSED);
        assertThat(queuePair.call(0, new byte[] {Request.TREE_DROP}, 64))
                .containsExactly(Request.REFUSED);
    }

    /// The outcome of an operation with each of some keys, if it is the same for all.
    private Outcome run(RequestBatch batch, Operation what, BLinkTree tree, long from, long to) {
        Set<Outcome> outcomes = new HashSet<>();
        long[] key = new long[1];
        for (key[0] = from; key[0] < to; key[0]++) {
            if (!batch.hasSpaceFor(0, what, 1, 0)) {
                outcomes.addAll(run(batch));
            }
            int _ = batch.add(what, tree.anchor(), key, 0, key);
        }
        outcomes.addAll(run(batch));
        assertThat(outcomes).hasSize(1);
        return outcomes.iterator().next();
    }

    private Set<Outcome> run(RequestBatch batch) {
        batch.post();
        queuePair.await();
        batch.land();
        Set<Outcome> outcomes = new HashSet<>();
        for (int i = 0; i < batch.size(); i++) {
            outcomes.add(batch.outcome(i));
        }
        batch.clear();
        return outcomes;
    }

    /// Names and entries come in pieces.
    @Test
    void theCatalogMayBeLargerThanAReply() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        byte[] entry = new byte[300_000];
        random.nextBytes(entry);
        assertThat(client.putCatalogEntry("table:large", entry)).isTrue();
        List<String> names = new ArrayList<>(List.of("table:large"));
        for (int i = 0; i < 600; i++) {
            names.add("table:" + "x".repeat(random.nextInt(1, 200)) + i);
            assertThat(client.putCatalogEntry(names.getLast(), new byte[] {1})).isTrue();
        }
        names.sort(null);
        assertThat(client.catalogNames()).isEqualTo(names);
        assertThat(client.catalogEntry("table:large")).isEqualTo(entry);
        Map<String, byte[]> entries = client.catalogEntries();
        assertThat(entries.keySet()).containsExactlyElementsOf(names);
        assertThat(entries.remove("table:large")).isEqualTo(entry);
        assertThat(entries.values()).allSatisfy(small -> assertThat(small).containsExactly(1));
    }

    @Test
    void numbersOfTheCatalogComeToAnEnd() {
        long view =
                queuePair.fetchAndAdd(
                        RegionLayout.address(0, RegionLayout.CATALOG_NUMBER_OFFSET),
                        MemoryClient.CATALOG_NUMBERS - 1 - client.nextCatalogNumber() - 1);
        queuePair.await();
        assertThat(LocalMemory.longAt(view)).isPositive();
        assertThat(client.nextCatalogNumber()).isEqualTo(MemoryClient.CATALOG_NUMBERS - 1);
        assertThatThrownBy(client::nextCatalogNumber).hasMessageContaining("can number no more");
    }
}
