package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.BumpAllocator;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.mvcc.schema.Projection;
import org.namdb.timestamp.CommitTimestamp;

/// One home bucket of two entries, to which area after area is added: how chains grow, and that
/// nothing in them is lost.
class BucketChainTest {
    private static final int REGION_BYTES = 16 << 20;
    private static final int LANDING_BYTES = 8 << 10;
    private static final long HEAD = RemoteAddress.of(0, 64);
    private static final long HOME = TableHead.buckets(HEAD);
    private static final long LATER = 0;
    private static final long AT_ONCE = Long.MAX_VALUE;
    private static final long HEADER = CommitTimestamp.of(0, 1);
    private final HashTable table = table();
    private final BumpAllocator memory = new BumpAllocator(1, 1 << 16, REGION_BYTES);
    private ShmFabric fabric;
    private QueuePair queuePair;
    private NewAreas areas;
    private BucketChain chain;

    @BeforeEach
    void open() {
        fabric = new ShmFabric(new ShmFabric.Options(false, LANDING_BYTES, null));
        queuePair = fabric.connect(List.of(fabric.register(0, REGION_BYTES)));
        useAreas(AT_ONCE);
    }

    private static HashTable table() {
        KeyLayout key =
                new KeyLayout(List.of("value", "key"), List.of(ColumnType.INT64, ColumnType.INT64));
        BucketLayout layout = new BucketLayout(2, 2, 0, true);
        return new HashTable(1, key, 1, layout, 1, new long[] {HEAD}, 1);
    }

    private void useAreas(long atOnceBytes) {
        areas = new NewAreas(atOnceBytes);
        chain = new BucketChain(queuePair, memory, areas, new EmptyBucket(queuePair), null);
        chain.startHome(0);
    }

    @AfterEach
    void close() {
        queuePair.close();
        fabric.close();
    }

    private RecordRead key(long value, long key) {
        RecordRead read = new RecordRead(table, Projection.NOTHING);
        read.prepare(table, new long[] {value, key}, Projection.NOTHING, 0);
        return read;
    }

    private void read() {
        chain.read(table, HOME, 0, RemoteAddress.NULL);
    }

    /// Takes an entry for a key that is not there, and writes it.
    ///
    /// @return the entry's address
    private long insert(long value, long key) {
        RecordRead read = key(value, key);
        read();
        assertThat(chain.find(read)).isFalse();
        chain.takeFree();
        long entry = chain.foundAddress();
        chain.close();
        queuePair.writeWord(entry + BucketLayout.KEY_OFFSET, value);
        queuePair.writeWord(entry + BucketLayout.KEY_OFFSET + 8, key);
        queuePair.writeWord(entry, HEADER);
        queuePair.await();
        return entry;
    }

    private void assertFound(long value, long key, long entry) {
        RecordRead read = key(value, key);
        read();
        assertThat(chain.find(read)).as(value + "/" + key).isTrue();
        assertThat(chain.foundAddress()).isEqualTo(entry);
        assertThat(chain.foundHeader()).isEqualTo(HEADER);
        chain.close();
    }

    /// How many areas others see.
    private int linkedAreas() {
        int count = 0;
        long area = queuePair.readWord(HOME + BucketLayout.OVERFLOW_OFFSET);
        for (; !RemoteAddress.isNull(area); count++) {
            area = queuePair.readWord(area + BucketLayout.OVERFLOW_OFFSET);
        }
        return count;
    }

    @Test
    void neighboursOfAKeyAreFoundWhateverWasLookedForBefore() {
        long entry = insert(1, 7);
        insert(2, 0);
        RecordRead other = key(1, 5);
        read();
        chain.expectNeighbours(other);
        assertThat(chain.hasOtherPrefix()).isTrue();
        assertThat(chain.find(other)).isFalse();
        assertThat(chain.find(key(1, 7))).isTrue();
        assertThat(chain.foundAddress()).isEqualTo(entry);
        chain.expectNeighbours(key(3, 0));
        assertThat(chain.find(key(3, 1))).isFalse();
        assertThat(chain.find(key(1, 7))).as("no neighbour of the last one").isTrue();
        chain.close();
        insert(3, 1);
        read();
        assertThat(chain.find(key(3, 1))).as("another search").isTrue();
        chain.close();
    }

    /// They need nothing but what was read, and what they are written from.
    @Test
    void eightAreasAreAddedWithoutARoundTrip() {
        read();
        List<Long> entries = new ArrayList<>();
        long before = queuePair.counters().roundTrips();
        for (int key = 0; key < 40; key++) {
            RecordRead next = key(1, key);
            assertThat(chain.find(next)).isFalse();
            chain.takeFree();
            entries.add(chain.foundAddress());
            long roundTrips = queuePair.counters().roundTrips() - before;
            assertThat(roundTrips).as("with entry " + key).isEqualTo((key / 2 - 1) / 8);
            queuePair.writeWord(chain.foundAddress() + BucketLayout.KEY_OFFSET, 1);
            queuePair.writeWord(chain.foundAddress() + BucketLayout.KEY_OFFSET + 8, key);
            queuePair.writeWord(chain.foundAddress(), HEADER);
        }
        chain.close();
        queuePair.await();
        assertThat(entries).doesNotHaveDuplicates();
        assertThat(linkedAreas()).isEqualTo(19);
        for (int key = 0; key < 40; key++) {
            assertFound(1, key, entries.get(key));
        }
    }

    /// However many values their keys begin with.
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 40})
    void aChainHasNoMoreBucketsThanItsEntriesFill(int values) {
        Map<Long, Long> entries = new HashMap<>();
        for (long key = 0; key < 40; key++) {
            entries.put(key, insert(key % values, key));
        }
        assertThat(entries.values()).doesNotHaveDuplicates();
        assertThat(memory.allocatedBytes()).isEqualTo(19L * table.bucketBytes);
        entries.forEach((key, entry) -> assertFound(key % values, key, entry));
    }

    /// The directories of a long chain don't fit into the landing buffer.
    @Test
    void aChainMayBeLongerThanABatch() {
        int count = 4 * LANDING_BYTES / table.directoryBytes;
        Map<Long, Long> entries = new HashMap<>();
        for (long key = 0; key < count; key++) {
            entries.put(key, insert(7, key));
        }
        RecordRead absent = key(7, count);
        read();
        for (long key = 0; key < count; key++) {
            assertThat(chain.find(key(7, key))).as("key " + key).isTrue();
            assertThat(chain.foundAddress()).isEqualTo(entries.get(key));
        }
        assertThat(chain.find(absent)).isFalse();
        long before = queuePair.landed();
        chain.close();
        assertThat(queuePair.landed()).isLessThan(before);
    }

    @Test
    void freeEntriesAreTakenFromTheFront() {
        long first = insert(7, 0);
        long second = insert(7, 1);
        long third = insert(7, 2);
        queuePair.writeWord(second, 0);
        queuePair.await();
        read();
        chain.takeFree();
        assertThat(chain.foundAddress()).isEqualTo(second);
        chain.takeFree();
        assertThat(chain.foundAddress()).as("beside the third").isEqualTo(third + 24);
        chain.close();
        assertFound(7, 0, first);
    }

    @Test
    void areasThatAreNotLinkedAreSeenByTheirOwnerOnly() {
        useAreas(LATER);
        List<Long> entries = new ArrayList<>();
        for (long value = 0; value < 40; value++) {
            entries.add(insert(value, 0));
        }
        assertThat(linkedAreas()).isZero();
        assertThat(areas.count()).isEqualTo(19);
        for (int value = 0; value < 40; value++) {
            assertFound(value, 0, entries.get(value));
            RecordRead read = key(value, 0);
            chain.readLinked(table, HOME, 0);
            assertThat(chain.find(read)).as("value " + value).isEqualTo(value < 2);
            chain.close();
            assertThat(areas.contains(0, entries.get(value))).isEqualTo(value >= 2);
        }
        int count = areas.count();
        areas.postLinks(queuePair, 0, HOME, RemoteAddress.NULL);
        queuePair.await();
        assertThat(linkedAreas()).isEqualTo(count);
        areas.clear();
        chain.startHome(0);
        for (int value = 0; value < 40; value++) {
            assertFound(value, 0, entries.get(value));
        }
    }

    /// The await for what the first areas are written from fails.
    @Test
    void noAreaIsLostByAFailure() {
        boolean[] fails = new boolean[1];
        QueuePair faulty =
                new ForwardingQueuePair(queuePair) {
                    @Override
                    protected void awaitCompletions() {
                        super.awaitCompletions();
                        if (fails[0]) {
                            throw new FabricException(FabricException.Kind.PEER_GONE, "planned");
                        }
                    }
                };
        Set<Long> inUse = new HashSet<>();
        RemoteAllocator counting =
                new RemoteAllocator() {
                    @Override
                    public long allocate(int server, int bytes) {
                        long address = memory.allocate(server, bytes);
                        inUse.add(address);
                        return address;
                    }

                    @Override
                    public void reserve(int server, int bytes) {}

                    @Override
                    public void free(long address, int bytes) {
                        inUse.remove(address);
                    }
                };
        areas = new NewAreas(LATER);
        chain = new BucketChain(faulty, counting, areas, new EmptyBucket(faulty), null);
        chain.startHome(0);
        read();
        for (int entry = 0; entry < 18; entry++) {
            chain.takeFree();
        }
        fails[0] = true;
        assertThatThrownBy(chain::takeFree).hasMessage("planned");
        fails[0] = false;
        areas.freeUnused(counting);
        assertThat(inUse).isEmpty();
    }
}
