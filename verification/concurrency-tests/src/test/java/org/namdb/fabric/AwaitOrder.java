package org.namdb.fabric;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.shm.ShmFabric;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// A READ that is posted after a WRITE takes effect after it, for all: of two threads that write a
/// word each and then read the other's, at least one sees the other. So does an announcement of a
/// snapshot reach the collector before the head is read, and a commit that was published the next
/// transaction that begins.
/// ```
///   A  WRITE x := 1, READ y; await; reads y            B  WRITE y := 1, READ x; await; reads x
/// ```
public final class AwaitOrder {
    private AwaitOrder() {}

    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Both came at the same time.")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "A came first.")
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "B came first.")
    @Outcome(
            id = "0, 0",
            expect = FORBIDDEN,
            desc = "Neither has seen what the other had written before it looked.")
    private static final class InOrder {}

    @JCStressTest
    @JCStressMeta(InOrder.class)
    @State
    public static class InPlace {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();

        @Actor
        public void a(II_Result seen) {
            seen.r1 = Race.writeThenRead(RACE.a, place, place + 8);
        }

        @Actor
        public void b(II_Result seen) {
            seen.r2 = Race.writeThenRead(RACE.b, place + 8, place);
        }
    }

    @JCStressTest
    @JCStressMeta(InOrder.class)
    @State
    public static class Landing {
        private static final Race RACE = new Race(StressRegion.LANDING);
        private final long place = RACE.place();

        @Actor
        public void a(II_Result seen) {
            seen.r1 = Race.writeThenRead(RACE.a, place, place + 8);
        }

        @Actor
        public void b(II_Result seen) {
            seen.r2 = Race.writeThenRead(RACE.b, place + 8, place);
        }
    }

    @JCStressTest
    @Outcome(
            id = {"1, 1", "0, 1", "1, 0"},
            expect = ACCEPTABLE,
            desc = "At least one has seen the other.")
    @Outcome(
            id = "0, 0",
            expect = ACCEPTABLE_INTERESTING,
            desc = "Both have looked before the await, while their WRITEs were under way.")
    @State
    public static class BeforeTheAwait {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();

        @Actor
        public void a(II_Result seen) {
            seen.r1 = Race.readTooEarly(RACE.a, place, place + 8);
        }

        @Actor
        public void b(II_Result seen) {
            seen.r2 = Race.readTooEarly(RACE.b, place + 8, place);
        }
    }

    private static final class Race {
        private final StressRegion region;
        private final QueuePair a;
        private final QueuePair b;

        Race(ShmFabric.Options options) {
            region = new StressRegion(options, 0, 64);
            a = region.connect();
            b = region.connect();
        }

        long place() {
            long place = region.nextPlace();
            region.put(place, 0, 0);
            return place;
        }

        static int writeThenRead(QueuePair queuePair, long own, long other) {
            queuePair.writeWord(own, 1);
            long view = queuePair.read(other, 8);
            queuePair.await();
            return (int) LocalMemory.longAcquire(view);
        }

        static int readTooEarly(QueuePair queuePair, long own, long other) {
            queuePair.writeWord(own, 1);
            long view = queuePair.read(other, 8);
            int seen = (int) LocalMemory.longAcquire(view);
            queuePair.await();
            return seen;
        }
    }
}
