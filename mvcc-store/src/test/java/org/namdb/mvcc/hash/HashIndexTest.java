package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.BumpAllocator;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.index.EntryLookup;
import org.namdb.mvcc.index.IndexContext;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.mvcc.schema.Projection;
import org.namdb.timestamp.snapshot.Snapshot;

/// A hashed index compared with a model of it: a set of values with keys.
class HashIndexTest {
    private static final int SESSIONS = 3;
    private static final int OPERATIONS = 6_000;
    private static final int REGION_BYTES = 32 << 20;
    private static final int INTENTS_OFFSET = 1 << 16;
    private static final int FIRST_OFFSET = 1 << 17;
    private static final int BUCKET_RECORDS = 3;
    private static final KeyLayout KEY =
            new KeyLayout(List.of("value", "key"), List.of(ColumnType.INT64, ColumnType.INT64));

    private ShmFabric fabric;
    private BumpAllocator memory;
    private HashTable table;
    private final List<Session> sessions = new ArrayList<>();

    /// @param value what is indexed
    /// @param key the primary key
    private record Entry(long value, long key) implements Comparable<Entry> {
        static Entry of(long[] words) {
            return new Entry(words[0], words[1]);
        }

        long[] words() {
            return new long[] {value, key};
        }

        @Override
        public int compareTo(Entry other) {
            return value != other.value
                    ? Long.compare(value, other.value)
                    : Long.compare(key, other.key);
        }
    }

    private static final class Session {
        private final QueuePair queuePair;
        private final HashIndex index;
        private final EntryLookup lookup;

        Session(QueuePair queuePair, HashIndex index) {
            this.queuePair = queuePair;
            this.index = index;
            this.lookup = index.lookup();
        }

        boolean insert(Entry entry) {
            boolean isNew = index.insert(entry.words(), Snapshot.EVERYTHING);
            queuePair.await();
            return isNew;
        }

        List<Entry> lookup(long value) {
            List<Entry> found = new ArrayList<>();
            index.lookup(new long[] {value, 0}, words -> found.add(Entry.of(words)));
            return found;
        }

        /// As a batch of lookups does it.
        List<Entry> postedLookup(long value) {
            List<Entry> found = new ArrayList<>();
            lookup.prepare(new long[] {value, 0}, words -> found.add(Entry.of(words)));
            lookup.post();
            do {
                queuePair.await();
            } while (!lookup.advance());
            return found;
        }
    }

    private void open(boolean inPlace, int buckets, long memoryBytes) {
        fabric = new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(inPlace));
        Region region = fabric.register(0, REGION_BYTES);
        table =
                new HashTable(
                        1,
                        KEY,
                        1,
                        new BucketLayout(BUCKET_RECORDS, 2, 0, true),
                        1,
                        new long[] {RemoteAddress.of(0, 64)},
                        buckets);
        memory = new BumpAllocator(1, FIRST_OFFSET, FIRST_OFFSET + memoryBytes);
        IntentLayout layout = new IntentLayout(RemoteAddress.of(0, INTENTS_OFFSET));
        for (int slot = 0; slot < SESSIONS; slot++) {
            QueuePair queuePair = fabric.connect(List.of(region));
            LatchOwner owner =
                    new LatchOwner(
                            slot,
                            Host.MACHINE,
                            Duration.ofSeconds(10).toNanos(),
                            LatchOwner.Cancellation.NEVER);
            Intents intents = new Intents(queuePair, layout, slot, 1, memory);
            IndexContext context = new IndexContext(queuePair, memory, owner, intents);
            sessions.add(
                    new Session(
                            queuePair,
                            new HashIndex(
                                    table, context, new DueSplits(null), Projection.NOTHING)));
        }
    }

    @AfterEach
    void close() {
        sessions.forEach(session -> session.queuePair.close());
        fabric.close();
    }

    /// Many values in many buckets; few in few, so that most of a value's entries are in overflow
    /// areas; one value, whose entries are all neighbours.
    @ParameterizedTest
    @CsvSource({
        "true, 64, 200, 4",
        "false, 64, 200, 4",
        "true, 2, 8, 40",
        "false, 2, 8, 40",
        "false, 1, 1, 600"
    })
    void behavesLikeASet(boolean inPlace, int buckets, int values, int keys) {
        open(inPlace, buckets, REGION_BYTES - FIRST_OFFSET);
        SplittableRandom random = new SplittableRandom(Seeds.next());
        NavigableSet<Entry> model = new TreeSet<>();
        for (int operation = 0; operation < OPERATIONS; operation++) {
            Session session = sessions.get(random.nextInt(SESSIONS));
            Entry entry = new Entry(random.nextInt(values), random.nextInt(keys));
            if (random.nextInt(5) < 2) {
                // Now more is added, now more is removed, so that entries are reused.
                boolean grows = operation / 1_000 % 2 == 0;
                if (random.nextInt(4) == 0 != grows) {
                    assertThat(session.insert(entry)).isEqualTo(model.add(entry));
                } else {
                    session.index.remove(entry.words());
                    model.remove(entry);
                }
            } else {
                assertThat(lookup(session, entry.value, random.nextBoolean()))
                        .as("value " + entry.value)
                        .containsExactlyInAnyOrderElementsOf(ofValue(model, entry.value));
            }
        }
        for (long value = 0; value < values; value++) {
            assertThat(sessions.getFirst().lookup(value))
                    .containsExactlyInAnyOrderElementsOf(ofValue(model, value));
        }
        assertThat(memory.allocatedBytes()).as("overflow areas").isPositive();
    }

    private static List<Entry> lookup(Session session, long value, boolean isPosted) {
        return isPosted ? session.postedLookup(value) : session.lookup(value);
    }

    private static List<Entry> ofValue(NavigableSet<Entry> model, long value) {
        return List.copyOf(model.subSet(new Entry(value, 0), new Entry(value + 1, 0)));
    }

    @Test
    void removedEntriesAreReused() {
        open(true, 1, REGION_BYTES - FIRST_OFFSET);
        Session session = sessions.getFirst();
        for (long key = 0; key < 10 * BUCKET_RECORDS; key++) {
            session.insert(new Entry(7, key));
        }
        long before = memory.allocatedBytes();
        for (long key = 0; key < 10 * BUCKET_RECORDS; key++) {
            session.index.remove(new Entry(7, key).words());
            session.insert(new Entry(7, 1_000 + key));
        }
        assertThat(memory.allocatedBytes()).isEqualTo(before);
        assertThat(session.lookup(7)).hasSize(10 * BUCKET_RECORDS);
    }

    /// A round trip for the home bucket, and one for each area behind it.
    @Test
    void aLookupReadsEachBucketOfTheChainOnce() {
        open(true, 1, REGION_BYTES - FIRST_OFFSET);
        Session session = sessions.getFirst();
        for (int areas = 0; areas < 5; areas++) {
            for (int entry = 0; entry < BUCKET_RECORDS; entry++) {
                session.insert(new Entry(7, (long) areas * BUCKET_RECORDS + entry));
            }
            long before = session.queuePair.counters().roundTrips();
            assertThat(session.lookup(7)).hasSize((areas + 1) * BUCKET_RECORDS);
            assertThat(session.queuePair.counters().roundTrips() - before).isEqualTo(areas + 1);
        }
    }

    @Test
    void withoutMemoryForAnAreaTheIndexIsAsItWas() {
        open(true, 1, 0);
        Session session = sessions.getFirst();
        for (long key = 0; key < BUCKET_RECORDS; key++) {
            assertThat(session.insert(new Entry(7, key))).isTrue();
        }
        assertThatThrownBy(() -> session.insert(new Entry(7, BUCKET_RECORDS)))
                .isInstanceOf(MemoryFullException.class);
        Session other = sessions.getLast();
        assertThat(other.lookup(7)).hasSize(BUCKET_RECORDS);
        other.index.remove(new Entry(7, 0).words());
        assertThat(other.insert(new Entry(7, BUCKET_RECORDS))).as("no latch is held").isTrue();
        assertThat(other.lookup(7))
                .containsExactlyInAnyOrder(new Entry(7, 1), new Entry(7, 2), new Entry(7, 3));
    }
}
