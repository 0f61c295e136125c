package org.namdb.mvcc.hash;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.owner.LatchOwner;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/// One thread at a time holds a bucket's latch, and sees what the one before has written: both add
/// 1 to a word of the bucket. The release is posted with the WRITE, in one batch.
public final class BucketLatch {
    private BucketLatch() {}

    @Outcome(id = "2 added", expect = ACCEPTABLE, desc = "One after the other.")
    @Outcome(
            id = "1 added",
            expect = FORBIDDEN,
            desc = "Both held the latch, or the second came before what the first had written.")
    private static final class OneAtATime {}

    @JCStressTest
    @JCStressMeta(OneAtATime.class)
    @State
    public static class InPlace {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();

        @Actor
        public void a() {
            Race.addLatched(RACE.a, Race.A, place);
        }

        @Actor
        public void b() {
            Race.addLatched(RACE.b, Race.B, place);
        }

        @Arbiter
        public void sum(L_Result sum) {
            sum.r1 = RACE.sum(place);
        }
    }

    @JCStressTest
    @JCStressMeta(OneAtATime.class)
    @State
    public static class Landing {
        private static final Race RACE = new Race(StressRegion.LANDING);
        private final long place = RACE.place();

        @Actor
        public void a() {
            Race.addLatched(RACE.a, Race.A, place);
        }

        @Actor
        public void b() {
            Race.addLatched(RACE.b, Race.B, place);
        }

        @Arbiter
        public void sum(L_Result sum) {
            sum.r1 = RACE.sum(place);
        }
    }

    @JCStressTest
    @Outcome(id = "2 added", expect = ACCEPTABLE, desc = "One after the other, by chance.")
    @Outcome(
            id = "1 added",
            expect = ACCEPTABLE_INTERESTING,
            desc = "Without the latch, both have read the same word.")
    @State
    public static class WithoutLatch {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();

        @Actor
        public void a() {
            Race.add(RACE.a, place);
            RACE.a.await();
        }

        @Actor
        public void b() {
            Race.add(RACE.b, place);
            RACE.b.await();
        }

        @Arbiter
        public void sum(L_Result sum) {
            sum.r1 = RACE.sum(place);
        }
    }

    private static final class Race {
        private static final long COUNTER_OFFSET = BucketLayout.ENTRIES_OFFSET;
        private static final LatchOwner A = owner(0);
        private static final LatchOwner B = owner(1);

        private final StressRegion region;
        private final QueuePair a;
        private final QueuePair b;

        Race(ShmFabric.Options options) {
            region = new StressRegion(options, 0, 64);
            a = region.connect();
            b = region.connect();
        }

        private static LatchOwner owner(int slot) {
            return new LatchOwner(
                    slot, Host.MACHINE, Long.MAX_VALUE, LatchOwner.Cancellation.NEVER);
        }

        long place() {
            long place = region.nextPlace();
            region.put(place, 0, 0, 0, 0, 0);
            return place;
        }

        static void addLatched(QueuePair queuePair, LatchOwner owner, long place) {
            Latch.acquire(queuePair, place, owner);
            add(queuePair, place);
            Latch.postRelease(queuePair, place);
            queuePair.await();
        }

        static void add(QueuePair queuePair, long place) {
            long view = queuePair.read(place + COUNTER_OFFSET, 8);
            queuePair.await();
            queuePair.writeWord(place + COUNTER_OFFSET, LocalMemory.longAcquire(view) + 1);
        }

        String sum(long place) {
            return region.word(place + COUNTER_OFFSET) == 2 ? "2 added" : "1 added";
        }
    }
}
