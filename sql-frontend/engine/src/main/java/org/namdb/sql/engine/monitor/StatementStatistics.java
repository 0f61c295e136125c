package org.namdb.sql.engine.monitor;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Arrays;
import java.util.Collection;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.namdb.fabric.VerbTally;

/// What statements have cost, of all sessions of a process since it has started: by their text
/// [without constants][org.namdb.sql.language.parser.NormalizedStatement]. Those that are run least
/// are forgotten when there are too many. Safe for use by many threads.
public final class StatementStatistics {
    private static final int MAX_STATEMENTS = 5_000;

    /// In nanoseconds: from 50 µs to 10 s.
    private static final long[] BOUNDS = {
        50_000,
        100_000,
        250_000,
        500_000,
        1_000_000,
        2_500_000,
        5_000_000,
        10_000_000,
        25_000_000,
        50_000_000,
        100_000_000,
        250_000_000,
        500_000_000,
        1_000_000_000,
        2_500_000_000L,
        5_000_000_000L,
        10_000_000_000L
    };

    private final Cache<String, Entry> entries =
            Caffeine.newBuilder().maximumSize(MAX_STATEMENTS).executor(Runnable::run).build();

    private final LongAdder calls = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder nanos = new LongAdder();

    /// How many took no longer than each of [#BOUNDS], and longer than the one before it; and how
    /// many took longer than all.
    private final LongAdder[] times =
            Stream.generate(LongAdder::new).limit(BOUNDS.length + 1).toArray(LongAdder[]::new);

    /// Those of one text.
    public static final class Entry {
        private final String text;
        private final LongAdder calls = new LongAdder();
        private final LongAdder failures = new LongAdder();
        private final LongAdder rows = new LongAdder();
        private final LongAdder nanos = new LongAdder();
        private final LongAccumulator minNanos = new LongAccumulator(Math::min, Long.MAX_VALUE);
        private final LongAccumulator maxNanos = new LongAccumulator(Math::max, 0);
        private final LongAdder verbs = new LongAdder();
        private final LongAdder bytes = new LongAdder();
        private final LongAdder roundTrips = new LongAdder();

        Entry(String text) {
            this.text = text;
        }

        /// The statement's text without constants.
        public String text() {
            return text;
        }

        /// How many have ended.
        public long calls() {
            return calls.sum();
        }

        /// How many of them have failed.
        public long failures() {
            return failures.sum();
        }

        /// The rows that they gave or changed.
        public long rows() {
            return rows.sum();
        }

        /// The time of all, from their start to their end, in nanoseconds.
        public long nanos() {
            return nanos.sum();
        }

        /// The shortest time, in nanoseconds.
        public long minNanos() {
            return minNanos.get();
        }

        /// The longest time, in nanoseconds.
        public long maxNanos() {
            return maxNanos.get();
        }

        /// The verbs that they have posted.
        public long verbs() {
            return verbs.sum();
        }

        /// The bytes of these verbs.
        public long bytes() {
            return bytes.sum();
        }

        /// How often they have waited for verbs.
        public long roundTrips() {
            return roundTrips.sum();
        }
    }

    /// A statement has ended.
    ///
    /// @param text without constants
    /// @param rows those that it gave or changed
    void ended(String text, boolean hasFailed, long nanos, long rows, VerbTally cost) {
        calls.increment();
        this.nanos.add(nanos);
        times[bucket(nanos)].increment();
        Entry entry = entries.get(text, Entry::new);
        entry.calls.increment();
        entry.nanos.add(nanos);
        entry.minNanos.accumulate(nanos);
        entry.maxNanos.accumulate(nanos);
        entry.rows.add(rows);
        entry.verbs.add(cost.verbs());
        entry.bytes.add(cost.bytes());
        entry.roundTrips.add(cost.roundTrips());
        if (hasFailed) {
            entry.failures.increment();
            failures.increment();
        }
    }

    private static int bucket(long nanos) {
        int at = Arrays.binarySearch(BOUNDS, nanos);
        return at < 0 ? -at - 1 : at;
    }

    /// All that are known.
    public Collection<Entry> entries() {
        return entries.asMap().values();
    }

    /// How many statements have ended, forgotten ones included.
    public long calls() {
        return calls.sum();
    }

    /// How many of them have failed.
    public long failures() {
        return failures.sum();
    }

    /// The time of all, in nanoseconds.
    public long nanos() {
        return nanos.sum();
    }

    /// The buckets of a histogram of their times.
    ///
    /// @param bucket gets, for one bucket after the other, the longest time in it, in nanoseconds,
    ///     and the number of statements; the last one's time is `Long.MAX_VALUE`
    public void forEachBucket(BucketVisitor bucket) {
        for (int i = 0; i < times.length; i++) {
            bucket.bucket(i < BOUNDS.length ? BOUNDS[i] : Long.MAX_VALUE, times[i].sum());
        }
    }

    /// Gets a histogram.
    @FunctionalInterface
    public interface BucketVisitor {
        /// Gets a bucket.
        ///
        /// @param maxNanos the longest time in it, in nanoseconds
        /// @param count how many statements took longer than those of the bucket before
        void bucket(long maxNanos, long count);
    }
}
