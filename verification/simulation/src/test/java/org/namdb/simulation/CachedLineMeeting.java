package org.namdb.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.line.LatchWord;
import org.namdb.cache.selcc.LineCache;
import org.namdb.cache.selcc.LineCacheOptions;
import org.namdb.cache.selcc.LineCacheOptions.Flush;
import org.namdb.cache.selcc.LineGuard;
import org.namdb.cache.selcc.LineSession;
import org.namdb.fabric.sim.SimHost;
import org.namdb.fabric.sim.SimPeers;
import org.namdb.fabric.sim.SimTrace;

/// A meeting on lines that compute servers cache. Links between them are cut meanwhile.
class CachedLineMeeting extends LineMeeting {
    private static final long MAX_CUT_NANOS = 1_000_000;
    private static final double FRAGILE_LOSS_PROBABILITY = 1.0 / 30;

    private final SimPeers peers;
    private final LineCacheOptions options;
    private double lossProbability;
    private final List<LineCache> caches = new ArrayList<>();

    CachedLineMeeting(long seed, SimTrace trace) {
        super(seed, trace);
        peers = new SimPeers(simulation);
        options =
                LineCacheOptions.DEFAULT
                        .withLineBytes(LAYOUT.lineBytes())
                        .withFrames(random.nextInt(3, 6))
                        .withFlush(random.nextBoolean() ? Flush.LAZY : Flush.ON_RELEASE)
                        .withWaitLimit(Duration.ofMillis(500));
        lossProbability = random.nextInt(3) == 0 ? 1.0 / random.nextInt(20, 1_000) : 0;
    }

    /// Has them meet.
    ///
    /// @return what is wrong, or null
    static @Nullable String of(long seed) {
        return of(seed, SimTrace.off());
    }

    /// Has them meet where connections fail often.
    ///
    /// @return what is wrong, or null
    static @Nullable String ofFragile(long seed) {
        try (CachedLineMeeting meeting = new CachedLineMeeting(seed, SimTrace.off())) {
            meeting.lossProbability = FRAGILE_LOSS_PROBABILITY;
            return meeting.run();
        }
    }

    /// Has them meet.
    ///
    /// @param trace of what happens
    /// @return what is wrong, or null
    static @Nullable String of(long seed, SimTrace trace) {
        try (CachedLineMeeting meeting = new CachedLineMeeting(seed, trace)) {
            return meeting.run();
        }
    }

    @Override
    final void join(SimHost host, int number) {
        caches.add(
                new LineCache(
                        options,
                        fabric.computeSide(host),
                        regions,
                        peers.join(100 + number, host),
                        host));
    }

    @Override
    final LineClient connect(SimHost host, int server, int number) {
        return new CachedLines(caches.get(server).open());
    }

    @Override
    final double lossProbability() {
        return lossProbability;
    }

    @Override
    final void disturb() {
        int from = random.nextInt(hosts.size());
        int to = random.nextInt(hosts.size());
        peers.cut(100 + from, 100 + to, random.nextLong(1, MAX_CUT_NANOS));
    }

    /// What is cached agrees with the latch words. Then one compute server leaves, and what it had
    /// is free.
    @Override
    final void settle(SimHost host, int number) {
        String difference = difference(latched());
        if (difference != null) {
            wrong(difference);
        }
        caches.get(number).close();
    }

    /// Between two events of the simulation nothing is in flight any more.
    private @Nullable String difference(Map<Long, Long> latched) {
        Map<Long, Long> expected = new TreeMap<>();
        for (long line : lines()) {
            long word = 0;
            for (LineCache cache : caches) {
                word += part(cache, line);
            }
            if (word != 0) {
                expected.put(line, word);
            }
        }
        return expected.equals(latched)
                ? null
                : "frames hold %s; latch words say %s"
                        .formatted(describe(expected), describe(latched));
    }

    private static long part(LineCache cache, long line) {
        return switch (cache.state(line)) {
            case INVALID -> 0;
            case ANNOUNCED, SHARED -> LatchWord.reader(cache.station());
            case MODIFIED -> LatchWord.writer(cache.station());
        };
    }

    @Override
    final @Nullable String atRest(Map<Long, Long> latched) {
        return latched.isEmpty() ? null : "latches are left: " + describe(latched);
    }

    private record CachedLines(LineSession session) implements LineClient {
        @Override
        public void read(long line, long[] into) {
            try (LineGuard guard = session.shared(line)) {
                for (int word = 0; word < into.length; word++) {
                    into[word] = guard.longAt(word * Long.BYTES);
                }
            }
        }

        @Override
        public void change(long line, int from, int to, Consumer<long[]> change) {
            long[] words = new long[LAYOUT.lineBytes() / Long.BYTES];
            try (LineGuard guard = session.exclusive(line)) {
                for (int word = 0; word < words.length; word++) {
                    words[word] = guard.longAt(word * Long.BYTES);
                }
                change.accept(words);
                for (int word = from; word < to; word++) {
                    guard.putLong(word * Long.BYTES, words[word]);
                }
            }
        }

        @Override
        public void close() {
            session.close();
        }
    }
}
