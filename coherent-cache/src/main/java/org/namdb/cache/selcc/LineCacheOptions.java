package org.namdb.cache.selcc;

import java.time.Duration;
import org.namdb.cache.line.LineArea;

/// How a compute server caches lines.
///
/// @param lineBytes the size of a line, the same on all compute servers: a power of two from 64 to
///     32 KiB
/// @param frames how many lines it caches at the most; at least as many as its threads have guards
/// @param flush when a changed line is written to memory
/// @param waitLimit how long an access waits for others at the most
public record LineCacheOptions(int lineBytes, int frames, Flush flush, Duration waitLimit) {
    /// When a changed line is written to memory.
    public enum Flush {
        /// Before its exclusive guard is released: memory holds all that any guard has released.
        ON_RELEASE,
        /// When the line leaves the cache, as in the paper. What a compute server has changed is
        /// lost when it dies.
        LAZY
    }

    private static final int LINE_BYTES = 2048;
    private static final int FRAMES = 1 << 15;

    /// 64 MiB of lines of 2 KiB, written to memory on release; accesses wait for 10 seconds.
    public static final LineCacheOptions DEFAULT =
            new LineCacheOptions(LINE_BYTES, FRAMES, Flush.ON_RELEASE, Duration.ofSeconds(10));

    public LineCacheOptions {
        LineArea _ = new LineArea(lineBytes); // checks it
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
        return new LineCacheOptions(newLineBytes, frames, flush, waitLimit);
    }

    /// The same with more or fewer frames.
    public LineCacheOptions withFrames(int newFrames) {
        return new LineCacheOptions(lineBytes, newFrames, flush, waitLimit);
    }

    /// The same, flushed at another time.
    public LineCacheOptions withFlush(Flush newFlush) {
        return new LineCacheOptions(lineBytes, frames, newFlush, waitLimit);
    }

    /// The same with another limit of waits.
    public LineCacheOptions withWaitLimit(Duration newLimit) {
        return new LineCacheOptions(lineBytes, frames, flush, newLimit);
    }
}
