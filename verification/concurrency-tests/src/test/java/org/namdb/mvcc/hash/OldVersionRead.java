package org.namdb.mvcc.hash;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.namdb.concurrency.Snapshots;
import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.snapshot.Snapshot;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/// An old version is read while a writer goes round the old-version buffer: R's snapshot sees the
/// first of three versions, which is in the buffer's only place when the writer installs the third.
/// It goes to the overflow region first, and R finds it in the one place or in the other.
/// ```
///   R  header: too new; reads the buffer's headers: the first version is there
///   W  copies the first version to the overflow region, overwrites its place with the second
///   R  reads the payload in that place, and its header again: not the same
/// ```
public final class OldVersionRead {
    private OldVersionRead() {}

    @Outcome(id = "first", expect = ACCEPTABLE, desc = "From the buffer or the overflow region.")
    @Outcome(
            id = {"second", "third", "mixed"},
            expect = FORBIDDEN,
            desc = "R has accepted what the writer put over the version that it wanted.")
    @Outcome(id = "absent", expect = FORBIDDEN, desc = "The version was gone before it was kept.")
    private static final class FirstVersion {}

    @JCStressTest
    @JCStressMeta(FirstVersion.class)
    @State
    public static class InPlace {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();
        private final HashTable table = OneRecord.table(place);

        @Actor
        public void writer() {
            RACE.install(place, table);
        }

        @Actor
        public void reader(L_Result seen) {
            seen.r1 = RACE.read(table);
        }
    }

    @JCStressTest
    @JCStressMeta(FirstVersion.class)
    @State
    public static class Landing {
        private static final Race RACE = new Race(StressRegion.LANDING);
        private final long place = RACE.place();
        private final HashTable table = OneRecord.table(place);

        @Actor
        public void writer() {
            RACE.install(place, table);
        }

        @Actor
        public void reader(L_Result seen) {
            seen.r1 = RACE.read(table);
        }
    }

    @JCStressTest
    @Outcome(
            id = {"first", "gone"},
            expect = ACCEPTABLE,
            desc = "R came before the writer, or has found another version's header.")
    @Outcome(
            id = {"second", "mixed"},
            expect = ACCEPTABLE_INTERESTING,
            desc = "The header was right when R chose the place, and was not read again.")
    @State
    public static class WithoutLookingAgain {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();
        private final HashTable table = OneRecord.table(place);

        @Actor
        public void writer() {
            RACE.install(place, table);
        }

        @Actor
        public void reader(L_Result seen) {
            seen.r1 = RACE.readUnvalidated(place);
        }
    }

    private static final class Race {
        /// How often R reads: about as long as W takes.
        private static final int READS = 8;

        private static final long SECOND_COMMIT = CommitTimestamp.of(1, 1);
        private static final long SECOND_VALUE = 2;
        private static final long THIRD_COMMIT = CommitTimestamp.of(1, 2);
        private static final long THIRD_VALUE = 3;
        private static final OldVersionBuffer BUFFER = OneRecord.BUFFER;

        private final StressRegion region;
        private final RecordClient writer;
        private final RecordClient reader;
        private final Snapshot seesFirst = Snapshots.of(1, 0);
        private final Snapshot seesSecond = Snapshots.of(1, 1);

        Race(ShmFabric.Options options) {
            region = new StressRegion(options, 0, OneRecord.PLACE_BYTES);
            HashTable any = OneRecord.table(region.nextPlace());
            writer = new RecordClient(region.connect(), any);
            reader = new RecordClient(region.connect(), any);
        }

        long place() {
            long place = region.nextPlace();
            OneRecord.putSecond(region, place, SECOND_COMMIT, SECOND_VALUE);
            return place;
        }

        void install(long place, HashTable table) {
            boolean locked = writer.readAndLock(table, seesSecond);
            assert locked : "there is no other writer";
            writer.install(place, THIRD_COMMIT, THIRD_VALUE);
        }

        String read(HashTable table) {
            String seen = "first";
            for (int read = 0; read < READS && seen.equals("first"); read++) {
                seen = name(reader.read(table, seesFirst));
            }
            return seen;
        }

        String readUnvalidated(long place) {
            String seen = "first";
            for (int read = 0; read < READS && seen.equals("first"); read++) {
                seen = readOnce(place);
            }
            return seen;
        }

        private String readOnce(long place) {
            QueuePair queuePair = reader.queuePair();
            long pair = OneRecord.buffer(place) + BUFFER.pairOffset(0);
            long fromView = queuePair.read(pair + OldVersionBuffer.FROM_OFFSET, 8);
            queuePair.await();
            if (LocalMemory.longAcquire(fromView) != OneRecord.FIRST_COMMIT) {
                return "gone";
            }
            long payload = OneRecord.buffer(place) + BUFFER.payloadOffset(0);
            long view = queuePair.read(payload, OneRecord.PAYLOAD_BYTES);
            queuePair.await();
            return name(OneRecord.value(view));
        }

        private static String name(long value) {
            if (value == OneRecord.FIRST_VALUE) {
                return "first";
            }
            return value == SECOND_VALUE
                    ? "second"
                    : value == THIRD_VALUE
                            ? "third"
                            : value == OneRecord.MIXED ? "mixed" : "absent";
        }
    }
}
