package org.namdb.timestamp.snapshot;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.function.Function;
import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.timestamp.StressVector;
import org.namdb.timestamp.TimestampSlot;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/// A transaction sees every commit that was acknowledged before it began, whichever session has
/// made the snapshot that it uses.
/// ```
///   A  commits something; begins: collects, and CASes the chain's head
///   W  B commits and is acknowledged
///      C begins: its CAS may fail, as A has collected before B
/// ```
/// Results: what A sees of B, if that was acknowledged before A began, and what C sees of B.
public final class FreshSnapshot {
    private FreshSnapshot() {}

    @Outcome(
            id = "A began earlier, C sees B",
            expect = ACCEPTABLE,
            desc = "A may see B or not; C must, and does.")
    @Outcome(id = "A sees B, C sees B", expect = ACCEPTABLE, desc = "Both must, and do.")
    @Outcome(
            id = ".*, C misses B",
            expect = FORBIDDEN,
            desc =
                    "C uses a member that was collected before B was published, and so before C began.")
    @Outcome(
            id = "A misses B, .*",
            expect = FORBIDDEN,
            desc = "A began after B was acknowledged, and does not see it.")
    private static final class Fresh {}

    @JCStressTest
    @JCStressMeta(Fresh.class)
    @State
    public static class InPlace {
        private static final Race RACE = Race.of(StressRegion.IN_PLACE, SnapshotChain::new);
        private final Seen seen = new Seen();

        @Actor
        public void a() {
            RACE.commitAndBegin(seen);
        }

        @Actor
        public void w() {
            RACE.commitThenBegin(seen);
        }

        @Arbiter
        public void compare(LL_Result result) {
            seen.tell(result);
        }
    }

    @JCStressTest
    @JCStressMeta(Fresh.class)
    @State
    public static class Landing {
        private static final Race RACE = Race.of(StressRegion.LANDING, SnapshotChain::new);
        private final Seen seen = new Seen();

        @Actor
        public void a() {
            RACE.commitAndBegin(seen);
        }

        @Actor
        public void w() {
            RACE.commitThenBegin(seen);
        }

        @Arbiter
        public void compare(LL_Result result) {
            seen.tell(result);
        }
    }

    /// A and C are threads of one compute server, and share its refreshes.
    @JCStressTest
    @JCStressMeta(Fresh.class)
    @State
    public static class Shared {
        private static final Race RACE = Race.ofOneComputeServer();
        private final Seen seen = new Seen();

        @Actor
        public void a() {
            RACE.commitAndBegin(seen);
        }

        @Actor
        public void w() {
            RACE.commitThenBegin(seen);
        }

        @Arbiter
        public void compare(LL_Result result) {
            seen.tell(result);
        }
    }

    @JCStressTest
    @Outcome(
            id = {"A began earlier, C sees B", "A sees B, C sees B"},
            expect = ACCEPTABLE,
            desc = "Fresh, by chance.")
    @Outcome(
            id = ".*, C misses B",
            expect = ACCEPTABLE_INTERESTING,
            desc = "C takes the member that its CAS failed on: that was collected before B.")
    @Outcome(
            id = "A misses B, .*",
            expect = ACCEPTABLE_INTERESTING,
            desc = "A takes the member that its CAS failed on: that was collected before B.")
    @State
    public static class FirstMember {
        private static final Race RACE = Race.of(StressRegion.IN_PLACE, FirstNewer::new);
        private final Seen seen = new Seen();

        @Actor
        public void a() {
            RACE.commitAndBegin(seen);
        }

        @Actor
        public void w() {
            RACE.commitThenBegin(seen);
        }

        @Arbiter
        public void compare(LL_Result result) {
            seen.tell(result);
        }
    }

    /// Uses the first member that is newer than the one it fetched.
    private static final class FirstNewer extends SnapshotChain {
        FirstNewer(TimestampSlot slot) {
            super(slot);
        }

        @Override
        boolean isCollectedSince(long first, long now) {
            return now >= first + 1;
        }
    }

    /// What the actors leave for the arbiter.
    private static final class Seen {
        private volatile long acknowledged;
        private boolean mustSee;
        private long seenByA;
        private long seenByC;

        void tell(LL_Result result) {
            result.r1 =
                    !mustSee
                            ? "A began earlier"
                            : seenByA >= acknowledged ? "A sees B" : "A misses B";
            result.r2 = seenByC >= acknowledged ? "C sees B" : "C misses B";
        }
    }

    private static final class Race {
        private static final int MAX_SLOTS = 4;

        private final TimestampSlot slotOfA;
        private final TimestampSlot slotOfB;
        private final SnapshotOracle oracleOfA;
        private final SnapshotOracle oracleOfC;
        private final Snapshot snapshotOfA = new Snapshot();
        private final Snapshot snapshotOfC = new Snapshot();

        private Race(
                TimestampSlot slotOfA,
                TimestampSlot slotOfB,
                SnapshotOracle oracleOfA,
                SnapshotOracle oracleOfC) {
            this.slotOfA = slotOfA;
            this.slotOfB = slotOfB;
            this.oracleOfA = oracleOfA;
            this.oracleOfC = oracleOfC;
        }

        static Race of(ShmFabric.Options options, Function<TimestampSlot, SnapshotOracle> oracles) {
            StressVector vector = new StressVector(options, MAX_SLOTS);
            QueuePair queuePairOfA = vector.connect();
            QueuePair queuePairOfW = vector.connect();
            return new Race(
                    vector.slot(queuePairOfA),
                    vector.slot(queuePairOfW),
                    oracles.apply(vector.slot(queuePairOfA)),
                    oracles.apply(vector.slot(queuePairOfW)));
        }

        static Race ofOneComputeServer() {
            StressVector vector = new StressVector(StressRegion.IN_PLACE, MAX_SLOTS);
            SharedChain chain =
                    new SharedChain(vector.slot(vector.connect()), Long.MAX_VALUE, () -> 0);
            return new Race(
                    vector.slot(vector.connect()),
                    vector.slot(vector.connect()),
                    chain.session(),
                    chain.session());
        }

        void commitAndBegin(Seen seen) {
            StressVector.commit(slotOfA);
            seen.mustSee = seen.acknowledged != 0;
            oracleOfA.acquire(snapshotOfA);
            seen.seenByA = snapshotOfA.timestamp(slotOfB.number());
        }

        void commitThenBegin(Seen seen) {
            seen.acknowledged = StressVector.commit(slotOfB);
            oracleOfC.acquire(snapshotOfC);
            seen.seenByC = snapshotOfC.timestamp(slotOfB.number());
        }
    }
}
