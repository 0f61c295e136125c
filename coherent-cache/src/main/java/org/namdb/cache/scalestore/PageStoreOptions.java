package org.namdb.cache.scalestore;

import java.time.Duration;

/// How a node caches pages.
///
/// @param pageBytes the size of a page, the same on all nodes: a power of two from 512 to 32 KiB
/// @param frames how many pages it caches at the most; more than its threads have guards
/// @param ioThreads how many of its disk's reads and writes for others are under way at a time; 0
///     to make them one by one
/// @param waitLimit how long an access waits for others at the most
public record PageStoreOptions(int pageBytes, int frames, int ioThreads, Duration waitLimit) {
    private static final int PAGE_BYTES = 4096;
    private static final int MIN_PAGE_BYTES = 512;
    private static final int MAX_PAGE_BYTES = 32 << 10;
    private static final int FRAMES = 1 << 14;
    private static final int MAX_FRAMES = 1 << 24;
    private static final int IO_THREADS = 32;

    /// 64 MiB of pages of 4 KiB, 32 threads for the disk; accesses wait for 10 seconds.
    public static final PageStoreOptions DEFAULT =
            new PageStoreOptions(PAGE_BYTES, FRAMES, IO_THREADS, Duration.ofSeconds(10));

    public PageStoreOptions {
        if (Integer.bitCount(pageBytes) != 1
                || pageBytes < MIN_PAGE_BYTES
                || pageBytes > MAX_PAGE_BYTES) {
            throw new IllegalArgumentException(
                    "pages of %,d bytes: their size is a power of two from %,d to %,d"
                            .formatted(pageBytes, MIN_PAGE_BYTES, MAX_PAGE_BYTES));
        }
        if (frames < 2 || frames > MAX_FRAMES) {
            throw new IllegalArgumentException(
                    "a cache of %,d pages: it has from 2 to %,d".formatted(frames, MAX_FRAMES));
        }
        if (ioThreads < 0) {
            throw new IllegalArgumentException(ioThreads + " threads for the disk");
        }
        if (waitLimit.isNegative() || waitLimit.isZero()) {
            throw new IllegalArgumentException("accesses that wait " + waitLimit);
        }
    }

    /// The same with more or fewer frames.
    public PageStoreOptions withFrames(int newFrames) {
        return new PageStoreOptions(pageBytes, newFrames, ioThreads, waitLimit);
    }

    /// The same with pages of another size.
    public PageStoreOptions withPageBytes(int newPageBytes) {
        return new PageStoreOptions(newPageBytes, frames, ioThreads, waitLimit);
    }

    /// The same with more or fewer threads for the disk.
    public PageStoreOptions withIoThreads(int newThreads) {
        return new PageStoreOptions(pageBytes, frames, newThreads, waitLimit);
    }

    /// The same with another limit of waits.
    public PageStoreOptions withWaitLimit(Duration newLimit) {
        return new PageStoreOptions(pageBytes, frames, ioThreads, newLimit);
    }
}
