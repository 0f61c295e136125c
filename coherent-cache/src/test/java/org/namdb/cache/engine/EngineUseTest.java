package org.namdb.cache.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.cache.selcc.LineCache;
import org.namdb.cache.selcc.LineCacheOptions;
import org.namdb.cache.selcc.LineSession;
import org.namdb.cache.selcc.LocalCaches;
import org.namdb.fabric.Host;
import org.namdb.fabric.Threads;
import org.namdb.fabric.peer.PeerFabric;

/// Compute servers that use the lines of an engine in different ways.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineUseTest {
    private static final LineCacheOptions OPTIONS =
            LineCacheOptions.DEFAULT.withLineBytes(512).withFrames(64);
    private static final long SHORT_NANOS = 20_000_000;
    private static final int DEAD = 7;

    private static EngineUse use(
            LineSession session, long line, @Nullable ConcurrencyControl control) {
        return new EngineUse(session, session.uncached(line), control);
    }

    private static void assertRefused(EngineUse use, String message) {
        assertThatExceptionOfType(EngineInUseException.class)
                .isThrownBy(() -> use.begin(SHORT_NANOS))
                .withMessageContaining(message);
    }

    @Test
    void kindsOfControlAreNotMixed() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 2);
                LineSession one = caches.cache(0).open();
                LineSession other = caches.cache(1).open()) {
            long line = TupleSession.createLine(one);
            EngineUse locks = use(one, line, ConcurrencyControl.TWO_PHASE_LOCKING);
            EngineUse moreLocks = use(other, line, ConcurrencyControl.TWO_PHASE_LOCKING);
            EngineUse optimistic = use(other, line, ConcurrencyControl.OPTIMISTIC);
            EngineUse own = use(one, line, ConcurrencyControl.TIMESTAMP_ORDERING);
            locks.begin(SHORT_NANOS);
            assertRefused(
                    optimistic,
                    "compute server 0 runs transactions with 2pl on these lines, and occ can't be mixed with it");
            assertRefused(own, "to can't be mixed");
            moreLocks.begin(SHORT_NANOS);
            locks.end();
            assertRefused(own, "compute server 1");
            moreLocks.end();
            optimistic.begin(SHORT_NANOS);
            assertRefused(locks, "compute server 1 runs transactions with occ");
        }
    }

    @Test
    void checksAndTransactionsWaitForEachOther() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 2);
                LineSession one = caches.cache(0).open();
                LineSession other = caches.cache(1).open()) {
            long line = TupleSession.createLine(one);
            EngineUse run = use(one, line, ConcurrencyControl.OPTIMISTIC);
            EngineUse check = use(other, line, null);
            EngineUse secondCheck = use(one, line, null);
            run.begin(SHORT_NANOS);
            assertRefused(check, "compute server 0 runs transactions on these lines still");
            run.end();
            check.begin(SHORT_NANOS);
            assertRefused(run, "compute server 1 is checking these lines still");
            secondCheck.begin(SHORT_NANOS);
            check.end();
            assertRefused(run, "compute server 0 is checking");
            secondCheck.end();
            run.begin(SHORT_NANOS);
        }
    }

    /// A compute server opens a session for each thread before it runs any.
    @Test
    void aCheckThatWaitsKeepsNoMoreSessionsFromBeingOpened() throws Exception {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 2);
                LineSession one = caches.cache(0).open();
                LineSession more = caches.cache(0).open();
                LineSession other = caches.cache(1).open()) {
            long line = TupleSession.createLine(one);
            EngineUse run = use(one, line, ConcurrencyControl.OPTIMISTIC);
            EngineUse secondRun = use(more, line, ConcurrencyControl.OPTIMISTIC);
            run.begin(SHORT_NANOS);
            Threads.run(
                    2,
                    thread -> {
                        if (thread == 0) {
                            use(other, line, null).begin(EngineUse.WAIT_NANOS);
                        } else {
                            Host.MACHINE.sleep(SHORT_NANOS);
                            secondRun.begin(EngineUse.WAIT_NANOS);
                            run.end();
                            secondRun.end();
                        }
                    });
        }
    }

    /// It has died with its sessions open.
    @Test
    void whatADeadComputeServerUsesIsFreeWhenItIsCleared() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 1);
                LineSession one = caches.cache(0).open()) {
            long line = TupleSession.createLine(one);
            PeerFabric peers = caches.joinPeers(DEAD);
            LineCache dead = caches.join(OPTIONS, peers, actual -> actual);
            use(dead.open(), line, ConcurrencyControl.OPTIMISTIC).begin(SHORT_NANOS);
            peers.close();
            EngineUse locks = use(one, line, ConcurrencyControl.TWO_PHASE_LOCKING);
            EngineUse check = use(one, line, null);
            assertRefused(locks, "compute server 7");
            assertRefused(check, "compute server 7");
            while (!caches.cache(0).clear(Set.of(DEAD))) {
                Host.MACHINE.sleep(1_000_000); // the test's limit ends it
            }
            locks.begin(SHORT_NANOS);
            locks.end();
            LineCache next = caches.join(OPTIONS, 8); // with the dead one's station
            try (LineSession session = next.open()) {
                assertThat(session.station()).isEqualTo(dead.station());
                EngineUse timestamps = use(session, line, ConcurrencyControl.TIMESTAMP_ORDERING);
                timestamps.begin(SHORT_NANOS);
                assertRefused(check, "compute server 8");
                timestamps.end();
            }
            check.begin(SHORT_NANOS);
            check.end();
            next.close();
        }
    }

    @Test
    void noTwoUsesAreThereAtATime() throws Exception {
        int servers = 3;
        long seed = new SplittableRandom().nextLong();
        try (LocalCaches caches = new LocalCaches(OPTIONS, servers)) {
            long line;
            try (LineSession session = caches.cache(0).open()) {
                line = TupleSession.createLine(session);
            }
            AtomicReference<String> current = new AtomicReference<>("");
            AtomicInteger begun = new AtomicInteger();
            Threads.run(
                    2 * servers,
                    thread -> {
                        SplittableRandom random = new SplittableRandom(seed + thread);
                        try (LineSession session = caches.cache(thread % servers).open()) {
                            for (int i = 0; i < 200; i++) {
                                int kind = random.nextInt(4);
                                EngineUse use =
                                        use(
                                                session,
                                                line,
                                                kind == 3
                                                        ? null
                                                        : ConcurrencyControl.values()[kind]);
                                try {
                                    use.begin(random.nextInt(3_000_000));
                                } catch (EngineInUseException e) {
                                    continue;
                                }
                                begun.incrementAndGet();
                                String own = "use " + kind + ";";
                                current.updateAndGet(all -> all + own);
                                Thread.yield();
                                assertThat(current.get().replace(own, ""))
                                        .as("seed %d, at the same time as %s", seed, own)
                                        .isEmpty();
                                current.updateAndGet(all -> all.substring(own.length()));
                                use.end();
                            }
                        }
                    });
            assertThat(begun.get()).isPositive();
        }
    }

    @Test
    void linesThatAreTooShortAreRefused() {
        try (LocalCaches caches = new LocalCaches(OPTIONS.withLineBytes(256), 1);
                LineSession session = caches.cache(0).open()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> TupleSession.createLine(session))
                    .withMessageContaining("compute.line-bytes");
        }
    }
}
