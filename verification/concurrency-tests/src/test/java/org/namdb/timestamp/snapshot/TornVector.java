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

/// Transactions commit one after the other in the first slot and in the last, while R begins: what
/// R sees is a snapshot.
/// ```
///   W  A commits in the first slot; Q begins, and sees A; B commits in the last slot
///   R  begins
/// ```
/// If Q and B are one transaction, B depends on A, and B without A is a torn vector. If they are
/// two, it is a long fork: Q has A and not B, R has B and not A.
///
/// Results: whether R sees A, and whether it sees B.
public final class TornVector {
    private TornVector() {}

    @Outcome(id = "not A, not B", expect = ACCEPTABLE, desc = "R began before A was published.")
    @Outcome(id = "A, not B", expect = ACCEPTABLE, desc = "R began between the two.")
    @Outcome(id = "A, B", expect = ACCEPTABLE, desc = "R began after B was published.")
    @Outcome(
            id = "not A, B",
            expect = FORBIDDEN,
            desc = "R sees B without A: no state of the database ever was like that.")
    private static final class Snapshots {}

    @JCStressTest
    @JCStressMeta(Snapshots.class)
    @State
    public static class InPlace {
        private static final Race RACE = new Race(StressRegion.IN_PLACE, SnapshotChain::new);
        private final Seen seen = new Seen();

        @Actor
        public void writer() {
            RACE.commitBoth(seen);
        }

        @Actor
        public void reader() {
            RACE.begin(seen);
        }

        @Arbiter
        public void compare(LL_Result result) {
            seen.tell(result);
        }
    }

    @JCStressTest
    @JCStressMeta(Snapshots.class)
    @State
    public static class Landing {
        private static final Race RACE = new Race(StressRegion.LANDING, SnapshotChain::new);
        private final Seen seen = new Seen();

        @Actor
        public void writer() {
            RACE.commitBoth(seen);
        }

        @Actor
        public void reader() {
            RACE.begin(seen);
        }

        @Arbiter
        public void compare(LL_Result result) {
            seen.tell(result);
        }
    }

    @JCStressTest
    @Outcome(
            id = {"not A, not B", "A, not B", "A, B"},
            expect = ACCEPTABLE,
            desc = "A snapshot, by chance.")
    @Outcome(
            id = "not A, B",
            expect = ACCEPTABLE_INTERESTING,
            desc = "A torn vector and a long fork: A and B came while R read from slot to slot.")
    @State
    public static class PlainRead {
        private static final Race RACE = new Race(StressRegion.IN_PLACE, DirectRead::new);
        private final Seen seen = new Seen();

        @Actor
        public void writer() {
            RACE.commitBoth(seen);
        }

        @Actor
        public void reader() {
            RACE.begin(seen);
        }

        @Arbiter
        public void compare(LL_Result result) {
            seen.tell(result);
        }
    }

    /// What the actors leave for the arbiter.
    private static final class Seen {
        private long committedA;
        private long committedB;
        private long seenOfA;
        private long seenOfB;

        void tell(LL_Result result) {
            result.r1 = seenOfA >= committedA ? "A" : "not A";
            result.r2 = seenOfB >= committedB ? "B" : "not B";
        }
    }

    private static final class Race {
        /// So many that it takes a while to read from the first to the last.
        private static final int SLOTS = 128;

        private static final int LAST = SLOTS - 1;

        /// How often R begins, unless it sees an update: about as long as W takes.
        private static final int BEGINS = 4;

        private final TimestampSlot first;
        private final TimestampSlot last;
        private final SnapshotOracle oracleOfQ;
        private final Snapshot snapshotOfQ = new Snapshot();
        private final SnapshotOracle oracle;
        private final Snapshot snapshot = new Snapshot();

        Race(ShmFabric.Options options, Function<TimestampSlot, SnapshotOracle> oracles) {
            StressVector vector = new StressVector(options, SLOTS);
            QueuePair writer = vector.connect();
            first = vector.slot(writer);
            oracle = oracles.apply(vector.slot(vector.connect()));
            oracleOfQ = oracles.apply(vector.slot(writer));
            while (vector.slot(writer).number() < LAST - 1) {
                // The slots in between are taken, and not used.
            }
            last = vector.slot(writer);
        }

        void commitBoth(Seen seen) {
            seen.committedA = StressVector.commit(first);
            oracleOfQ.acquire(snapshotOfQ);
            assert snapshotOfQ.timestamp(0) == seen.committedA : "Q sees A";
            seen.committedB = StressVector.commit(last);
        }

        void begin(Seen seen) {
            long seenOfB = snapshot.timestamp(LAST);
            for (int begin = 0; begin < BEGINS && snapshot.timestamp(LAST) == seenOfB; begin++) {
                oracle.acquire(snapshot);
            }
            seen.seenOfA = snapshot.timestamp(0);
            seen.seenOfB = snapshot.timestamp(LAST);
        }
    }
}
