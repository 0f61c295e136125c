package org.namdb.compute.guard;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.frame.LineStamp;
import org.namdb.cache.line.LineArea;
import org.namdb.cache.selcc.LineCache;
import org.namdb.cache.selcc.LineCacheOptions;
import org.namdb.cache.selcc.LineSession;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.peer.PeerFabric;

/// What a compute server knows of cached tables: the guard lines that it has, and copies of rows.
/// Guard lines are those of one area on memory server 0. Each table has 64 of them, which hashes of
/// its number and of keys choose; two tables may have some in common, which costs no more than
/// needless conflicts.
///
/// Thread-safe.
public final class CachedTables implements AutoCloseable {
    /// How many guard lines a table has.
    public static final int LINES_PER_TABLE = 64;

    /// Why a compute server can't go on whose cache of lines has failed: the end of a sentence
    /// about it.
    public static final String LOST = "has lost its cache of lines";

    private static final long COPIES_BYTES = 64 << 20;

    /// What a copy takes in addition to its payload and key, about.
    private static final int COPY_BYTES = 160;

    /// A line that others are using is not requested again so soon.
    private static final long RETRY_NANOS = 1_000_000;

    /// Of the time, at most one part in so many is spent on requests for a line that fail: a
    /// compute server that can't be reached answers late.
    private static final long RETRY_SHARE = 64;

    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    private final Host host;
    private final boolean areReadsCopied;
    private final LineCache lines;
    private final long area;
    private final Queue<LineSession> sessions = new ConcurrentLinkedQueue<>();
    private final LineArea layout;
    private final AtomicLongArray retryAt;
    private final Cache<RowKey, RowCopy> copies =
            Caffeine.newBuilder()
                    .maximumWeight(COPIES_BYTES)
                    .<RowKey, RowCopy>weigher((key, copy) ->
                            COPY_BYTES + Long.BYTES * key.words() + copy.payload().length)
                    .executor(Runnable::run)
                    .build();

    /// Takes a station, and answers the other compute servers from now on.
    ///
    /// @param peers the way to them, which is closed with this
    /// @param options of the cache of lines; a commit waits for guard lines as long as an access
    ///     does
    /// @param areReadsCopied whether there are copies of rows at all; where READs are in place,
    ///     only the others have any
    /// @throws IllegalStateException if too many compute servers cache already, or have lines of
    ///     another size
    public CachedTables(
            ComputeFabric fabric,
            List<Region> regions,
            PeerFabric peers,
            Host host,
            LineCacheOptions options,
            boolean areReadsCopied) {
        this.host = host;
        this.areReadsCopied = areReadsCopied;
        this.layout = new LineArea(options.lineBytes());
        this.retryAt = new AtomicLongArray(layout.lines());
        this.lines = new LineCache(options, fabric, regions, peers, host);
        boolean isDone = false;
        try {
            this.area = lines.firstArea();
            isDone = true;
        } finally {
            if (!isDone) {
                lines.close();
            }
        }
    }

    /// The cache of lines.
    public LineCache lines() {
        return lines;
    }

    /// The reads of a session.
    public CopiedReads reads(QueuePair queuePair) {
        return new CopiedReads(queuePair, areReadsCopied ? this : null);
    }

    /// The guard line of a row.
    ///
    /// @param key the words of its key
    public long line(Table table, long[] key) {
        return layout.line(area, number(table, key));
    }

    private int number(Table table, long[] key) {
        long ofTable = table.records().id() * GOLDEN >>> 32;
        long ofKey = table.records().hash(key) * GOLDEN >>> 32 & LINES_PER_TABLE - 1;
        return (int) ((ofTable + ofKey) % layout.lines());
    }

    /// A session with the lines, for one thread until it [gives it back][#release].
    public LineSession borrow() {
        LineSession session = sessions.poll();
        return session == null ? lines.open() : session;
    }

    /// Takes a session back.
    public void release(LineSession session) {
        sessions.add(session);
    }

    /// The ownership of the guard line of a row; acquired, unless others are using it.
    ///
    /// @return null if the row can't be copied now
    @Nullable LineStamp stamp(Table table, long[] key) {
        int number = number(table, key);
        long line = layout.line(area, number);
        LineStamp stamp = lines.stamp(line);
        if (stamp != null) {
            return stamp;
        }
        long again = retryAt.get(number);
        long began = host.nanoTime();
        if (lines.hasFailed() || again != 0 && again - began > 0) {
            return null;
        }
        stamp = acquireStamp(line);
        if (stamp == null) {
            long now = host.nanoTime();
            retryAt.set(number, now + Math.max(RETRY_NANOS, RETRY_SHARE * (now - began)));
        }
        return stamp;
    }

    private @Nullable LineStamp acquireStamp(long line) {
        try {
            LineSession session = borrow();
            try {
                return session.tryStamp(line);
            } finally {
                release(session);
            }
        } catch (FabricException e) {
            if (!lines.hasFailed()) {
                throw e;
            }
            return null; // rows are read without the cache
        }
    }

    /// The copy of a row; null if there is none, or an old one.
    @Nullable RowCopy find(Table table, long[] key) {
        RowCopy copy = copies.getIfPresent(RowKey.of(table, key));
        return copy != null && copy.isCurrent() ? copy : null;
    }

    /// Whether a row would be read without a verb now, if the snapshot sees its current version.
    public boolean hasCopy(Table table, long[] key) {
        return areReadsCopied && table.isCached() && find(table, key) != null;
    }

    void put(Table table, long[] key, RowCopy copy) {
        if (copy.isCurrent()) {
            copies.put(RowKey.of(table, key), copy);
        }
    }

    /// Forgets all copies. No transaction runs here.
    public void forgetCopies() {
        copies.invalidateAll();
    }

    /// Clears away what dead and fenced compute servers hold of the lines.
    ///
    /// @return whether nothing is left
    public boolean clear(Set<Integer> dead) {
        return lines.clear(dead);
    }

    /// Releases all lines. No session uses them any more.
    @Override
    public void close() {
        FirstFailure failures = new FirstFailure();
        for (LineSession session = sessions.poll(); session != null; session = sessions.poll()) {
            failures.attempt(session::close);
        }
        failures.attempt(lines::close);
        copies.invalidateAll();
        failures.rethrow();
    }
}
