package org.namdb.cache.selcc;

import java.time.Duration;
import java.util.Set;
import org.namdb.cache.line.LineArea;

/// How a compute server caches lines.
///
/// @param lineBytes the size of a line, the same on all compute servers: a power of two from 64 to
///     32 KiB
/// @param frames how many lines it caches at the most; at least as many as its threads have guards
/// @param flush when a changed line is written to memory
/// @param waitLimit how long an access waits for others at the most
/// @param without what of the protocol is left out, to measure what it gains
public record LineCacheOptions(
        int lineBytes, int frames, Flush flush, Duration waitLimit, Set<Part> without) {
    /// When a changed line is written to memory.
    public enum Flush {
        /// Before its exclusive guard is released: memory holds all that any guard has released.
        ON_RELEASE,
        /// When the line leaves the cache, as in the paper. What a compute server has changed is
        /// lost when it dies.
        LAZY
    }

    /// A part of the protocol that can be left out: a cache is as correct without it.
    public enum Part {
        /// A line stays cached after its use. Without it each access acquires its line and releases
        /// it, as in SEL, the paper's rival without a cache (section 7.1); conflicts are still
        /// resolved by messages.
        CACHE,
        /// An answer has the line, and hands it over (section 4.4). Without it the line is
        /// released, and the requester acquires it.
        FORWARDING,
        /// Lines are evicted 16 at a time (section 5.2.1), and not one by one.
        BATCHED_EVICTION,
        /// Of a changed line the words between the first and the last one that are changed are
        /// written (section 5.2.2), and not all.
        DIRTY_BOUNDS,
        /// The compute server's own threads leave a line to others that have waited long enough
        /// (section 5.3.1): the paper's gamma is infinite without it.
        FAIRNESS,
        /// Readers leave a line alone for a while that a starved writer has taken away (section
        /// 5.3.2).
        READER_SPIN
    }

    private static final int LINE_BYTES = 2048;
    private static final int FRAMES = 1 << 15;

    /// 64 MiB of lines of 2 KiB, written to memory on release; accesses wait for 10 seconds.
    public static final LineCacheOptions DEFAULT =
            new LineCacheOptions(
                    LINE_BYTES, FRAMES, Flush.ON_RELEASE, Duration.ofSeconds(10), Set.of());

    public LineCacheOptions {
        LineArea _ = new LineArea(lineBytes); // checks it
        without = Set.copyOf(without);
        if (frames < 1 || frames > 1 << 24) {
            throw new IllegalArgumentException(
                    "a cache of %,d frames: it has from 1 to %,d".formatted(frames, 1 << 24));
        }
        if (waitLimit.isNegative() || waitLimit.isZero()) {
            throw new IllegalArgumentException("accesses that wait " + waitLimit);
        }
    }

    /// The same with lines of another size.
    public LineCacheOptions withLineBytes(int newLineBytes) {
        return new LineCacheOptions(newLineBytes, frames, flush, waitLimit, without);
    }

    /// The same with more or fewer frames.
    public LineCacheOptions withFrames(int newFrames) {
        return new LineCacheOptions(lineBytes, newFrames, flush, waitLimit, without);
    }

    /// The same, flushed at another time.
    public LineCacheOptions withFlush(Flush newFlush) {
        return new LineCacheOptions(lineBytes, frames, newFlush, waitLimit, without);
    }

    /// The same with another limit of waits.
    public LineCacheOptions withWaitLimit(Duration newLimit) {
        return new LineCacheOptions(lineBytes, frames, flush, newLimit, without);
    }

    /// The same without some parts of the protocol.
    public LineCacheOptions without(Set<Part> parts) {
        return new LineCacheOptions(lineBytes, frames, flush, waitLimit, parts);
    }
}
