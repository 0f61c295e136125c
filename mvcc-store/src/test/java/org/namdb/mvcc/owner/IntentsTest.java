package org.namdb.mvcc.owner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.RemoteAllocator;

/// What a session writes down before it locks is what another one reads, whatever was there before.
class IntentsTest {
    private static final int SLOT = 1;
    private static final int TABLE = 4711;
    private static final long SEED = Long.getLong("namdb.seed", 5);
    private static final long REGION_BYTES = 8L << 20;

    private record Entry(long address, long header, long bodyOffset, boolean isBucket) {}

    private final Fabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false));
    private final List<Region> regions =
            List.of(fabric.register(0, REGION_BYTES), fabric.register(1, REGION_BYTES));
    private final QueuePair queuePair = fabric.connect(regions);
    private final QueuePair observer = fabric.connect(regions);
    private final IntentLayout layout =
            new IntentLayout(RemoteAddress.of(0, 4096), RemoteAddress.of(1, 64));
    private final FreeingAllocator allocator = new FreeingAllocator();

    @AfterEach
    void close() {
        queuePair.close();
        observer.close();
        fabric.close();
    }

    @Test
    void whatIsWrittenIsRead() {
        System.out.println("-Dnamdb.seed=" + SEED);
        SplittableRandom random = new SplittableRandom(SEED);
        Intents intents = new Intents(queuePair, layout, SLOT, 7, allocator);
        for (int attempt = 0; attempt < 300; attempt++) {
            List<List<Entry>> expected = List.of(new ArrayList<>(), new ArrayList<>());
            intents.start();
            int before = random.nextInt(random.nextInt(4) == 0 ? 3000 : 70);
            for (int i = 0; i < before; i++) {
                add(intents, expected, random, false);
            }
            intents.post();
            for (int batches = random.nextInt(4); batches > 0; batches--) {
                queuePair.await();
                for (int i = random.nextInt(random.nextBoolean() ? 1000 : 20); i > 0; i--) {
                    add(intents, expected, random, false);
                }
                intents.post();
            }
            int after = random.nextInt(random.nextInt(4) == 0 ? 300 : 4);
            for (int i = 0; i < after; i++) {
                add(intents, expected, random, true);
            }
            queuePair.await();
            for (int server = 0; server < 2; server++) {
                // A server without a part in an attempt gets no WRITE of it.
                if (!expected.get(server).isEmpty()) {
                    assertThat(read(server, SLOT)).isEqualTo(expected.get(server));
                }
                assertThat(read(server, 0)).isEmpty();
                assertThat(read(server, 2)).isEmpty();
            }
            if (random.nextBoolean()) {
                intents.postEnd();
                queuePair.await();
                for (int server = 0; server < 2; server++) {
                    if (!expected.get(server).isEmpty()) {
                        assertThat(read(server, SLOT)).isEmpty();
                    }
                }
            }
        }
        intents.close();
        assertThat(allocator.inUse).isZero();
    }

    private static void add(
            Intents intents, List<List<Entry>> expected, SplittableRandom random, boolean late) {
        int server = random.nextInt(2);
        long address = RemoteAddress.of(server, 8L * random.nextInt(1 << 17));
        boolean isBucket = random.nextInt(4) == 0;
        long header = isBucket ? 0 : random.nextLong();
        long offset = isBucket ? 0 : 8L * random.nextInt(3);
        long body = offset == 0 ? RemoteAddress.NULL : address + offset;
        expected.get(server).add(new Entry(address, header, offset, isBucket));
        if (isBucket && late) {
            intents.postBucket(address, TABLE);
        } else if (isBucket) {
            intents.addBucket(address, TABLE);
        } else if (late) {
            intents.postLock(address, header, TABLE, body);
        } else {
            intents.addLock(address, header, TABLE, body);
        }
    }

    @Test
    void aListThatWasWrittenInPartCountsForWhatIsWhole() {
        Intents intents = new Intents(queuePair, layout, SLOT, 7, allocator);
        long first = RemoteAddress.of(0, 800);
        long second = RemoteAddress.of(0, 1600);
        intents.start();
        intents.addLock(first, 8, TABLE, RemoteAddress.NULL);
        intents.addLock(second, 16, TABLE, RemoteAddress.NULL);
        intents.post();
        queuePair.await();
        long area = layout.area(0, SLOT);
        long entry = area + IntentLayout.ENTRIES_OFFSET;
        queuePair.writeWord(entry + IntentLayout.HEADER_OFFSET, 24);
        queuePair.await();
        assertThat(read(0, SLOT)).containsExactly(new Entry(second, 16, 0, false));
        // The next attempt's number has come, and none of its entries.
        queuePair.writeWord(area + IntentLayout.ATTEMPT_OFFSET, attempt(0) + 2);
        queuePair.await();
        assertThat(read(0, SLOT)).isEmpty();
    }

    @Test
    void anAttemptsNumberIsNeverReusedByAnyHolderOfTheSlot() {
        Intents one = new Intents(queuePair, layout, SLOT, 1, allocator);
        one.start();
        one.addLock(RemoteAddress.of(0, 800), 8, TABLE, RemoteAddress.NULL);
        one.post();
        queuePair.await();
        long before = attempt(0);
        Intents other = new Intents(queuePair, layout, SLOT, 2, allocator);
        other.start();
        other.addLock(RemoteAddress.of(1, 800), 8, TABLE, RemoteAddress.NULL);
        other.post();
        queuePair.await();
        assertThat(attempt(1)).isNotEqualTo(before);
    }

    @Test
    void aCommitsIntentsAreOneWritePerServer() {
        Intents intents = new Intents(queuePair, layout, SLOT, 7, allocator);
        long writes = queuePair.counters().writes();
        intents.start();
        for (int i = 0; i < 20; i++) {
            intents.addLock(RemoteAddress.of(i % 2, 800 + 8L * i), 8, TABLE, RemoteAddress.NULL);
        }
        intents.post();
        assertThat(queuePair.counters().writes() - writes).isEqualTo(2);
    }

    private long attempt(int server) {
        IntentList list = new IntentList(observer, layout);
        list.read(server, SLOT);
        return list.attempt();
    }

    private List<Entry> read(int server, int slot) {
        IntentList list = new IntentList(observer, layout);
        list.read(server, slot);
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < list.count(); i++) {
            assertThat(list.table(i)).isEqualTo(TABLE);
            assertThat(
                            list.mayHold(list.table(i), list.address(i), list.header(i))
                                    || !list.isRecord(i))
                    .isTrue();
            entries.add(
                    new Entry(
                            list.address(i),
                            list.header(i),
                            list.bodyOffset(i),
                            !list.isRecord(i)));
        }
        return entries;
    }

    /// Hands out the last piece that was freed, so that old lists lie around.
    private static final class FreeingAllocator implements RemoteAllocator {
        private final long[] next = {1 << 20, 1 << 20};
        private int inUse;

        @Override
        public long allocate(int server, int bytes) {
            inUse++;
            long address = RemoteAddress.of(server, next[server]);
            next[server] = (1 << 20) + (next[server] - (1 << 20) + bytes) % (4 << 20);
            return address;
        }

        @Override
        public void reserve(int server, int bytes) {}

        @Override
        public void free(long address, int bytes) {
            inUse--;
        }
    }
}
