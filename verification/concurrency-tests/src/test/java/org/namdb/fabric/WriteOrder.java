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
import org.openjdk.jcstress.infra.results.LL_Result;

/// WRITEs of one queue pair, posted in one batch, are seen in the order in which they were posted,
/// and READs read in theirs: a reader that finds the last word finds what was written before it.
/// Every install depends on that.
/// ```
///   W  WRITE data := new, WRITE flag := set; await
///   R  READ flag, READ data; await; checks the flag, then the data
/// ```
public final class WriteOrder {
    private WriteOrder() {}

    @Outcome(id = "unset, old", expect = ACCEPTABLE, desc = "R came first.")
    @Outcome(id = "unset, new", expect = ACCEPTABLE, desc = "R came between flag and data.")
    @Outcome(id = "unset, torn", expect = ACCEPTABLE, desc = "R came in the middle of the data.")
    @Outcome(id = "set, new", expect = ACCEPTABLE, desc = "R came last.")
    @Outcome(
            id = {"set, old", "set, torn"},
            expect = FORBIDDEN,
            desc = "R has found the flag, and not all that was written before it.")
    private static final class InOrder {}

    @JCStressTest
    @JCStressMeta(InOrder.class)
    @State
    public static class InPlace {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();

        @Actor
        public void writer() {
            RACE.writeDataFirst(place);
        }

        @Actor
        public void reader(LL_Result seen) {
            RACE.read(place, seen);
        }
    }

    @JCStressTest
    @JCStressMeta(InOrder.class)
    @State
    public static class Landing {
        private static final Race RACE = new Race(StressRegion.LANDING);
        private final long place = RACE.place();

        @Actor
        public void writer() {
            RACE.writeDataFirst(place);
        }

        @Actor
        public void reader(LL_Result seen) {
            RACE.read(place, seen);
        }
    }

    @JCStressTest
    @Outcome(
            id = {"unset, old", "unset, new", "unset, torn"},
            expect = ACCEPTABLE,
            desc = "R has looked at the flag before it was set.")
    @Outcome(id = "set, new", expect = ACCEPTABLE, desc = "R came last.")
    @Outcome(
            id = {"set, old", "set, torn"},
            expect = ACCEPTABLE_INTERESTING,
            desc = "Published before it was written: R has found the flag, and not the data.")
    @State
    public static class FlagFirst {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();

        @Actor
        public void writer() {
            RACE.writeFlagFirst(place);
        }

        @Actor
        public void reader(LL_Result seen) {
            RACE.read(place, seen);
        }
    }

    private static final class Race {
        private static final int DATA_WORDS = 6;
        private static final int DATA_BYTES = 8 * DATA_WORDS;
        private static final long OLD = 1;
        private static final long NEW = 2;

        private final StressRegion region;
        private final QueuePair writer;
        private final long source;
        private final QueuePair reader;

        Race(ShmFabric.Options options) {
            region = new StressRegion(options, 0, 64);
            writer = region.connect();
            source = writer.localMemory(DATA_BYTES);
            for (int word = 0; word < DATA_WORDS; word++) {
                LocalMemory.putLong(source + 8L * word, NEW);
            }
            reader = region.connect();
        }

        long place() {
            long place = region.nextPlace();
            region.fill(data(place), DATA_WORDS, OLD);
            region.put(flag(place), 0);
            return place;
        }

        void writeDataFirst(long place) {
            writer.write(data(place), source, DATA_BYTES);
            writer.writeWord(flag(place), 1);
            writer.await();
        }

        void writeFlagFirst(long place) {
            writer.writeWord(flag(place), 1);
            writer.write(data(place), source, DATA_BYTES);
            writer.await();
        }

        void read(long place, LL_Result seen) {
            long flag = reader.read(flag(place), 8);
            long data = reader.read(data(place), DATA_BYTES);
            reader.await();
            seen.r1 = LocalMemory.longAcquire(flag) == 1 ? "set" : "unset";
            long sum = 0;
            for (int word = 0; word < DATA_WORDS; word++) {
                sum += LocalMemory.longAt(data + 8L * word);
            }
            seen.r2 = sum == OLD * DATA_WORDS ? "old" : sum == NEW * DATA_WORDS ? "new" : "torn";
        }

        private static long flag(long place) {
            return place;
        }

        private static long data(long place) {
            return place + 8;
        }
    }
}
