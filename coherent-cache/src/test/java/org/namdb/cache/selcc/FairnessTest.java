package org.namdb.cache.selcc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Host;
import org.namdb.fabric.Threads;

/// No session waits for ever for a line that sessions of another compute server use.
class FairnessTest {
    private static final LineCacheOptions OPTIONS =
            LineCacheOptions.DEFAULT
                    .withLineBytes(512)
                    .withFrames(16)
                    .withWaitLimit(Duration.ofSeconds(5));
    private static final int USERS = 8;
    private static final long USE_NANOS = 200_000;

    /// There is always one of the readers that has the line.
    @Test
    void readersLeaveALineToAWriterOfAnotherComputeServer() throws Exception {
        assertOthersGetTheLine(false);
    }

    @Test
    void writersLeaveALineToAWriterOfAnotherComputeServer() throws Exception {
        assertOthersGetTheLine(true);
    }

    private static void assertOthersGetTheLine(boolean isExclusive) throws Exception {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 2)) {
            long line;
            try (LineSession session = caches.cache(0).open()) {
                line = session.allocate();
            }
            AtomicBoolean isOver = new AtomicBoolean();
            Threads.run(
                    USERS + 1,
                    thread -> {
                        try (LineSession session = caches.cache(thread == 0 ? 0 : 1).open()) {
                            if (thread == 0) {
                                change(session, line, 20);
                                isOver.set(true);
                            } else {
                                use(session, line, isExclusive, isOver);
                            }
                        }
                    });
            assertThat(caches.memory(line)).isEqualTo(20);
        }
    }

    private static void change(LineSession session, long line, int times) {
        for (int i = 0; i < times; i++) {
            Host.MACHINE.sleep(10 * USE_NANOS); // the others have it again
            try (LineGuard guard = session.exclusive(line)) {
                guard.putLong(0, guard.longAt(0) + 1);
            }
        }
    }

    private static void use(
            LineSession session, long line, boolean isExclusive, AtomicBoolean isOver) {
        while (!isOver.get() && Threads.goOn()) {
            try (LineGuard _ = isExclusive ? session.exclusive(line) : session.shared(line)) {
                Host.MACHINE.sleep(USE_NANOS);
            }
        }
    }

    /// One thread may have a line twice, however long another compute server waits.
    @Test
    void aThreadThatHasALineGetsItAgain() throws Exception {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 2);
                LineSession reader = caches.cache(1).open()) {
            long line = reader.allocate();
            AtomicBoolean isOver = new AtomicBoolean();
            LineGuard held = reader.shared(line);
            Thread writer =
                    Host.MACHINE.start(
                            "writer",
                            () -> {
                                try (LineSession session = caches.cache(0).open()) {
                                    change(session, line, 1);
                                    isOver.set(true);
                                }
                            });
            for (int i = 0; i < 1_000; i++) {
                try (LineGuard again = reader.shared(line)) {
                    assertThat(again.longAt(0)).isZero();
                }
                if (i % 100 == 0) {
                    Host.MACHINE.sleep(USE_NANOS);
                }
            }
            held.close();
            writer.join();
            assertThat(isOver.get()).isTrue();
        }
    }
}
