package org.namdb.timestamp;

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

/// Two threads commit in one slot: when the slot says t, everything up to t is installed.
/// ```
///   A  next() = 5
///   B  next() = 6, installs, completes 6
///   A  reads: the slot has 4, as 5 is not installed; installs, completes 5, and so publishes 6
/// ```
/// Each actor reads the slot while its own commit is in progress. Results: what A has found, and
/// what B.
public final class SharedSlotOrder {
    private SharedSlotOrder() {}

    @Outcome(
            id = "all installed, all installed",
            expect = ACCEPTABLE,
            desc = "What the slot promised was there.")
    @Outcome(
            id = {"a gap, .*", ".*, a gap"},
            expect = FORBIDDEN,
            desc = "6 was published while 5 was still installing.")
    private static final class NoGap {}

    @JCStressTest
    @JCStressMeta(NoGap.class)
    @State
    public static class InPlace {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);

        @Actor
        public void a(LL_Result found) {
            found.r1 = RACE.a.commitInOrder();
        }

        @Actor
        public void b(LL_Result found) {
            found.r2 = RACE.b.commitInOrder();
        }
    }

    @JCStressTest
    @JCStressMeta(NoGap.class)
    @State
    public static class Landing {
        private static final Race RACE = new Race(StressRegion.LANDING);

        @Actor
        public void a(LL_Result found) {
            found.r1 = RACE.a.commitInOrder();
        }

        @Actor
        public void b(LL_Result found) {
            found.r2 = RACE.b.commitInOrder();
        }
    }

    @JCStressTest
    @Outcome(
            id = "all installed, all installed",
            expect = ACCEPTABLE,
            desc = "In order, by chance.")
    @Outcome(
            id = {"a gap, .*", ".*, a gap"},
            expect = ACCEPTABLE_INTERESTING,
            desc = "Each publishes its own: 6 is in the slot while 5 is still installing.")
    @State
    public static class EachItsOwn {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);

        @Actor
        public void a(LL_Result found) {
            found.r1 = RACE.a.commitAtOnce();
        }

        @Actor
        public void b(LL_Result found) {
            found.r2 = RACE.b.commitAtOnce();
        }
    }

    private static final class Race {
        private static final int CAPACITY = 8;

        private final Committer a;
        private final Committer b;

        Race(ShmFabric.Options options) {
            StressVector vector = new StressVector(options, 1, Committer.DATA_BYTES);
            SharedSlot slot = new SharedSlot(vector.slot(vector.connect()), CAPACITY);
            a = new Committer(vector, slot);
            b = new Committer(vector, slot);
        }
    }

    /// One thread of the compute server. A transaction's install is one word: its timestamp.
    private static final class Committer {
        private static final int DATA_BYTES = 512;
        private static final int DATA_WORDS = DATA_BYTES / 8;

        /// How far back it reads: further than commits can be in progress.
        private static final int LAST_COMMITS = 4;

        private final SharedSlot slot;
        private final QueuePair queuePair;
        private final long published;
        private final long data;

        Committer(StressVector vector, SharedSlot slot) {
            this.slot = slot;
            this.queuePair = vector.connect();
            this.published = vector.layout().slot(slot.number());
            this.data = vector.data();
        }

        String commitInOrder() {
            long commitTimestamp = next();
            String found = readPublished();
            install(commitTimestamp);
            slot.complete(commitTimestamp, queuePair);
            return found;
        }

        String commitAtOnce() {
            long commitTimestamp = next();
            String found = readPublished();
            install(commitTimestamp);
            queuePair.writeWord(published, CommitTimestamp.timestamp(commitTimestamp));
            queuePair.await();
            // So that the slot goes on handing out timestamps.
            slot.complete(commitTimestamp, queuePair);
            return found;
        }

        private long next() {
            long commitTimestamp = slot.next();
            while (commitTimestamp == SharedSlot.NONE) {
                slot.publish(queuePair);
                Thread.onSpinWait();
                commitTimestamp = slot.next();
            }
            return commitTimestamp;
        }

        private void install(long commitTimestamp) {
            long timestamp = CommitTimestamp.timestamp(commitTimestamp);
            queuePair.writeWord(place(timestamp), timestamp);
            queuePair.await();
        }

        private String readPublished() {
            long publishedView = queuePair.read(published, 8);
            queuePair.await();
            long last = LocalMemory.longAcquire(publishedView);
            long dataView = queuePair.read(data, DATA_BYTES);
            queuePair.await();
            for (long timestamp = Math.max(1, last - LAST_COMMITS);
                    timestamp <= last;
                    timestamp++) {
                long word = place(timestamp) - data;
                if (LocalMemory.longAcquire(dataView + word) < timestamp) {
                    return "a gap";
                }
            }
            return "all installed";
        }

        private long place(long timestamp) {
            return data + 8 * (timestamp % DATA_WORDS);
        }
    }
}
