package org.namdb.timestamp.snapshot;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.timestamp.Announcement;
import org.namdb.timestamp.StressVector;
import org.namdb.timestamp.TimestampSlot;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/// A transaction announces that it is about to choose a snapshot, and chooses then: so the low
/// watermark never passes a snapshot in use, and nothing is collected that it needs.
/// ```
///   R  announces, chooses S_k; reads; reads the low watermark
///   O  commits, appends to the chain, raises the low watermark as far as the announcements allow
/// ```
public final class AnnouncedFirst {
    private AnnouncedFirst() {}

    @Outcome(id = "kept", expect = ACCEPTABLE, desc = "The low watermark was not above S_k.")
    @Outcome(
            id = "passed",
            expect = FORBIDDEN,
            desc =
                    "The low watermark has passed a snapshot in use: a version that it needs may be gone.")
    private static final class NotPassed {}

    @JCStressTest
    @JCStressMeta(NotPassed.class)
    @State
    public static class InPlace {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);

        @Actor
        public void reader(L_Result result) {
            result.r1 = RACE.announceAndChoose();
        }

        @Actor
        public void observer() {
            RACE.raise();
        }
    }

    @JCStressTest
    @JCStressMeta(NotPassed.class)
    @State
    public static class Landing {
        private static final Race RACE = new Race(StressRegion.LANDING);

        @Actor
        public void reader(L_Result result) {
            result.r1 = RACE.announceAndChoose();
        }

        @Actor
        public void observer() {
            RACE.raise();
        }
    }

    @JCStressTest
    @Outcome(id = "kept", expect = ACCEPTABLE, desc = "In time, by chance.")
    @Outcome(
            id = "passed",
            expect = ACCEPTABLE_INTERESTING,
            desc =
                    "Chosen first: the observer found no reader, and went past S_k before that was announced.")
    @State
    public static class ChosenFirst {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);

        @Actor
        public void reader(L_Result result) {
            result.r1 = RACE.chooseAndAnnounce();
        }

        @Actor
        public void observer() {
            RACE.raise();
        }
    }

    private static final class Race {
        private static final int MAX_SLOTS = 4;

        /// How often the transaction reads: it shall last as long as the observer needs.
        private static final int READS = 24;

        private final QueuePair reader;
        private final Announcement announcement;
        private final SnapshotChain oracle;
        private final LowWatermark watermarkOfReader;
        private final Snapshot snapshot = new Snapshot();

        private final TimestampSlot slotOfObserver;
        private final SnapshotChain chainOfObserver;
        private final LowWatermark watermarkOfObserver;
        private final Snapshot newest = new Snapshot();

        Race(ShmFabric.Options options) {
            StressVector vector = new StressVector(options, MAX_SLOTS);
            reader = vector.connect();
            TimestampSlot slot = vector.slot(reader);
            announcement = slot.announcement();
            oracle = new SnapshotChain(slot);
            watermarkOfReader = watermark(vector, reader);
            QueuePair observer = vector.connect();
            slotOfObserver = vector.slot(observer);
            chainOfObserver = new SnapshotChain(slotOfObserver);
            watermarkOfObserver = watermark(vector, observer);
        }

        private static LowWatermark watermark(StressVector vector, QueuePair queuePair) {
            return new LowWatermark(vector.layout(), queuePair, Long.MAX_VALUE, System::nanoTime);
        }

        String announceAndChoose() {
            oracle.acquire(snapshot);
            String result = read();
            oracle.release();
            return result;
        }

        String chooseAndAnnounce() {
            oracle.refresh(snapshot);
            announcement.announce(snapshot.sequence());
            String result = read();
            announcement.withdraw();
            return result;
        }

        private String read() {
            boolean passed = false;
            for (int read = 0; read < READS; read++) {
                long view = watermarkOfReader.post();
                reader.await();
                passed |= LowWatermark.hasPassed(view, snapshot);
            }
            return passed ? "passed" : "kept";
        }

        void raise() {
            StressVector.commit(slotOfObserver);
            chainOfObserver.refresh(newest);
            watermarkOfObserver.observe();
        }
    }
}
