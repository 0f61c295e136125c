package org.namdb.cache.frame;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.shm.ShmFabric;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/// The copy of a row is current as long as the stamp of its guard line is valid: a snapshot that
/// shows a commit finds no older copy of what that has written.
/// ```
///   W  takes the guard line: its frame is latched exclusively, and then not any more
///      publishes: WRITE flag := 1; await
///   R  chooses its snapshot: READ flag; await
///      looks at the stamp
/// ```
public final class StampedCopy {
    private StampedCopy() {}

    @Outcome(
            id = {"unpublished, current", "unpublished, stale"},
            expect = ACCEPTABLE,
            desc = "R's snapshot does not show the commit.")
    @Outcome(id = "published, stale", expect = ACCEPTABLE, desc = "R reads what was committed.")
    @Outcome(
            id = "published, current",
            expect = FORBIDDEN,
            desc = "R's snapshot shows the commit, and R uses the copy from before it.")
    private static final class NoOldCopy {}

    @JCStressTest
    @JCStressMeta(NoOldCopy.class)
    @State
    public static class InPlace {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();
        private final Frame frame = RACE.frames.next();
        private final LineStamp stamp = StressFrames.stamp(frame);

        @Actor
        public void writer() {
            RACE.commit(frame, place);
        }

        @Actor
        public void reader(LL_Result seen) {
            RACE.read(stamp, place, seen);
        }
    }

    @JCStressTest
    @JCStressMeta(NoOldCopy.class)
    @State
    public static class Landing {
        private static final Race RACE = new Race(StressRegion.LANDING);
        private final long place = RACE.place();
        private final Frame frame = RACE.frames.next();
        private final LineStamp stamp = StressFrames.stamp(frame);

        @Actor
        public void writer() {
            RACE.commit(frame, place);
        }

        @Actor
        public void reader(LL_Result seen) {
            RACE.read(stamp, place, seen);
        }
    }

    @JCStressTest
    @Outcome(
            id = {"unpublished, current", "unpublished, stale", "published, stale"},
            expect = ACCEPTABLE,
            desc = "By chance.")
    @Outcome(
            id = "published, current",
            expect = ACCEPTABLE_INTERESTING,
            desc = "The stamp was looked at before the snapshot was chosen: an old copy is used.")
    @State
    public static class StampFirst {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();
        private final Frame frame = RACE.frames.next();
        private final LineStamp stamp = StressFrames.stamp(frame);

        @Actor
        public void writer() {
            RACE.commit(frame, place);
        }

        @Actor
        public void reader(LL_Result seen) {
            seen.r2 = Race.validate(stamp);
            seen.r1 = RACE.snapshot(place);
        }
    }

    private static final class Race {
        private final StressRegion region;
        private final StressFrames frames = new StressFrames();
        private final QueuePair writer;
        private final QueuePair reader;

        Race(ShmFabric.Options options) {
            region = new StressRegion(options, 0, 64);
            writer = region.connect();
            reader = region.connect();
        }

        long place() {
            long place = region.nextPlace();
            region.put(place, 0);
            return place;
        }

        void commit(Frame frame, long place) {
            while (!frame.tryExclusive()) {
                Thread.onSpinWait();
            }
            frame.releaseExclusive();
            writer.writeWord(place, 1);
            writer.await();
        }

        void read(LineStamp stamp, long place, LL_Result seen) {
            seen.r1 = snapshot(place);
            seen.r2 = validate(stamp);
        }

        String snapshot(long place) {
            long flag = reader.read(place, 8);
            reader.await();
            return LocalMemory.longAcquire(flag) == 1 ? "published" : "unpublished";
        }

        static String validate(LineStamp stamp) {
            return stamp.isValid() ? "current" : "stale";
        }
    }
}
