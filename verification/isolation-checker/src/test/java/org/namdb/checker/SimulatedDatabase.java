package org.namdb.checker;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Status;

/// Textbook snapshot isolation, one step at a time: a transaction takes a copy of the vector, reads
/// by it, and at its end commits atomically, if no other has written its keys since. Which session
/// takes the next step is random, so transactions overlap. What it makes is a legal history.
final class SimulatedDatabase {
    private final SplittableRandom random;
    private final int keys;
    private final int staleness;
    private final long[] vector;
    private final Client[] clients;
    private final Map<Long, List<Version>> versions = new HashMap<>();
    private final List<long[]> published = new ArrayList<>();
    private final List<Attempt> attempts = new ArrayList<>();
    private int limit;
    private long clock = 1_000;
    private long lastValue;

    /// @param staleness how many commits old a snapshot may be
    SimulatedDatabase(SplittableRandom random, int sessions, int slots, int keys, int staleness) {
        this.random = random;
        this.keys = keys;
        this.staleness = staleness;
        vector = new long[slots];
        published.add(vector.clone());
        clients = new Client[sessions];
        Arrays.setAll(clients, Client::new);
    }

    private record Version(int slot, long timestamp, long value, boolean known) {}

    /// A history of so many transactions.
    List<Attempt> run(int transactions) {
        limit = transactions;
        while (attempts.size() < limit || Arrays.stream(clients).anyMatch(Client::isBusy)) {
            clients[random.nextInt(clients.length)].step();
        }
        return attempts;
    }

    private final class Client {
        private final String name;
        private final int slot;
        private long[] floor;
        private Attempt attempt;
        private Map<Long, Long> writes = Map.of();
        private int remaining;
        private boolean ended;

        Client(int number) {
            name = "s" + number;
            slot = number % vector.length;
            floor = vector.clone();
        }

        boolean isBusy() {
            return attempt != null;
        }

        void step() {
            clock += 1 + random.nextInt(10);
            if (attempt == null) {
                if (attempts.size() < limit) {
                    begin();
                }
            } else if (ended) {
                attempt.end = clock;
                attempt = null;
            } else if (remaining-- > 0) {
                operate();
            } else {
                commit();
                ended = true;
            }
        }

        private void begin() {
            attempt = new Attempt();
            attempt.tid = attempts.size() + 1L;
            attempts.add(attempt);
            attempt.session = name;
            attempt.begin = clock;
            attempt.snapshot = snapshot();
            floor = attempt.snapshot;
            writes = new HashMap<>();
            remaining = 1 + random.nextInt(11);
            ended = false;
        }

        /// The newest that was published; or, if it may be stale, another one that this session may
        /// go on with.
        private long[] snapshot() {
            long[] newest = published.getLast();
            if (staleness > 0) {
                int back = Math.min(random.nextInt(staleness + 1), published.size() - 1);
                long[] older = published.get(published.size() - 1 - back);
                return dominates(older, floor) ? older : newest;
            }
            return newest;
        }

        private void operate() {
            long key = random.nextInt(keys);
            if (random.nextInt(2) == 0) {
                attempt.operations.add(Operation.read(key, value(key)));
            } else {
                writes.put(key, ++lastValue);
                attempt.operations.add(Operation.write(key, lastValue));
            }
        }

        private long value(long key) {
            if (writes.containsKey(key)) {
                return writes.get(key);
            }
            Version newest = newest(key, attempt.snapshot);
            return newest == null ? 0 : newest.value();
        }

        private void commit() {
            int lot = random.nextInt(100);
            if (writes.isEmpty()) {
                attempt.status = lot < 2 ? Status.FAIL : Status.OK;
                return;
            }
            List<Version> winners =
                    writes.keySet().stream()
                            .map(key -> newest(key, null))
                            .filter(newest -> newest != null && !shows(attempt.snapshot, newest))
                            .toList();
            if (lot < 3 || !winners.isEmpty()) {
                attempt.status = Status.FAIL;
                attempt.lostRace = winners.stream().anyMatch(Version::known);
            } else {
                attempt.status = lot < 6 ? Status.INFO : Status.OK;
                if (lot != 3) {
                    install(lot != 4);
                }
            }
        }

        /// @param known whether the history has the commit timestamp
        private void install(boolean known) {
            long timestamp = ++vector[slot];
            if (known) {
                attempt.slot = slot;
                attempt.timestamp = timestamp;
            }
            for (Map.Entry<Long, Long> write : writes.entrySet()) {
                versions.computeIfAbsent(write.getKey(), key -> new ArrayList<>())
                        .add(new Version(slot, timestamp, write.getValue(), known));
            }
            published.add(vector.clone());
            floor = published.getLast();
        }
    }

    /// The newest version that a snapshot shows, or the newest of all.
    private Version newest(long key, long[] snapshot) {
        List<Version> ofKey = versions.getOrDefault(key, List.of());
        for (int place = ofKey.size() - 1; place >= 0; place--) {
            if (snapshot == null || shows(snapshot, ofKey.get(place))) {
                return ofKey.get(place);
            }
        }
        return null;
    }

    private static boolean shows(long[] snapshot, Version version) {
        return snapshot[version.slot()] >= version.timestamp();
    }

    private static boolean dominates(long[] one, long[] other) {
        for (int slot = 0; slot < one.length; slot++) {
            if (one[slot] < other[slot]) {
                return false;
            }
        }
        return true;
    }
}
