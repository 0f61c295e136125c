package org.namdb.cache.selcc;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.Host;
import org.namdb.fabric.peer.LocalPeers;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.server.MemoryServer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/// Accesses of two compute servers to lines are sequentially consistent. Actor A is a thread of
/// one, B of the other; `x` and `y` are lines, which hold 0 at first and lie in the cache of one of
/// them, or of both.
public final class LineLitmus {
    private LineLitmus() {}

    /// ```
    ///   A  x := 1, reads y          B  y := 1, reads x
    /// ```
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE,
            desc = "One was first, or both were.")
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "Neither sees what the other wrote before.")
    private static final class StoreBuffering {}

    @JCStressTest
    @JCStressMeta(StoreBuffering.class)
    @State
    public static class StoreBufferingInPlace extends Lines {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);

        public StoreBufferingInPlace() {
            super(RACE);
        }

        @Actor
        public void a(JJ_Result read) {
            put(RACE.a, x, 1);
            read.r1 = get(RACE.a, y);
        }

        @Actor
        public void b(JJ_Result read) {
            put(RACE.b, y, 1);
            read.r2 = get(RACE.b, x);
        }
    }

    @JCStressTest
    @JCStressMeta(StoreBuffering.class)
    @State
    public static class StoreBufferingLanding extends Lines {
        private static final Race RACE = new Race(StressRegion.LANDING);

        public StoreBufferingLanding() {
            super(RACE);
        }

        @Actor
        public void a(JJ_Result read) {
            put(RACE.a, x, 1);
            read.r1 = get(RACE.a, y);
        }

        @Actor
        public void b(JJ_Result read) {
            put(RACE.b, y, 1);
            read.r2 = get(RACE.b, x);
        }
    }

    /// ```
    ///   A  x := 1, y := 1           B  reads y, reads x
    /// ```
    @Outcome(
            id = {"0, 0", "0, 1", "1, 1"},
            expect = ACCEPTABLE,
            desc = "B came first, between, or last.")
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "B sees y, and not x, which was before it.")
    private static final class MessagePassing {}

    @JCStressTest
    @JCStressMeta(MessagePassing.class)
    @State
    public static class MessagePassingInPlace extends Lines {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);

        public MessagePassingInPlace() {
            super(RACE);
        }

        @Actor
        public void a() {
            put(RACE.a, x, 1);
            put(RACE.a, y, 1);
        }

        @Actor
        public void b(JJ_Result read) {
            read.r1 = get(RACE.b, y);
            read.r2 = get(RACE.b, x);
        }
    }

    @JCStressTest
    @JCStressMeta(MessagePassing.class)
    @State
    public static class MessagePassingLanding extends Lines {
        private static final Race RACE = new Race(StressRegion.LANDING);

        public MessagePassingLanding() {
            super(RACE);
        }

        @Actor
        public void a() {
            put(RACE.a, x, 1);
            put(RACE.a, y, 1);
        }

        @Actor
        public void b(JJ_Result read) {
            read.r1 = get(RACE.b, y);
            read.r2 = get(RACE.b, x);
        }
    }

    /// ```
    ///   A  reads x, y := 1          B  reads y, x := 1
    /// ```
    @JCStressTest
    @Outcome(
            id = {"0, 0", "0, 1", "1, 0"},
            expect = ACCEPTABLE,
            desc = "One was first, or neither.")
    @Outcome(id = "1, 1", expect = FORBIDDEN, desc = "Each reads what the other wrote after it.")
    @State
    public static class LoadBuffering extends Lines {
        private static final Race RACE = new Race(StressRegion.LANDING);

        public LoadBuffering() {
            super(RACE);
        }

        @Actor
        public void a(JJ_Result read) {
            read.r1 = get(RACE.a, x);
            put(RACE.a, y, 1);
        }

        @Actor
        public void b(JJ_Result read) {
            read.r2 = get(RACE.b, y);
            put(RACE.b, x, 1);
        }
    }

    /// ```
    ///   A  x := 1, y := 2           B  y := 1, x := 2
    /// ```
    /// What `x` and `y` hold at last.
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1", "2, 2"},
            expect = ACCEPTABLE,
            desc = "One was last, or both were.")
    @Outcome(id = "1, 1", expect = FORBIDDEN, desc = "Both first writes came after the second.")
    @State
    public static class TwoWrites extends Lines {
        private static final Race RACE = new Race(StressRegion.LANDING);

        public TwoWrites() {
            super(RACE);
        }

        @Actor
        public void a() {
            put(RACE.a, x, 1);
            put(RACE.a, y, 2);
        }

        @Actor
        public void b() {
            put(RACE.b, y, 1);
            put(RACE.b, x, 2);
        }

        @Arbiter
        public void last(JJ_Result last) {
            last.r1 = get(RACE.other.get(), x);
            last.r2 = get(RACE.other.get(), y);
        }
    }

    private static void put(LineSession session, long line, long value) {
        try (LineGuard guard = session.exclusive(line)) {
            guard.putLong(0, value);
        }
    }

    private static long get(LineSession session, long line) {
        try (LineGuard guard = session.shared(line)) {
            return guard.longAt(0);
        }
    }

    /// The lines of a state.
    public abstract static class Lines {
        final long x;
        final long y;

        private Lines(Race race) {
            int number = race.states.getAndIncrement();
            int place = number & StressRegion.PLACES - 1;
            x = race.lines[2 * place];
            y = race.lines[2 * place + 1];
            int turn = number / StressRegion.PLACES;
            race.start(x, turn);
            race.start(y, turn / 2);
        }
    }

    private static final class Race {
        private static final int LINE_BYTES = 64;
        private static final LineCacheOptions OPTIONS =
                LineCacheOptions.DEFAULT.withLineBytes(LINE_BYTES).withFrames(4096);

        private final LineCache ofA;
        private final LineCache ofB;
        private final LineSession a;
        private final LineSession b;

        /// For threads that make and check states.
        private final ThreadLocal<LineSession> one;

        private final ThreadLocal<LineSession> other;
        private final long[] lines = new long[2 * StressRegion.PLACES];
        private final AtomicInteger states = new AtomicInteger();

        Race(ShmFabric.Options options) {
            ShmFabric fabric = new ShmFabric(options);
            MemoryServer server = new MemoryServer(fabric, 0, 8 << 20, 0);
            LocalPeers peers = new LocalPeers();
            ofA = join(fabric, server, peers, 0);
            ofB = join(fabric, server, peers, 1);
            a = ofA.open();
            b = ofB.open();
            one = ThreadLocal.withInitial(ofA::open);
            other = ThreadLocal.withInitial(ofB::open);
            for (int i = 0; i < lines.length; i++) {
                lines[i] = a.allocate();
            }
        }

        private static LineCache join(
                ShmFabric fabric, MemoryServer server, LocalPeers peers, int process) {
            return new LineCache(
                    OPTIONS,
                    fabric,
                    List.of(server.region()),
                    peers.join(process, Host.MACHINE),
                    Host.MACHINE);
        }

        /// Sets a line to 0; either cache has it then, or both have.
        void start(long line, int turn) {
            put((turn & 1) == 0 ? one.get() : other.get(), line, 0);
            if (turn % 3 == 0) {
                long _ = get((turn & 1) == 0 ? other.get() : one.get(), line);
            }
        }
    }
}
