package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.hash.InsertClaims.Outcome;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.owner.LatchTimeoutException;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.snapshot.Snapshot;

/// Claims of two sessions in a table of one bucket with two entries, so that everything else is in
/// overflow areas, which are linked at once or later.
class InsertClaimsTest {
    private static final int REGION_BYTES = 1 << 20;
    private static final long HEAD = RemoteAddress.of(0, 64);
    private static final long HOME = TableHead.buckets(HEAD);
    private static final long FIRST_AREA = 1 << 12;
    private static final long LATER = 0;
    private static final long AT_ONCE = Long.MAX_VALUE;
    private static final IntentLayout INTENTS =
            new IntentLayout(RemoteAddress.of(0, REGION_BYTES / 2));
    private static final RecordSchema SCHEMA =
            new RecordSchema(
                    TableDefinition.named("t")
                            .column("id", ColumnType.INT64)
                            .primaryKey("id")
                            .build());
    private static final HashTable TABLE =
            new HashTable(
                    1,
                    SCHEMA.key(),
                    1,
                    new BucketLayout(2, 1, SCHEMA.payloadBytes(), true),
                    1,
                    new long[] {HEAD},
                    1);

    /// Of several buckets.
    private static final HashTable WIDE =
            new HashTable(
                    1,
                    SCHEMA.key(),
                    1,
                    new BucketLayout(2, 1, SCHEMA.payloadBytes(), true),
                    1,
                    new long[] {HEAD},
                    12);

    private final Memory memory = new Memory();
    private ShmFabric fabric;
    private Region region;
    private final List<Inserter> inserters = new ArrayList<>();

    @BeforeEach
    void open() {
        use(new ShmFabric(ShmFabric.Options.DEFAULT));
    }

    private void use(ShmFabric newFabric) {
        fabric = newFabric;
        region = fabric.register(0, REGION_BYTES);
    }

    @AfterEach
    void close() {
        inserters.forEach(each -> each.queuePair.close());
        fabric.close();
    }

    @Test
    void claimsInAnAreaThatIsNotLinkedAreInvisible() {
        Inserter a = new Inserter(LATER);
        assertThat(a.claim(1, 2, 3, 4, 5)).isTrue();
        assertThat(a.claims.hasAreasToLink()).isTrue();
        assertThat(claimed()).hasSize(2);
        assertThat(a.link()).isTrue();
        assertThat(claimed()).containsExactlyInAnyOrder(1L, 2L, 3L, 4L, 5L);
        assertThat(latch()).isZero();
    }

    @Test
    void whatFitsIsLinkedAtOnce() {
        Inserter a = new Inserter(TABLE.bucketBytes);
        a.claim(1, 2, 3);
        assertThat(a.claims.hasAreasToLink()).isFalse();
        a.claim(4, 5, 6, 7, 8, 9);
        assertThat(a.claims.hasAreasToLink()).isTrue();
        assertThat(a.link()).isTrue();
        assertThat(claimed()).hasSize(9);
    }

    @Test
    void ofTwoInsertsOfOneKeyTheFirstToLinkWins() {
        Inserter a = new Inserter(LATER);
        Inserter b = new Inserter(LATER);
        a.claim(1, 2, 3, 4);
        assertThat(b.claim(5, 3)).as("it can't see a's 3").isTrue();
        assertThat(b.link()).isTrue();
        assertThat(a.link()).isFalse();
        assertThat(a.claims.outcome(2)).isEqualTo(Outcome.CONFLICT);
        a.giveUp();
        assertThat(claimed()).containsExactlyInAnyOrder(3L, 5L);
        assertThat(latch()).isZero();
    }

    @Test
    void anInsertIntoAnEntryThatWasFreedMeanwhileWins() {
        Inserter a = new Inserter(LATER);
        Inserter b = new Inserter(AT_ONCE);
        b.claim(8, 9);
        a.claim(3);
        b.giveUp();
        assertThat(b.claim(3)).isTrue();
        assertThat(a.link()).isFalse();
        assertThat(a.claims.outcome(0)).isEqualTo(Outcome.CONFLICT);
    }

    @Test
    void areasThatOthersHaveLinkedMeanwhileStay() {
        Inserter a = new Inserter(LATER);
        Inserter b = new Inserter(AT_ONCE);
        a.claim(1, 2, 3, 4, 5, 6, 7, 8);
        b.claim(11, 12, 13, 14, 15);
        assertThat(a.link()).isTrue();
        assertThat(claimed())
                .containsExactlyInAnyOrder(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 11L, 12L, 13L, 14L, 15L);
    }

    /// For every number of areas that there is memory for.
    @Test
    void entriesClaimedBeforeAFailureAreFreed() {
        long[] keys = new long[64];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = i + 1L;
        }
        int failures = 0;
        for (int areas = 0; ; areas++) {
            memory.left = areas;
            Inserter a = new Inserter(LATER);
            try {
                assertThat(a.claim(keys)).isTrue();
                break;
            } catch (MemoryFullException e) {
                failures++;
            }
            a.giveUp();
            assertThat(memory.inUse).isEmpty();
            assertThat(claimed()).isEmpty();
            assertThat(latch()).isZero();
        }
        assertThat(failures).isGreaterThan(3);
    }

    @Test
    void linkedAreasAreNotFreed() {
        Inserter a = new Inserter(LATER);
        a.claim(1, 2, 3, 4, 5);
        Set<Long> taken = Set.copyOf(memory.inUse);
        assertThat(a.link()).isTrue();
        a.giveUp();
        assertThat(memory.inUse).containsExactlyInAnyOrderElementsOf(taken);
    }

    @Test
    void aKeyThatIsThereIsADuplicate() {
        Inserter a = new Inserter(AT_ONCE);
        a.claim(1, 2, 3);
        a.install(2);
        Inserter b = new Inserter(AT_ONCE);
        assertThat(b.claim(4, 3)).isFalse();
        assertThat(b.claims.outcome(0)).isEqualTo(Outcome.CLAIMED);
        assertThat(b.claims.outcome(1)).isEqualTo(Outcome.DUPLICATE_KEY);
    }

    @Test
    void aClaimOfAnotherIsAConflict() {
        new Inserter(AT_ONCE).claim(1, 2, 3);
        Inserter b = new Inserter(AT_ONCE);
        assertThat(b.claim(3)).isFalse();
        assertThat(b.claims.outcome(0)).isEqualTo(Outcome.CONFLICT);
    }

    /// ```
    /// collector                              b
    /// locks the deleted record 2
    ///                                        has claimed 4, finds 2 locked, waits without latches
    /// latches the bucket, frees 2
    ///                                        claims 2
    /// ```
    @Test
    void aDeletedRecordThatIsBeingCollectedIsWaitedFor() {
        Inserter a = new Inserter(AT_ONCE);
        a.claim(1, 2, 3);
        a.installAll();
        long header = a.writes.get(1).headerAddress();
        long deleted = RecordHeader.deleted(CommitTimestamp.of(0, 1));
        a.queuePair.writeWord(header, RecordHeader.lock(deleted));
        a.queuePair.await();
        Inserter b = new Inserter(TABLE, AT_ONCE, () -> free(a, header));
        assertThat(b.claim(4, 2)).isTrue();
        assertThat(claimed()).containsExactlyInAnyOrder(1L, 2L, 3L, 4L);
    }

    /// As the collector does.
    private static void free(Inserter collector, long header) {
        Latch.acquire(collector.queuePair, HOME, collector.owner);
        collector.queuePair.writeWord(header, RecordHeader.FREE);
        Latch.postRelease(collector.queuePair, HOME);
        collector.queuePair.await();
    }

    @Test
    void aDeletedRecordThatStaysLockedIsAConflict() {
        Inserter a = new Inserter(AT_ONCE);
        a.claim(1, 2);
        a.installAll();
        long deleted = RecordHeader.deleted(CommitTimestamp.of(0, 1));
        a.queuePair.writeWord(a.writes.get(1).headerAddress(), RecordHeader.lock(deleted));
        a.queuePair.await();
        Inserter b = new Inserter(AT_ONCE);
        assertThat(b.claim(2)).isFalse();
        assertThat(b.claims.outcome(0)).isEqualTo(Outcome.CONFLICT);
    }

    /// What is linked before stays as it is, and no latch is held.
    @Test
    void aLatchTimeoutEndsTheLinking() {
        Inserter a = new Inserter(LATER);
        a.claim(1, 2, 3);
        Inserter b = new Inserter(LATER);
        Latch.acquire(b.queuePair, HOME, b.owner);
        assertThatThrownBy(a::link).isInstanceOf(LatchTimeoutException.class);
        assertThat(latch()).isEqualTo(b.owner.slot() + 1);
        a.giveUp();
        assertThat(memory.inUse).isEmpty();
    }

    private long latch() {
        return word(new Inserter(LATER).queuePair, HOME + BucketLayout.LATCH_OFFSET);
    }

    private static long word(QueuePair queuePair, long address) {
        long view = queuePair.read(address, 8);
        queuePair.await();
        return LocalMemory.longAcquire(view);
    }

    /// The keys of all entries that are not free and that a reader can come to.
    private List<Long> claimed() {
        QueuePair queuePair = new Inserter(LATER).queuePair;
        List<Long> keys = new ArrayList<>();
        addKeys(queuePair, HOME, keys);
        addAreas(queuePair, HOME, keys);
        return keys;
    }

    /// Adds the keys in the areas of a home bucket.
    private static void addAreas(QueuePair queuePair, long home, List<Long> keys) {
        long area = word(queuePair, home + BucketLayout.OVERFLOW_OFFSET);
        while (!RemoteAddress.isNull(area)) {
            addKeys(queuePair, area, keys);
            area = word(queuePair, area + BucketLayout.OVERFLOW_OFFSET);
        }
    }

    private static void addKeys(QueuePair queuePair, long bucket, List<Long> keys) {
        for (int entry = 0; entry < TABLE.records; entry++) {
            long at = bucket + TABLE.layout().entryOffset(entry);
            if (word(queuePair, at) != RecordHeader.FREE) {
                keys.add(word(queuePair, at + BucketLayout.KEY_OFFSET));
            }
        }
    }

    /// As many round trips as the longest of the chains takes alone.
    @Test
    void theChainsOfSeveralBucketsAreReadTogether() {
        Inserter a = new Inserter(WIDE, AT_ONCE);
        a.insert(LongStream.range(0, 500).toArray());
        long[] keys = new long[4];
        long longest = 0;
        for (int bucket = 0; bucket < keys.length; bucket++) {
            while (WIDE.home(WIDE.hash(new long[] {1000 + keys[bucket]}))
                    != WIDE.bucketAddress(bucket)) {
                keys[bucket]++;
            }
            keys[bucket] += 1000;
            long _ = roundTrips(a, keys[bucket]); // may add an area
            longest = Math.max(longest, roundTrips(a, keys[bucket]));
        }
        assertThat(longest).isGreaterThan(4);
        assertThat(roundTrips(a, keys)).isEqualTo(longest);
    }

    /// Of inserts that are undone again.
    private static long roundTrips(Inserter inserter, long... keys) {
        long before = inserter.queuePair.counters().roundTrips();
        assertThat(inserter.claim(keys)).isTrue();
        long roundTrips = inserter.queuePair.counters().roundTrips() - before;
        inserter.giveUp();
        return roundTrips;
    }

    /// Chains that are longer than what may be read ahead, in a buffer of few directories.
    @ParameterizedTest(name = "{0} bytes of landing buffer")
    @ValueSource(ints = {1 << 10, 4 << 10, 1 << 20})
    void noInsertIsLostOrDoneTwice(int landingBytes) {
        fabric.close();
        use(new ShmFabric(new ShmFabric.Options(false, landingBytes, null)));
        SplittableRandom random = new SplittableRandom(Seeds.next());
        List<Inserter> both = List.of(new Inserter(WIDE, AT_ONCE), new Inserter(WIDE, LATER));
        Set<Long> there = new HashSet<>();
        for (int round = 0; round < 400; round++) {
            Inserter inserter = both.get(random.nextInt(2));
            long[] keys = random.longs(random.nextInt(1, 12), 0, 700).distinct().toArray();
            boolean areNew = LongStream.of(keys).noneMatch(there::contains);
            assertThat(inserter.claim(keys)).as("round " + round).isEqualTo(areNew);
            if (areNew && inserter.link() && random.nextInt(5) > 0) {
                inserter.installAll();
                LongStream.of(keys).forEach(there::add);
            } else {
                inserter.giveUp();
            }
        }
        assertThat(there).hasSizeGreaterThan(200);
        assertThat(allKeys()).containsExactlyInAnyOrderElementsOf(there);
    }

    /// The keys in all buckets and their areas.
    private List<Long> allKeys() {
        QueuePair queuePair = inserters.getFirst().queuePair;
        List<Long> keys = new ArrayList<>();
        for (int bucket = 0; bucket < WIDE.buckets(); bucket++) {
            addKeys(queuePair, WIDE.bucketAddress(bucket), keys);
            addAreas(queuePair, WIDE.bucketAddress(bucket), keys);
        }
        return keys;
    }

    private final class Inserter {
        private final QueuePair queuePair = fabric.connect(List.of(region));
        private final LatchOwner owner;
        private final InsertClaims claims;
        private final List<RecordWrite> writes = new ArrayList<>();

        private final HashTable table;

        Inserter(long atOnceBytes) {
            this(TABLE, atOnceBytes);
        }

        Inserter(HashTable table, long atOnceBytes) {
            this(table, atOnceBytes, LatchOwner.Cancellation.NEVER);
        }

        /// @param waiting called while it waits
        Inserter(HashTable table, long atOnceBytes, LatchOwner.Cancellation waiting) {
            this.table = table;
            owner =
                    new LatchOwner(
                            inserters.size(),
                            Host.MACHINE,
                            Duration.ofMillis(20).toNanos(),
                            waiting);
            Intents intents = new Intents(queuePair, INTENTS, inserters.size(), 1, memory);
            claims =
                    new InsertClaims(
                            queuePair,
                            memory,
                            owner,
                            intents,
                            new DueSplits(null),
                            queuePair::localMemory,
                            atOnceBytes);
            inserters.add(this);
        }

        boolean claim(long... keys) {
            claims.clear();
            writes.clear();
            for (long each : keys) {
                RecordRead key = new RecordRead(table, SCHEMA.nothing());
                key.prepare(table, new long[] {each}, SCHEMA.nothing(), 0);
                RecordWrite write = new RecordWrite(table);
                write.prepareInsert(table);
                writes.add(write);
                claims.add(key, write);
            }
            boolean all = claims.claimAll(Snapshot.EVERYTHING);
            queuePair.await();
            return all;
        }

        boolean link() {
            boolean all = claims.linkAreas();
            queuePair.await();
            return all;
        }

        void insert(long... keys) {
            for (long each : keys) {
                assertThat(claim(each)).isTrue();
                installAll();
            }
        }

        void installAll() {
            for (int insert = 0; insert < writes.size(); insert++) {
                install(insert);
            }
        }

        void install(int insert) {
            long version = CommitTimestamp.of(0, 1);
            writes.get(insert).postHeader(queuePair, version);
            queuePair.await();
        }

        /// As a commit that fails.
        void giveUp() {
            for (RecordWrite write : writes) {
                if (write.isClaimed()) {
                    write.postUnlock(queuePair);
                }
            }
            queuePair.await();
            claims.releaseAreas();
        }
    }

    /// Memory for as many areas as are left.
    private static final class Memory implements RemoteAllocator {
        private final Set<Long> inUse = new HashSet<>();
        private long next = FIRST_AREA;
        private int left = Integer.MAX_VALUE;

        @Override
        public long allocate(int server, int bytes) {
            if (left == 0) {
                throw new MemoryFullException(server, bytes, REGION_BYTES);
            }
            left--;
            long address = RemoteAddress.of(server, next);
            next += bytes + 63 & -64;
            inUse.add(address);
            return address;
        }

        @Override
        public void reserve(int server, int bytes) {}

        @Override
        public void free(long address, int bytes) {
            assertThat(inUse.remove(address)).isTrue();
        }
    }
}
