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
import org.namdb.simulated.SimHost;

/// The outcome of compute servers that fill a table of buckets with two records, so that buckets
/// are split all the time:
/// ```
/// d   inserts three rows a transaction and records how many transactions that were; crashes
///     at some verb
/// e   does so as well, stands still at some verb; is declared dead, or not
/// X   recovers d, and e if it is declared dead
/// Y   does so as well, or is not there, and crashes at some verb; X recovers it, too
/// w   inserts as well, and counts up rows of all three, all the time
/// ```
/// @param wrong what is not as it was written, or null
/// @param splits how many buckets w has split
record SplitMeeting(@Nullable String wrong, long splits) {
    private static final int VERBS = 4_000;
    private static final int ROWS = 3;
    private static final int MAX_TRANSACTIONS = 60;
    private static final long KEYS = 1_000;
    private static final long STANDSTILL_NANOS = TimeUnit.MILLISECONDS.toNanos(3);
    private static final long SPLITTING_SEED = 2;
    private static final SimulationOptions OPTIONS =
            SimulationOptions.ofSeed(SPLITTING_SEED, EnumSet.noneOf(Fault.class))
                    .withServers(2, 2)
                    .withRegisters(1, 1, new RegisterWorkload(1, 1, 1));

    /// Has them meet. Where they crash and stand still is up to the seed.
    static SplitMeeting of(long seed) {
        try (TestCluster cluster = new TestCluster(seed, OPTIONS)) {
            return new Course(cluster, new SplittableRandom(seed)).run();
        }
    }

    /// One that inserts rows.
    private static final class Inserter {
        private final long number;
        private int process = -1;
        private int acknowledged;

        /// Whether the last transaction's outcome is not known.
        private boolean isInDoubt;

        Inserter(long number) {
            this.number = number;
        }

        long key(int row) {
            return number * KEYS + 1 + row;
        }

        /// @return whether it was committed
        boolean insert(Session session, Registers registers) {
            isInDoubt = true;
            boolean isDone;
            try {
                session.transact(transaction -> {
                    for (int row = 0; row < ROWS; row++) {
                        registers.write(transaction, key(acknowledged * ROWS + row), 1);
                    }
                    registers.write(transaction, number * KEYS, acknowledged + 1);
                    return true;
                });
                isDone = true;
            } catch (TransactionException e) {
                isDone = false;
            }
            isInDoubt = false;
            acknowledged += isDone ? 1 : 0;
            return isDone;
        }
    }

    private static final class Course {
        private final TestCluster cluster;
        private final SplittableRandom random;
        private final Map<Long, Long> counted = new HashMap<>();
        private final Map<SimHost, Integer> cleaners = new HashMap<>();
        private final List<Inserter> inserters = new ArrayList<>();
        private @Nullable String wrong = "not checked";
        private long splits;
        private boolean isBegun;

        Course(TestCluster cluster, SplittableRandom random) {
            this.cluster = cluster;
            this.random = random;
        }

        SplitMeeting run() {
            boolean isInlined = random.nextInt(4) != 0;
            cluster.load(db -> Registers.create(db, 1, 2, isInlined, false), 10);
            Inserter dead = new Inserter(1);
            Inserter slow = new Inserter(2);
            SimHost deadHost = start("d", dead);
            SimHost slowHost = start("e", slow);
            cluster.run(1);
            deadHost.crashAtVerb(deadHost.verbs() + random.nextLong(1, VERBS));
            slowHost.pauseAtVerb(
                    slowHost.verbs() + random.nextLong(1, VERBS), STANDSTILL_NANOS, () -> {});
            startWriter();
            isBegun = true;
            cluster.run(3);
            deadHost.crash();
            List<Integer> processes = new ArrayList<>(List.of(dead.process));
            if (random.nextInt(3) == 0) {
                processes.add(slow.process);
            }
            if (random.nextBoolean()) {
                SimHost second = startRecovery("Y", processes, null);
                second.crashAtVerb(random.nextLong(1, 400));
                startRecovery("X", processes, second);
            } else {
                startRecovery("X", processes, null);
            }
            cluster.run(120);
            return new SplitMeeting(wrong, splits);
        }

        private SimHost start(String name, Inserter inserter) {
            inserters.add(inserter);
            long shift = random.nextLong(1, 8_000);
            return cluster.start(
                    name,
                    (db, host) -> {
                        inserter.process = db.process();
                        while (!isBegun) {
                            host.sleep(10_000);
                        }
                        host.sleep(shift);
                        try (Session session = db.session()) {
                            Registers registers = Registers.of(db);
                            for (int i = 0; i < MAX_TRANSACTIONS; i++) {
                                boolean _ = inserter.insert(session, registers);
                            }
                        } catch (FabricException e) {
                            // It was declared dead.
                        }
                    });
        }

        private SimHost startRecovery(
                String name, List<Integer> processes, @Nullable SimHost other) {
            return cluster.start(
                    name,
                    (db, host) -> {
                        cleaners.put(host, db.process());
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
            Inserter own = new Inserter(3);
            inserters.add(own);
            SplittableRandom choice = random.split();
            SimHost _ =
                    cluster.start(
                            "w",
                            (db, host) -> {
                                Registers registers = Registers.of(db);
                                try (Session session = db.session()) {
                                    for (int i = 0; i < MAX_TRANSACTIONS; i++) {
                                        boolean _ = own.insert(session, registers);
                                        for (Inserter each : inserters) {
                                            count(session, registers, choice, each);
                                        }
                                        host.sleep(choice.nextLong(1, 100_000));
                                    }
                                    splits = session.bucketSplits();
                                }
                                host.sleep(8 * STANDSTILL_NANOS);
                                wrong = check(db, registers);
                            });
        }

        private void count(
                Session session, Registers registers, SplittableRandom choice, Inserter of) {
            long key = of.key(choice.nextInt(Math.max(1, of.acknowledged * ROWS)));
            try {
                boolean isCounted =
                        session.transact(transaction -> {
                            long before = registers.read(transaction, key);
                            if (before > 0) {
                                registers.write(transaction, key, before + 1);
                            }
                            return before > 0;
                        });
                if (isCounted) {
                    counted.merge(key, 1L, Long::sum);
                }
            } catch (TransactionException e) {
                // Another one's lock: it has not counted.
            }
        }

        /// By one that writes all rows, too: none stays locked.
        private @Nullable String check(NamDb db, Registers registers) {
            try (Session session = db.session()) {
                for (Inserter each : inserters) {
                    String found = check(session, registers, each);
                    if (found != null) {
                        return found;
                    }
                }
            }
            return null;
        }

        private @Nullable String check(Session session, Registers registers, Inserter of) {
            long[] values = new long[ROWS * (MAX_TRANSACTIONS + 1)];
            long[] last = new long[1];
            try {
                session.transact(transaction -> {
                    last[0] = registers.read(transaction, of.number * KEYS);
                    for (int row = 0; row < values.length; row++) {
                        values[row] = registers.read(transaction, of.key(row));
                        if (values[row] > 0) {
                            registers.write(transaction, of.key(row), values[row]);
                        }
                    }
                    return true;
                });
            } catch (TransactionException e) {
                return "the rows of %d can't be written: %s".formatted(of.number, e.getMessage());
            }
            long most = (long) of.acknowledged + (of.isInDoubt ? 1 : 0);
            if (last[0] < of.acknowledged || last[0] > most) {
                return "%d has inserted %d times, and %d are there"
                        .formatted(of.number, of.acknowledged, last[0]);
            }
            for (int row = 0; row < values.length; row++) {
                long expected =
                        row < last[0] * ROWS ? 1 + counted.getOrDefault(of.key(row), 0L) : 0;
                if (values[row] != expected) {
                    return "row %d is %d, not %d".formatted(of.key(row), values[row], expected);
                }
            }
            return null;
        }
    }
}
