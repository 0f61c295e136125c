package org.namdb.timestamp.snapshot;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.timestamp.ChainBuffer;
import org.namdb.timestamp.ChainHead;
import org.namdb.timestamp.StressVector;
import org.namdb.timestamp.TimestampSlot;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/// Two threads commit and append to the snapshot chain at the same time: every snapshot that is
/// used is a member, members with one number are one vector, and a higher number is a vector that
/// sees more.
///
/// The buffers of the chain are reused all the time, so a reader that took a reused one for the
/// member that it needs would be found out here.
public final class ConcurrentAppends {
    private ConcurrentAppends() {}

    @Outcome(id = "one member", expect = ACCEPTABLE, desc = "Both use the member that one made.")
    @Outcome(
            id = {"A before B", "B before A"},
            expect = ACCEPTABLE,
            desc = "Two members, and the later one sees all that the earlier one sees.")
    @Outcome(
            id = "one number, two vectors",
            expect = FORBIDDEN,
            desc = "Both CASes to one number have succeeded, or a buffer was read half reused.")
    @Outcome(
            id = "not comparable",
            expect = FORBIDDEN,
            desc = "The later one misses what the earlier one sees: no chain.")
    @Outcome(
            id = "own commit missed",
            expect = FORBIDDEN,
            desc = "A thread does not see what it has itself committed before.")
    private static final class Chain {}

    @JCStressTest
    @JCStressMeta(Chain.class)
    @State
    public static class InPlace {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final Member a = new Member();
        private final Member b = new Member();

        @Actor
        public void a() {
            RACE.a.commitAndBegin(a);
        }

        @Actor
        public void b() {
            RACE.b.commitAndBegin(b);
        }

        @Arbiter
        public void compare(L_Result result) {
            result.r1 = Race.compare(a, b);
        }
    }

    @JCStressTest
    @JCStressMeta(Chain.class)
    @State
    public static class Landing {
        private static final Race RACE = new Race(StressRegion.LANDING);
        private final Member a = new Member();
        private final Member b = new Member();

        @Actor
        public void a() {
            RACE.a.commitAndBegin(a);
        }

        @Actor
        public void b() {
            RACE.b.commitAndBegin(b);
        }

        @Arbiter
        public void compare(L_Result result) {
            result.r1 = Race.compare(a, b);
        }
    }

    /// Reads the member that the head points to, and does not check the guard of its buffer again.
    @JCStressTest
    @Outcome(id = "guarded", expect = ACCEPTABLE, desc = "What was read is one member.")
    @Outcome(
            id = "reused",
            expect = ACCEPTABLE_INTERESTING,
            desc = "The buffer was reused while it was read: no member at all, but for the guard.")
    @State
    public static class WithoutGuard {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final Member a = new Member();

        @Actor
        public void a() {
            RACE.a.commitAndBegin(a);
            RACE.a.commitAndBegin(a);
        }

        @Actor
        public void reader(L_Result result) {
            result.r1 = RACE.readHead();
        }
    }

    /// What a snapshot sees.
    private static final class Member {
        private long own;
        private long sequence;
        private long timestampOfA;
        private long timestampOfB;

        boolean sees(Member other) {
            return timestampOfA >= other.timestampOfA && timestampOfB >= other.timestampOfB;
        }
    }

    private static final class Committer {
        private final TimestampSlot slot;
        private final SnapshotOracle oracle;
        private final Snapshot snapshot = new Snapshot();

        Committer(TimestampSlot slot) {
            this.slot = slot;
            this.oracle = new SnapshotChain(slot);
        }

        void commitAndBegin(Member member) {
            member.own = StressVector.commit(slot);
            oracle.acquire(snapshot);
            member.sequence = snapshot.sequence();
            member.timestampOfA = snapshot.timestamp(0);
            member.timestampOfB = snapshot.timestamp(1);
        }
    }

    private static final class Race {
        /// How often the head is read: about as long as two commits take.
        private static final int READS = 8;

        private final StressVector vector;
        private final Committer a;
        private final Committer b;
        private final QueuePair reader;

        Race(ShmFabric.Options options) {
            vector = new StressVector(options, 2);
            a = new Committer(vector.slot(vector.connect()));
            b = new Committer(vector.slot(vector.connect()));
            reader = vector.connect();
        }

        static String compare(Member a, Member b) {
            if (a.timestampOfA < a.own || b.timestampOfB < b.own) {
                return "own commit missed";
            }
            if (a.sequence == b.sequence) {
                return a.sees(b) && b.sees(a) ? "one member" : "one number, two vectors";
            }
            Member later = a.sequence > b.sequence ? a : b;
            Member earlier = later == a ? b : a;
            if (!later.sees(earlier)) {
                return "not comparable";
            }
            return later == a ? "B before A" : "A before B";
        }

        String readHead() {
            for (int read = 0; read < READS; read++) {
                if (!isHeadRead()) {
                    return "reused";
                }
            }
            return "guarded";
        }

        private boolean isHeadRead() {
            long headView = reader.read(vector.layout().chain(), 8);
            reader.await();
            long head = LocalMemory.longAcquire(headView);
            long buffer = vector.layout().chainBuffer(ChainHead.slot(head), ChainHead.buffer(head));
            long view = reader.read(buffer, ChainBuffer.bytes(2));
            reader.await();
            long guard = LocalMemory.longAcquire(view + ChainBuffer.GUARD_OFFSET);
            return ChainBuffer.sequence(guard) == ChainHead.sequence(head);
        }
    }
}
