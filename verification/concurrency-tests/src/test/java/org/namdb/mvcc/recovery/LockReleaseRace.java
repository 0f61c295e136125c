package org.namdb.mvcc.recovery;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.mvcc.tree.BLinkTree;
import org.namdb.timestamp.CommitTimestamp;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/// Two recoveries, one after the other, release the lock of a dead session on a record, which its
/// list still names, while a living session locks the record. The first one has unlocked it when
/// the second one meets the living session's lock, which looks the same.
/// ```
///   R  r = h|L of the dead d.  X: h|L -> h|M, wait, -> h.  Z: h|L -> h|M, wait, -> h
///   E  lists (r, h); CAS h -> h|L; looks at r; header := h|L|M, header := h'
/// ```
/// Results: what has become of E's lock, and what r is in the end.
public final class LockReleaseRace {
    private LockReleaseRace() {}

    @Outcome(id = "installed, h'", expect = ACCEPTABLE, desc = "E came when X had released d's.")
    @Outcome(id = "not locked, h", expect = ACCEPTABLE, desc = "E came too early.")
    @Outcome(
            id = {"stolen, h", "stolen, h'", "installed, h"},
            expect = FORBIDDEN,
            desc = "Z has released the lock of E, which lives.")
    @Outcome(expect = FORBIDDEN, desc = "A lock is left.")
    private static final class OneHolder {}

    @JCStressTest
    @JCStressMeta(OneHolder.class)
    @State
    public static class InPlace {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();

        @Actor
        public void recoveries() {
            RACE.release(place);
            RACE.release(place);
        }

        @Actor
        public void session(LL_Result outcome) {
            outcome.r1 = RACE.lockAndInstall(place);
        }

        @Arbiter
        public void header(LL_Result outcome) {
            outcome.r2 = RACE.header(place);
        }
    }

    @JCStressTest
    @JCStressMeta(OneHolder.class)
    @State
    public static class Landing {
        private static final Race RACE = new Race(StressRegion.LANDING);
        private final long place = RACE.place();

        @Actor
        public void recoveries() {
            RACE.release(place);
            RACE.release(place);
        }

        @Actor
        public void session(LL_Result outcome) {
            outcome.r1 = RACE.lockAndInstall(place);
        }

        @Arbiter
        public void header(LL_Result outcome) {
            outcome.r2 = RACE.header(place);
        }
    }

    @JCStressTest
    @Outcome(
            id = {"installed, h'", "not locked, h"},
            expect = ACCEPTABLE,
            desc = "Z came before E had locked, or after it had installed.")
    @Outcome(
            id = {"stolen, h'", "stolen, h", "installed, h"},
            expect = ACCEPTABLE_INTERESTING,
            desc = "Z takes E's lock for d's.")
    @State
    public static class WithoutMark {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();

        @Actor
        public void recoveries() {
            RACE.unlock(place);
            RACE.unlock(place);
        }

        @Actor
        public void session(LL_Result outcome) {
            outcome.r1 = RACE.lockAndInstall(place);
        }

        @Arbiter
        public void header(LL_Result outcome) {
            outcome.r2 = RACE.header(place);
        }
    }

    private static final class Race implements Tables {
        private static final int TABLE = 1;
        private static final int DEAD = 0;
        private static final int LIVING = 1;
        private static final int SLOTS = 2;
        private static final long TIMEOUT_NANOS = 10_000_000_000L;

        /// How often E tries to lock, and looks at the record: about as long as two releases take.
        private static final int TRIES = 16;

        private static final long BEFORE = RecordHeader.installed(CommitTimestamp.of(DEAD, 1));
        private static final long AFTER = RecordHeader.installed(CommitTimestamp.of(LIVING, 1));
        private static final BucketLayout BUCKET = new BucketLayout(1, 1, 8, true);
        private static final int PLACE_BYTES = BUCKET.bucketBytes();
        private static final long HEADER = BUCKET.entryOffset(0);
        private static final long BODY = BUCKET.bodyOffset(0);

        private final StressRegion region;
        private final HashTable table;
        private final QueuePair recovering;
        private final QueuePair living;
        private final Intents deadIntents;
        private final Intents intents;
        private final LockRelease release;

        Race(ShmFabric.Options options) {
            region = new StressRegion(options, IntentLayout.bytes(SLOTS), PLACE_BYTES);
            IntentLayout layout = new IntentLayout(region.shared());
            table =
                    new HashTable(
                            TABLE,
                            new KeyLayout(List.of("id"), List.of(ColumnType.INT64)),
                            1,
                            BUCKET,
                            1,
                            new long[] {region.nextPlace()},
                            1);
            recovering = region.connect();
            living = region.connect();
            deadIntents = new Intents(recovering, layout, DEAD, DEAD, new NoMemory());
            intents = new Intents(living, layout, LIVING, LIVING, new NoMemory());
            release =
                    new LockRelease(
                            recovering,
                            layout,
                            this,
                            Host.MACHINE,
                            () -> SLOTS,
                            slot -> slot == DEAD);
        }

        /// A record that the dead session has locked.
        long place() {
            long place = region.nextPlace();
            region.put(place, 0, 0, 0, 0, RecordHeader.lock(BEFORE), 1, 0, 1);
            return place;
        }

        /// A recovery: the dead session's list names the state's record alone.
        void release(long place) {
            deadIntents.start();
            deadIntents.addLock(place + HEADER, BEFORE, TABLE, place + BODY);
            deadIntents.post();
            recovering.await();
            boolean isDone = release.release(DEAD, Host.MACHINE.nanoTime() + TIMEOUT_NANOS);
            assert isDone : "the living session ends its attempt";
        }

        /// What a recovery must not do.
        void unlock(long place) {
            long _ = recovering.casWord(place + HEADER, RecordHeader.lock(BEFORE), BEFORE);
        }

        String lockAndInstall(long place) {
            intents.start();
            intents.addLock(place + HEADER, BEFORE, TABLE, place + BODY);
            intents.post();
            living.await();
            String outcome = "not locked";
            for (int i = 0; i < TRIES && outcome.equals("not locked"); i++) {
                if (living.casWord(place + HEADER, BEFORE, RecordHeader.lock(BEFORE)) == BEFORE) {
                    outcome = holdAndInstall(place);
                }
            }
            intents.postEnd();
            living.await();
            return outcome;
        }

        private String holdAndInstall(long place) {
            boolean isHeld = true;
            for (int look = 0; look < TRIES; look++) {
                isHeld &= RecordHeader.isLocked(read(place));
            }
            living.writeWord(place + HEADER, RecordHeader.moved(RecordHeader.lock(BEFORE)));
            living.writeWord(place + HEADER, AFTER);
            living.await();
            return isHeld ? "installed" : "stolen";
        }

        private long read(long place) {
            long view = living.read(place + HEADER, Long.BYTES);
            living.await();
            return LocalMemory.longAcquire(view);
        }

        String header(long place) {
            long header = region.word(place + HEADER);
            return header == BEFORE ? "h" : header == AFTER ? "h'" : RecordHeader.describe(header);
        }

        @Override
        public HashTable records(int number) {
            return table;
        }

        @Override
        public @Nullable HashTable index(int number) {
            return null;
        }

        @Override
        public List<BLinkTree> trees() {
            return List.of();
        }
    }

    /// One entry fits in the area of a slot.
    private static final class NoMemory implements RemoteAllocator {
        @Override
        public long allocate(int server, int bytes) {
            throw new AssertionError("one entry needs no memory");
        }

        @Override
        public void reserve(int server, int bytes) {
            throw new AssertionError("one entry needs no memory");
        }

        @Override
        public void free(long address, int bytes) {
            throw new AssertionError("nothing was allocated");
        }
    }
}
