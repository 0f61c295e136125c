package org.namdb.simulation;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.TransactionException;
import org.namdb.fabric.FabricException;
import org.namdb.mvcc.recovery.RecoveredSlot;
import org.namdb.simulated.SimHost;
import org.namdb.timestamp.CommitTimestamp;

/// The outcome of five compute servers that meet over a few records, each of which counts how often
/// it was written:
/// ```
/// d   writes, crashes at some verb
/// e   writes at the same time, stands still at some verb; is declared dead, or not
/// X   recovers d, and e if it is declared dead
/// Y   does so as well, or is not there, and crashes at some verb; X recovers it, too
/// w   writes all the time, meanwhile and afterwards
/// ```
/// @param counts what the records have counted; empty if they could not be read
/// @param commits how many transactions were committed
record RecoveryMeeting(List<Long> counts, long commits) {
    private static final int KEYS = 3;
    private static final int VERBS = 70;
    private static final int WRITES = 12;
    private static final long STANDSTILL_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

    /// Of a seed without replicated commits, and of one with them.
    private static final SimulationOptions OPTIONS = options(1);

    private static final SimulationOptions REPLICATED = options(3);

    private static SimulationOptions options(long seed) {
        return SimulationOptions.ofSeed(seed, EnumSet.noneOf(Fault.class))
                .withServers(2, 2)
                .withRegisters(1, 1, new RegisterWorkload(KEYS, 1, 1));
    }

    /// Whether an update was lost, or half of one stayed, or anything was not recovered.
    boolean isFailed() {
        return counts.size() != KEYS || counts.stream().anyMatch(count -> count != commits);
    }

    /// Has them meet. Where they crash and stand still is up to the seed.
    static RecoveryMeeting of(long seed) {
        return of(seed, OPTIONS);
    }

    /// The same with replicated commits.
    static RecoveryMeeting ofReplicated(long seed) {
        return of(seed, REPLICATED);
    }

    private static RecoveryMeeting of(long seed, SimulationOptions options) {
        try (TestCluster cluster = new TestCluster(seed, options)) {
            return new Course(cluster, new SplittableRandom(seed)).run();
        }
    }

    /// One writer's transaction.
    private static final class Attempt {
        private int process = -1;
        private int slot = -1;
        private long word;
        private boolean isAcknowledged;

        boolean isCommitted(List<RecoveredSlot> cleaned) {
            if (isAcknowledged) {
                return true;
            }
            // The first one counts: a later recoverer finds the undo published.
            RecoveredSlot first =
                    cleaned.stream().filter(each -> each.slot() == slot).findFirst().orElse(null);
            return word != 0
                    && first != null
                    && first.published() >= CommitTimestamp.timestamp(word);
        }
    }

    private static final class Course {
        private final TestCluster cluster;
        private final SplittableRandom random;
        private final List<RecoveredSlot> cleaned = new ArrayList<>();
        private final Map<SimHost, Integer> cleaners = new HashMap<>();
        private final List<Long> counts = new ArrayList<>();
        private long written;
        private boolean isBegun;

        Course(TestCluster cluster, SplittableRandom random) {
            this.cluster = cluster;
            this.random = random;
        }

        RecoveryMeeting run() {
            cluster.load(
                    db -> {
                        Registers.create(db, KEYS, 2, true, false);
                        write(db, null);
                        written++;
                    },
                    10);
            Attempt dead = new Attempt();
            Attempt slow = new Attempt();
            SimHost deadHost = start("d", dead);
            SimHost slowHost = start("e", slow);
            cluster.run(1);
            deadHost.crashAtVerb(deadHost.verbs() + random.nextLong(1, VERBS));
            slowHost.pauseAtVerb(
                    slowHost.verbs() + random.nextLong(1, VERBS), STANDSTILL_NANOS, () -> {});
            isBegun = true;
            cluster.run(1);
            deadHost.crash();
            List<Integer> processes = new ArrayList<>(List.of(dead.process));
            if (random.nextInt(3) == 0) {
                processes.add(slow.process);
            }
            if (random.nextBoolean()) {
                SimHost second = startRecovery("Y", processes, null);
                second.crashAtVerb(random.nextLong(1, 3 * VERBS));
                startRecovery("X", processes, second);
            } else {
                startRecovery("X", processes, null);
            }
            startWriter();
            cluster.run(60);
            long commits = written;
            commits += dead.isCommitted(cleaned) ? 1 : 0;
            commits += slow.isCommitted(cleaned) ? 1 : 0;
            return new RecoveryMeeting(counts, commits);
        }

        private SimHost start(String name, Attempt attempt) {
            long shift = random.nextLong(1, 8_000);
            return cluster.start(
                    name,
                    (db, host) -> {
                        attempt.process = db.process();
                        while (!isBegun) {
                            host.sleep(10_000);
                        }
                        host.sleep(shift);
                        try {
                            attempt.isAcknowledged = write(db, attempt);
                        } catch (FabricException e) {
                            // It was declared dead.
                        }
                    });
        }

        /// @param other another one, which it recovers as well if that has died: it may have been
        ///     the recoverer
        private SimHost startRecovery(
                String name, List<Integer> processes, @Nullable SimHost other) {
            return cluster.start(
                    name,
                    (db, host) -> {
                        cleaners.put(host, db.process());
                        db.observeRecoveries(cleaned::add);
                        for (int process : processes) {
                            while (!db.recoverProcess(process)) {
                                host.sleep(50_000);
                                if (other != null
                                        && other.isDead()
                                        && cleaners.containsKey(other)) {
                                    boolean _ = db.recoverProcess(cleaners.get(other));
                                }
                            }
                        }
                    });
        }

        private void startWriter() {
            SimHost _ =
                    cluster.start(
                            "w",
                            (db, host) -> {
                                for (int left = WRITES; left > 0; ) {
                                    if (write(db, null)) {
                                        written++;
                                        left--;
                                    }
                                    host.sleep(300_000);
                                }
                                host.sleep(2 * STANDSTILL_NANOS);
                                read(db);
                            });
        }

        /// @return whether it was committed
        private static boolean write(NamDb db, @Nullable Attempt attempt) {
            Registers registers = Registers.of(db);
            Session session = db.session();
            try {
                session.transact(transaction -> {
                    for (int key = 0; key < KEYS; key++) {
                        registers.write(transaction, key, registers.read(transaction, key) + 1);
                    }
                    return true;
                });
                return true;
            } catch (TransactionException e) {
                return false;
            } finally {
                if (attempt != null) {
                    attempt.slot = session.slotNumber();
                    attempt.word = session.commitTimestamp();
                }
                session.close();
            }
        }

        private void read(NamDb db) {
            Registers registers = Registers.of(db);
            try (Session session = db.session()) {
                session.transact(transaction -> {
                    counts.clear();
                    for (int key = 0; key < KEYS; key++) {
                        counts.add(registers.read(transaction, key));
                    }
                    return true;
                });
            }
        }
    }
}
