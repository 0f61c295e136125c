package org.namdb.mvcc.hash;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.namdb.concurrency.Snapshots;
import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.snapshot.Snapshot;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/// A record is read while a version is installed that the reader's snapshot does not see: the
/// reader accepts what it has read only if the header is the same before and after, and else finds
/// the version that the writer has kept.
/// ```
///   W  header := h|L, old version to the buffer, header := h|L|M, payload, header := h'
///   R  header, payload, header again
/// ```
public final class ReadDuringInstall {
    private ReadDuringInstall() {}

    @Outcome(id = "old", expect = ACCEPTABLE, desc = "From its place, or from the buffer.")
    @Outcome(
            id = {"mixed", "new"},
            expect = FORBIDDEN,
            desc = "R has accepted a payload that was being replaced, or was replaced.")
    @Outcome(id = "absent", expect = FORBIDDEN, desc = "The version was gone before it was kept.")
    private static final class OneVersion {}

    @JCStressTest
    @JCStressMeta(OneVersion.class)
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
    @JCStressMeta(OneVersion.class)
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
            id = {"old", "don't read"},
            expect = ACCEPTABLE,
            desc = "R came first, or has found a header that says: look elsewhere.")
    @Outcome(
            id = {"mixed", "new"},
            expect = ACCEPTABLE_INTERESTING,
            desc = "The header allowed it when the read began, and was not read again.")
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

        private static final long COMMIT = CommitTimestamp.of(1, 1);
        private static final long NEW_VALUE = 2;

        private final StressRegion region;
        private final RecordClient writer;
        private final RecordClient reader;
        private final Snapshot snapshot = Snapshots.of(1);

        Race(ShmFabric.Options options) {
            region = new StressRegion(options, 0, OneRecord.PLACE_BYTES);
            HashTable any = OneRecord.table(region.nextPlace());
            writer = new RecordClient(region.connect(), any);
            reader = new RecordClient(region.connect(), any);
        }

        long place() {
            long place = region.nextPlace();
            OneRecord.putFirst(region, place);
            return place;
        }

        void install(long place, HashTable table) {
            boolean locked = writer.readAndLock(table, snapshot);
            assert locked : "there is no other writer";
            writer.install(place, COMMIT, NEW_VALUE);
        }

        String read(HashTable table) {
            String seen = "old";
            for (int read = 0; read < READS && seen.equals("old"); read++) {
                seen = name(reader.read(table, snapshot));
            }
            return seen;
        }

        String readUnvalidated(long place) {
            String seen = "old";
            for (int read = 0; read < READS && seen.equals("old"); read++) {
                seen = readOnce(place);
            }
            return seen;
        }

        private String readOnce(long place) {
            QueuePair queuePair = reader.queuePair();
            long headerView = queuePair.read(OneRecord.header(place), 8);
            long view = queuePair.read(OneRecord.payload(place), OneRecord.PAYLOAD_BYTES);
            queuePair.await();
            long header = LocalMemory.longAcquire(headerView);
            if (!snapshot.sees(header) || RecordHeader.isUnderOverwrite(header)) {
                return "don't read";
            }
            return name(OneRecord.value(view));
        }

        private static String name(long value) {
            if (value == OneRecord.FIRST_VALUE) {
                return "old";
            }
            return value == NEW_VALUE ? "new" : value == OneRecord.MIXED ? "mixed" : "absent";
        }
    }
}
