package org.namdb.mvcc.hash;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.ArrayList;
import java.util.List;
import org.namdb.concurrency.Snapshots;
import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.snapshot.Snapshot;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/// Two neighbours are read, one by its key and then both together, while their bucket is split and
/// they move; and one of them is overwritten where it is then. The reader's snapshot sees both, and
/// not what is written.
/// ```
///   S  rows h -> h|L; B := rows at h|L; child, growth, directory's word; A's rows := 0; B's rows h
///   W  the same thread: installs a version of a row in B
///   R  A; its growth word; B, if that is not for the rows any more
/// ```
public final class ReadDuringSplit {
    private ReadDuringSplit() {}

    @Outcome(id = "old", expect = ACCEPTABLE, desc = "From A or from B.")
    @Outcome(id = "absent", expect = FORBIDDEN, desc = "A was empty before R could find B.")
    @Outcome(id = "partial", expect = FORBIDDEN, desc = "One of two neighbours.")
    @Outcome(
            id = {"mixed", "new"},
            expect = FORBIDDEN,
            desc = "R has accepted a payload that was replaced meanwhile.")
    private static final class BothRows {}

    @JCStressTest
    @JCStressMeta(BothRows.class)
    @State
    public static class InPlace {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();
        private final HashTable splitting = Race.table(place);
        private final HashTable reading = Race.table(place);

        @Actor
        public void splitter() {
            RACE.split(place, splitting);
        }

        @Actor
        public void reader(L_Result seen) {
            seen.r1 = RACE.read(reading);
        }
    }

    @JCStressTest
    @JCStressMeta(BothRows.class)
    @State
    public static class Landing {
        private static final Race RACE = new Race(StressRegion.LANDING);
        private final long place = RACE.place();
        private final HashTable splitting = Race.table(place);
        private final HashTable reading = Race.table(place);

        @Actor
        public void splitter() {
            RACE.split(place, splitting);
        }

        @Actor
        public void reader(L_Result seen) {
            seen.r1 = RACE.read(reading);
        }
    }

    @JCStressTest
    @Outcome(id = "old", expect = ACCEPTABLE, desc = "R came first.")
    @Outcome(
            id = "absent",
            expect = ACCEPTABLE_INTERESTING,
            desc = "The rows have moved, which only the growth word says.")
    @State
    public static class WithoutGrowthWord {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();
        private final HashTable splitting = Race.table(place);

        @Actor
        public void splitter() {
            RACE.split(place, splitting);
        }

        @Actor
        public void reader(L_Result seen) {
            seen.r1 = RACE.readHeaders(place);
        }
    }

    /// Places and clients.
    /// ```
    /// head | bucket A: a row that stays, two that move, a free entry | bucket B | level | ring
    /// ```
    private static final class Race {
        /// How often R reads: about as long as S takes.
        private static final int READS = 8;

        private static final int SLOTS = 1;
        private static final int RECORDS = 4;
        private static final long BEFORE = RecordHeader.installed(CommitTimestamp.of(0, 1));
        private static final long COMMIT = CommitTimestamp.of(1, 1);
        private static final long OLD = 1;
        private static final long NEW = 2;

        private static final RecordSchema SCHEMA = schema();
        private static final int PAYLOAD_BYTES = SCHEMA.payloadBytes();
        private static final BucketLayout BUCKET =
                new BucketLayout(RECORDS, SCHEMA.key().words(), PAYLOAD_BYTES, true);
        private static final long A = TableHead.BYTES;
        private static final long B = A + BUCKET.bucketBytes();
        private static final long LEVEL = B + BUCKET.bucketBytes();
        private static final long RING = LEVEL + 64;
        private static final int PLACE_BYTES = (int) RING + 256;

        private final StressRegion region;
        private final Memory memory = new Memory();
        private final QueuePair splitting;
        private final QueuePair reading;
        private final BucketSplit split;
        private final RecordRead toWrite;
        private final RecordWrite write;
        private final RecordRead read;
        private final NeighbourRead neighbours;
        private final Found found = new Found();
        private final long target;
        private final long source;
        private final long scratch;

        /// Sees the rows, and not W's commit.
        private final Snapshot snapshot = Snapshots.of(1);

        /// Sees nothing, so that every old version must be kept.
        private final Snapshot lowWatermark = new Snapshot();

        /// Groups of neighbours, of which the second one moves.
        private final long staying;

        private final long moving;

        Race(ShmFabric.Options options) {
            region = new StressRegion(options, IntentLayout.bytes(SLOTS), PLACE_BYTES);
            splitting = region.connect();
            reading = region.connect();
            HashTable any = table(region.nextPlace());
            staying = group(any, 0);
            moving = group(any, 1);
            LatchOwner owner =
                    new LatchOwner(0, Host.MACHINE, Long.MAX_VALUE, LatchOwner.Cancellation.NEVER);
            Intents intents =
                    new Intents(splitting, new IntentLayout(region.shared()), 0, 0, memory);
            split = new BucketSplit(splitting, memory, owner, intents, _ -> RemoteAddress.NULL);
            toWrite = new RecordRead(any, SCHEMA.all());
            write = new RecordWrite(any);
            read = new RecordRead(any, SCHEMA.all());
            neighbours = new NeighbourRead(any, found);
            target = reading.localMemory(PAYLOAD_BYTES);
            source = splitting.localMemory(2L * PAYLOAD_BYTES);
            scratch = splitting.localMemory(RecordWrite.scratchBytes(any));
        }

        private static RecordSchema schema() {
            TableDefinition.Builder table =
                    TableDefinition.named("t")
                            .column("g", ColumnType.INT64)
                            .column("n", ColumnType.INT64);
            for (int column = 0; column < OneRecord.PAYLOAD_WORDS; column++) {
                table.column("c" + column, ColumnType.INT64);
            }
            return new RecordSchema(table.primaryKey("g", "n").neighbours(1).build());
        }

        /// The table of a place, as a process knows it that has met no split.
        static HashTable table(long place) {
            return new HashTable(0, SCHEMA.key(), 1, BUCKET, 1, new long[] {place}, 1);
        }

        private static long group(HashTable table, int side) {
            long group = 1;
            while ((table.hash(key(group, 0)) & 1) != side) {
                group++;
            }
            return group;
        }

        private static long[] key(long group, long number) {
            long[] words = new long[SCHEMA.key().words()];
            SCHEMA.key().encode(words, 0, group);
            SCHEMA.key().encode(words, 1, number);
            return words;
        }

        long place() {
            long place = region.nextPlace();
            region.put(place, 0, 0, 0);
            region.put(place + TableHead.levelOffset(0), 0);
            long bucket = place + A;
            region.put(bucket, 0, 0, 0, 0);
            put(bucket, 0, key(staying, 0));
            put(bucket, 1, key(moving, 0));
            put(bucket, 2, key(moving, 1));
            region.put(bucket + BUCKET.entryOffset(3), RecordHeader.FREE);
            return place;
        }

        private void put(long bucket, int entry, long[] key) {
            region.put(bucket + BUCKET.entryOffset(entry), BEFORE, key[0], key[1]);
            long body = bucket + BUCKET.bodyOffset(entry);
            region.put(body, RemoteAddress.NULL);
            region.fill(body + Long.BYTES, OneRecord.PAYLOAD_WORDS, OLD);
        }

        /// S, and then W.
        void split(long place, HashTable table) {
            memory.place = place;
            split.clear();
            split.add(table, false, table.hash(key(moving, 0)), place + A, 0, false);
            int done = split.run(snapshot);
            assert done == 1 : "nothing is in the way of the split";
            prepare(toWrite, table, 0, source);
            toWrite.post(splitting);
            finish(toWrite, splitting);
            write.prepareUpdate(toWrite);
            write.postLock(splitting);
            splitting.await();
            write.settle();
            assert write.isLocked() : "there is no other writer";
            write.prepare(splitting, memory, lowWatermark);
            long payload = source + PAYLOAD_BYTES;
            for (int word = 0; word < OneRecord.PAYLOAD_WORDS; word++) {
                LocalMemory.putLong(payload + 8L * word, NEW);
            }
            long header = RecordHeader.installed(COMMIT);
            write.postKeepOldVersion(splitting, header, scratch);
            write.postPayload(splitting, 0, payload, PAYLOAD_BYTES);
            write.postHeader(splitting, header);
            splitting.await();
        }

        private void prepare(RecordRead lookup, HashTable table, long number, long to) {
            lookup.prepare(table, key(moving, number), SCHEMA.all(), to);
        }

        private void finish(RecordRead lookup, QueuePair queuePair) {
            do {
                queuePair.await();
            } while (!lookup.advance(queuePair, snapshot));
        }

        String read(HashTable table) {
            String seen = "old";
            for (int i = 0; i < READS && seen.equals("old"); i++) {
                prepare(read, table, 0, target);
                read.post(reading);
                finish(read, reading);
                seen = read.isPresent() ? name(OneRecord.value(target)) : "absent";
                if (seen.equals("old")) {
                    seen = readBoth(table);
                }
            }
            return seen;
        }

        private String readBoth(HashTable table) {
            found.rollBack(0);
            neighbours.prepare(table, key(moving, 0), found);
            do {
                neighbours.post(reading);
                reading.await();
            } while (!neighbours.take(reading, snapshot));
            int present = 0;
            for (RecordRead each : found.reads) {
                while (!each.isDone() && !each.advance(reading, snapshot)) {
                    reading.await();
                }
                present += each.isPresent() ? 1 : 0;
            }
            return switch (present) {
                case 0 -> "absent";
                case 2 -> "old";
                default -> "partial";
            };
        }

        /// What R must not do: looks for the rows in A alone.
        String readHeaders(long place) {
            String seen = "old";
            for (int i = 0; i < READS && seen.equals("old"); i++) {
                long view = reading.read(place + A + BUCKET.entryOffset(1), Long.BYTES);
                reading.await();
                seen = LocalMemory.longAcquire(view) == RecordHeader.FREE ? "absent" : "old";
            }
            return seen;
        }

        private static String name(long value) {
            return value == OLD ? "old" : value == NEW ? "new" : "mixed";
        }
    }

    /// Hands out what a place has: for a bucket, a level of the directory, and a ring.
    private static final class Memory implements RemoteAllocator {
        private long place;

        @Override
        public long allocate(int server, int bytes) {
            if (bytes == Race.BUCKET.bucketBytes()) {
                return place + Race.B;
            }
            return place + (bytes == Long.BYTES ? Race.LEVEL : Race.RING);
        }

        @Override
        public void reserve(int server, int bytes) {
            // There is always space.
        }

        @Override
        public void free(long address, int bytes) {
            // The place is used again with the next state.
        }
    }

    private static final class Found implements RecordSink {
        private final List<RecordRead> reads = new ArrayList<>();

        @Override
        public RecordRead next(HashTable table, long[] key) {
            RecordRead lookup = new RecordRead(table, Race.SCHEMA.nothing());
            lookup.prepare(table, key, Race.SCHEMA.nothing(), 0);
            reads.add(lookup);
            return lookup;
        }

        @Override
        public int provided() {
            return reads.size();
        }

        @Override
        public void rollBack(int count) {
            reads.subList(count, reads.size()).clear();
        }
    }
}
