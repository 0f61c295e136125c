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
import org.namdb.timestamp.snapshot.Snapshot;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/// Validation and lock are one CAS: of two transactions that have read the same version and want to
/// replace it, exactly one locks it. Results: whether A has locked, whether B has.
public final class RecordLock {
    private RecordLock() {}

    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "A was first; B finds the lock.")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "B was first; A finds the lock.")
    @Outcome(id = "true, true", expect = FORBIDDEN, desc = "Both have locked the record.")
    @Outcome(
            id = "false, false",
            expect = FORBIDDEN,
            desc = "Each was refused for the other, which hadn't locked it.")
    private static final class OneWins {}

    @JCStressTest
    @JCStressMeta(OneWins.class)
    @State
    public static class InPlace {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();
        private final HashTable table = OneRecord.table(place);

        @Actor
        public void a(ZZ_Result locked) {
            locked.r1 = RACE.a.readAndLock(table, RACE.snapshot);
        }

        @Actor
        public void b(ZZ_Result locked) {
            locked.r2 = RACE.b.readAndLock(table, RACE.snapshot);
        }
    }

    @JCStressTest
    @JCStressMeta(OneWins.class)
    @State
    public static class Landing {
        private static final Race RACE = new Race(StressRegion.LANDING);
        private final long place = RACE.place();
        private final HashTable table = OneRecord.table(place);

        @Actor
        public void a(ZZ_Result locked) {
            locked.r1 = RACE.a.readAndLock(table, RACE.snapshot);
        }

        @Actor
        public void b(ZZ_Result locked) {
            locked.r2 = RACE.b.readAndLock(table, RACE.snapshot);
        }
    }

    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "One was first; the other finds the lock.")
    @Outcome(
            id = "true, true",
            expect = ACCEPTABLE_INTERESTING,
            desc = "A header that is read, found unlocked and then written is locked by both.")
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "Each was refused for the other.")
    @State
    public static class ReadThenWrite {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();

        @Actor
        public void a(ZZ_Result locked) {
            locked.r1 = Race.lockInTwoSteps(RACE.a.queuePair(), place);
        }

        @Actor
        public void b(ZZ_Result locked) {
            locked.r2 = Race.lockInTwoSteps(RACE.b.queuePair(), place);
        }
    }

    private static final class Race {
        private final StressRegion region;
        private final RecordClient a;
        private final RecordClient b;
        private final Snapshot snapshot = Snapshots.of(1);

        Race(ShmFabric.Options options) {
            region = new StressRegion(options, 0, OneRecord.PLACE_BYTES);
            HashTable any = OneRecord.table(region.nextPlace());
            a = new RecordClient(region.connect(), any);
            b = new RecordClient(region.connect(), any);
        }

        long place() {
            long place = region.nextPlace();
            OneRecord.putFirst(region, place);
            return place;
        }

        static boolean lockInTwoSteps(QueuePair queuePair, long place) {
            long view = queuePair.read(OneRecord.header(place), 8);
            queuePair.await();
            long header = LocalMemory.longAcquire(view);
            if (RecordHeader.isLocked(header)) {
                return false;
            }
            queuePair.writeWord(OneRecord.header(place), RecordHeader.lock(header));
            queuePair.await();
            return true;
        }
    }
}
