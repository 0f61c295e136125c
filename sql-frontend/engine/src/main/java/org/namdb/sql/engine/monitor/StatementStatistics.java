package org.namdb.sql.engine.monitor;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Collection;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import org.namdb.fabric.VerbTally;

/// What statements have cost, of all sessions of a process since it has started: by their text
/// [without constants][org.namdb.sql.language.parser.NormalizedStatement]. Those that are run least
/// are forgotten when there are too many. Safe for use by many threads.
public final class StatementStatistics {
    private static final int MAX_STATEMENTS = 5_000;

    private final Cache<String, Entry> entries =
            Caffeine.newBuilder().maximumSize(MAX_STATEMENTS).executor(Runnable::run).build();

    private final LongAdder calls = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder nanos = new LongAdder();

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
}
