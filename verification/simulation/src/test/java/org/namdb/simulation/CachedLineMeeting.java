package org.namdb.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.line.LatchWord;
import org.namdb.cache.selcc.LineCache;
import org.namdb.cache.selcc.LineCacheOptions;
import org.namdb.cache.selcc.LineCacheOptions.Flush;
import org.namdb.cache.selcc.LineGuard;
import org.namdb.cache.selcc.LineSession;
import org.namdb.fabric.ComputeFabric;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.SimPeers;
import org.namdb.simulated.SimTrace;

/// A meeting on lines that compute servers cache. Links between them are cut meanwhile.
class CachedLineMeeting extends LineMeeting {
    private static final long MAX_CUT_NANOS = 1_000_000;
    private static final double FRAGILE_LOSS_PROBABILITY = 1.0 / 30;

    private final SimPeers peers;
    private final LineCacheOptions options;
    private double lossProbability;
    final List<LineCache> caches = new ArrayList<>();

    CachedLineMeeting(long seed, SimTrace trace) {
        this(seed, trace, 0);
    }

    /// @param moreFrames than a few
    CachedLineMeeting(long seed, SimTrace trace, int moreFrames) {
        super(seed, trace);
        peers = new SimPeers(simulation);
        options =
                LineCacheOptions.DEFAULT
                        .withLineBytes(LAYOUT.lineBytes())
                        .withFrames(moreFrames + random.nextInt(3, 6))
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
                        options(),
                        side(host, number),
                        regions,
                        peers.join(process(number), host),
                        host));
    }

    LineCacheOptions options() {
        return options;
    }

    /// How a compute server reaches memory.
    ComputeFabric side(SimHost host, int number) {
        return fabric.computeSide(host);
    }

    /// The process number of a compute server.
    static int process(int number) {
        return 100 + number;
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
        peers.cut(process(from), process(to), random.nextLong(1, MAX_CUT_NANOS));
    }

    /// What is cached agrees with the latch words. Then one compute server leaves, and what it had
    /// is free.
    @Override
    void settle(SimHost host, int number) {
        String difference = difference(latched());
        if (difference != null) {
            wrong(difference);
        }
        caches.get(number).close();
    }

    /// Between two events of the simulation nothing is in flight any more.
    private @Nullable String difference(Map<Long, Long> latched) {
        Map<Long, Long> expected = new TreeMap<>();
        Set<Long> all = new TreeSet<>(lines());
        all.addAll(latched.keySet());
        for (long line : all) {
            long word = 0;
            for (int number = 0; number < caches.size(); number++) {
                word += hosts.get(number).isDead() ? 0 : part(caches.get(number), line);
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

    record CachedLines(LineSession session) implements LineClient {
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
