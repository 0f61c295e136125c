package org.namdb.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Several threads, each with a queue pair of its own, on the same memory.
public interface SharingCases extends FabricCase {
    /// Three cache lines and a bit.
    int BODY_WORDS = 26;

    int BODY_BYTES = 8 * BODY_WORDS;

    /// How many READs a reader makes while a writer runs, and how often it must have seen something
    /// new meanwhile.
    int MIN_READS = 1_000;

    int MIN_CHANGES = 30;

    @Test
    default void concurrentAddsAreAllCounted() throws Exception {
        int adds = rounds() * 3 / 5;
        Threads.run(
                4,
                thread -> {
                    QueuePair queuePair = connect();
                    for (int i = 0; i < adds; i++) {
                        queuePair.fetchAndAdd(address(0, 8), thread + 1);
                        queuePair.await();
                    }
                });
        assertThat(readWord(address(0, 8))).isEqualTo(adds * (1L + 2 + 3 + 4));
    }

    @Test
    default void concurrentCasSucceedsOncePerValue() throws Exception {
        int wins = rounds() / 5;
        Threads.run(
                4,
                thread -> {
                    QueuePair queuePair = connect();
                    long known = 0;
                    for (int won = 0; won < wins && Threads.goOn(); ) {
                        long view = queuePair.compareAndSwap(address(1, 8), known, known + 1);
                        queuePair.await();
                        long found = LocalMemory.longAt(view);
                        if (found == known) {
                            won++;
                        }
                        known = found;
                    }
                });
        assertThat(readWord(address(1, 8))).isEqualTo(4L * wins);
    }

    /// All bits of a word change at once, whichever verb moves it.
    @Test
    default void aWordIsNeverTorn() throws Exception {
        int bytes = 160;
        AtomicInteger reading = new AtomicInteger(1);
        Threads.run(
                2,
                thread -> {
                    QueuePair queuePair = connect();
                    if (thread == 0) {
                        writeZerosAndOnes(queuePair, address(0, 32), bytes, reading);
                        return;
                    }
                    try {
                        readZerosOrOnes(queuePair, address(0, 32), bytes);
                    } finally {
                        reading.decrementAndGet();
                    }
                });
    }

    private static void writeZerosAndOnes(
            QueuePair queuePair, long start, int bytes, AtomicInteger reading) {
        long zeros = queuePair.localMemory(bytes);
        long ones = queuePair.localMemory(bytes);
        LocalMemory.fill(ones, bytes, (byte) -1);
        for (boolean one = true; reading.get() > 0 && Threads.goOn(); one = !one) {
            queuePair.write(start, one ? ones : zeros, bytes);
            queuePair.await();
        }
    }

    private static void readZerosOrOnes(QueuePair queuePair, long start, int bytes) {
        long last = 0;
        int changes = 0;
        for (int reads = 0;
                (reads < MIN_READS || changes < MIN_CHANGES) && Threads.goOn();
                reads++) {
            long view = queuePair.read(start, bytes);
            queuePair.await();
            for (int i = 0; i < bytes; i += 8) {
                long word = LocalMemory.longAcquire(view + i);
                assertThat(word).isIn(0L, -1L);
                changes += word == last ? 0 : 1;
                last = word;
            }
        }
    }

    /// The writer posts body and flag together, the reader flag and body: each relies on the order
    /// of one queue pair.
    @Test
    default void aReaderThatSeesTheFlagSeesTheBody() throws Exception {
        AtomicInteger reading = new AtomicInteger(1);
        Threads.run(
                2,
                thread -> {
                    QueuePair queuePair = connect();
                    if (thread == 0) {
                        writeMessages(queuePair, address(0, 1024), address(0, 4096), reading);
                        return;
                    }
                    try {
                        readMessages(queuePair, address(0, 1024), address(0, 4096));
                    } finally {
                        reading.decrementAndGet();
                    }
                });
    }

    private static void writeMessages(
            QueuePair queuePair, long flag, long body, AtomicInteger reading) {
        long source = queuePair.localMemory(BODY_BYTES);
        for (long message = 1; reading.get() > 0 && Threads.goOn(); message++) {
            for (int i = 0; i < BODY_BYTES; i += 8) {
                LocalMemory.putLong(source + i, message);
            }
            queuePair.write(body, source, BODY_BYTES);
            queuePair.writeWord(flag, message);
            queuePair.await();
        }
    }

    private static void readMessages(QueuePair queuePair, long flag, long body) {
        long last = 0;
        int changes = 0;
        for (int reads = 0;
                (reads < MIN_READS || changes < MIN_CHANGES) && Threads.goOn();
                reads++) {
            long flagView = queuePair.read(flag, 8);
            long bodyView = queuePair.read(body, BODY_BYTES);
            queuePair.await();
            long message = LocalMemory.longAcquire(flagView);
            for (int i = 0; i < BODY_BYTES; i += 8) {
                assertThat(LocalMemory.longAcquire(bodyView + i)).isGreaterThanOrEqualTo(message);
            }
            changes += message == last ? 0 : 1;
            last = message;
        }
    }

    @Test
    default void aValidatedReadAcceptsOnlyConsistentBodies() throws Exception {
        int readers = 2;
        new GuardedRecord(queuePair(), address(1, 40), BODY_WORDS).initialize();
        AtomicInteger reading = new AtomicInteger(readers);
        Threads.run(
                readers + 2,
                thread -> {
                    GuardedRecord guarded =
                            new GuardedRecord(connect(), address(1, 40), BODY_WORDS);
                    if (thread >= readers) {
                        while (reading.get() > 0 && Threads.goOn()) {
                            if (!guarded.tryUpdate()) {
                                Threads.giveWay();
                            }
                        }
                        return;
                    }
                    try {
                        readVersions(guarded);
                    } finally {
                        reading.decrementAndGet();
                    }
                });
    }

    private static void readVersions(GuardedRecord guarded) {
        long last = 0;
        int changes = 0;
        for (int accepted = 0;
                (accepted < MIN_READS || changes < MIN_CHANGES) && Threads.goOn(); ) {
            GuardedRecord.Outcome outcome = guarded.read();
            assertThat(outcome).isNotEqualTo(GuardedRecord.Outcome.INCONSISTENT);
            if (outcome == GuardedRecord.Outcome.CONSISTENT) {
                accepted++;
                changes += guarded.versionRead() == last ? 0 : 1;
                last = guarded.versionRead();
            } else {
                Threads.giveWay();
            }
        }
    }

    /// How many rounds two threads that meet take: fewer where each is a message.
    default int rounds() {
        return 50_000;
    }

    /// Dekker: of two threads that each write a word and then read the other's, at least one sees
    /// the other. Each writes the number of its round; one that did not see the other's round `n`
    /// had written before the other read in that round, and must be seen. The larger WRITE goes
    /// first to keep the processor busy, so that it would delay the other one if it were not
    /// fenced.
    @Test
    default void ofTwoThatWriteAndThenReadOneSeesTheOther() throws Exception {
        int rounds = rounds();
        long[][] seen = new long[2][rounds + 1];
        Threads.run(
                2,
                thread -> {
                    QueuePair queuePair = connect();
                    long source = queuePair.localMemory(128);
                    for (int round = 1; round <= rounds; round++) {
                        queuePair.write(address(thread, 4096 + 128L * (round % 400)), source, 128);
                        writeWord(queuePair, address(thread, 64), round);
                        seen[thread][round] = readWord(queuePair, address(1 - thread, 64));
                    }
                });
        for (int round = 1; round <= rounds; round++) {
            int firstUnseen = (int) seen[0][round] + 1;
            if (firstUnseen <= rounds) {
                assertThat(seen[1][firstUnseen]).isGreaterThanOrEqualTo(round);
            }
        }
    }
}
