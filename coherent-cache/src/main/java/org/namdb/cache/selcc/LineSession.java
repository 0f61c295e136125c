package org.namdb.cache.selcc;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.frame.Frame;
import org.namdb.cache.frame.Frame.State;
import org.namdb.cache.frame.FrameTable;
import org.namdb.cache.frame.GuardSession;
import org.namdb.cache.frame.LineStamp;
import org.namdb.cache.line.LatchWord;
import org.namdb.cache.line.LineArea;
import org.namdb.cache.line.Stations;
import org.namdb.cache.selcc.LineCacheOptions.Part;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.VerbCounters;
import org.namdb.memory.client.MemoryClient;
import org.namdb.mvcc.owner.LatchOwner.Cancellation;

/// A thread's access to lines. A line is read and changed under a guard, which holds its latch
/// against the compute server's own threads and against all others. Accesses to one line are
/// linearizable, and so are those to all lines.
/// ```java
/// try (LineGuard guard = session.exclusive(line)) {
///     guard.putLong(0, guard.longAt(0) + 1);
/// }
/// ```
/// Several guards can be open at a time. Threads that latch the same lines in different orders may
/// wait for each other until the cache's limit has passed: latch by address, ascending. A thread
/// that latches a line twice waits for itself, unless both guards are shared.
///
/// Belongs to one thread at a time. Source: SELCC, table 1.
public final class LineSession implements GuardSession {
    /// After so many failed upgrades a line is released first: two that upgrade at once fail
    /// forever, as each sees the other's bit.
    private static final int MAX_UPGRADES = 3;

    /// A writer that has waited so often is starved by readers.
    static final int STARVED = 4;

    /// How long [#tryStamp] waits for an answer: some schedules of a processor that has other work.
    private static final long STAMP_WAIT_NANOS = 100_000_000;

    private final LineCache cache;
    private final LineArea layout;
    private final FrameTable table;
    private final Host host;
    private final LineProtocol protocol;
    private final Frame[] victims = new Frame[LineProtocol.MAX_BATCH];
    private final Frame[] evicted;
    private final boolean keepsLines;
    private final boolean isFair;
    private LineGuard[] guards = new LineGuard[0];
    private int openGuards;
    private final LineWait wait;
    private final Invalidations invalidations;

    LineSession(LineCache cache) {
        this.cache = cache;
        this.layout = cache.layout();
        this.table = cache.table();
        this.host = cache.host();
        this.protocol = new LineProtocol(cache);
        this.wait = new LineWait(cache);
        this.evicted = cache.has(Part.BATCHED_EVICTION) ? victims : new Frame[1];
        this.keepsLines = cache.has(Part.CACHE);
        this.isFair = cache.has(Part.FAIRNESS);
        this.invalidations = new Invalidations(cache, protocol, wait);
    }

    /// The size of a line.
    @Override
    public int lineBytes() {
        return layout.lineBytes();
    }

    /// Allocates a line of zeroes. If the connection is lost meanwhile, it is tried again; the area
    /// that was being allocated may stay unused then.
    ///
    /// @return its address
    /// @throws org.namdb.mvcc.MemoryFullException if no memory server has space for it
    @Override
    public long allocate() {
        for (int tried = 1; ; tried++) {
            try {
                QueuePair queuePair = protocol.queuePair();
                return cache.allocator()
                        .allocate(new MemoryClient(queuePair, cache.memoryServers()), queuePair);
            } catch (FabricException e) {
                if (e.kind() != FabricException.Kind.CONNECTION_LOST
                        || tried == LineProtocol.MAX_RECONNECTS) {
                    throw e;
                }
            }
        }
    }

    /// Frees a line that is not in use any more.
    ///
    /// @throws LineTimeoutException if it is in use
    public void free(long line) {
        try (LineGuard guard = exclusive(line)) {
            guard.clear();
        }
        Frame frame = table.find(line);
        if (frame != null && frame.tryExclusive()) {
            evictIfCached(frame, line);
        }
        cache.allocator().free(line);
    }

    /// Latches a line to read it.
    ///
    /// @return a guard that this thread closes
    /// @throws LineTimeoutException if it is not free in time
    /// @throws IllegalArgumentException if no line of this cluster can have the address
    @Override
    public LineGuard shared(long line) {
        wait.begin(cache.waitNanos(), Cancellation.NEVER);
        return latchShared(line);
    }

    private LineGuard latchShared(long line) {
        while (true) {
            Frame frame = table.find(line);
            if (frame == null) {
                if (cache.isQuiet(line)) {
                    wait.pause(line);
                } else if ((frame = insert(line)) != null) {
                    acquireShared(frame);
                    frame.downgrade();
                    return guard(frame, false);
                }
            } else if (isOverdue(frame)) {
                wait.pause(line);
            } else if (frame.tryShared()) {
                if (frame.line() == line && frame.state() != State.INVALID) {
                    table.used(frame);
                    return guard(frame, false);
                }
                boolean isThere = frame.line() == line;
                frame.releaseShared();
                if (isThere) {
                    wait.pause(line);
                }
            } else {
                wait.pause(line);
            }
        }
    }

    /// The ownership of a line. If this compute server has no copy it acquires one, and requests it
    /// of others; but it does not wait for its current holder, nor long for one that does not
    /// answer, which gets no request for a while.
    ///
    /// @return null if others are using the line
    public @Nullable LineStamp tryStamp(long line) {
        wait.begin(Math.min(STAMP_WAIT_NANOS, cache.waitNanos()), Cancellation.NEVER);
        Frame frame = cache.isQuiet(line) ? null : insert(line);
        if (frame == null) {
            return cache.stamp(line);
        }
        boolean isShared = false;
        try {
            isShared =
                    protocol.share(frame)
                            || !cache.isSilent(LatchWord.writerOf(protocol.word()))
                                    && (invalidations.isGranted(
                                                    frame, false, Invalidations.RESEND_ROUND_TRIPS)
                                            || protocol.share(frame));
        } catch (LineTimeoutException e) {
            cache.silent(LatchWord.writerOf(protocol.word()));
        } catch (RuntimeException e) {
            abandon(frame);
            throw e;
        }
        if (!isShared) {
            abandon(frame);
            return null;
        }
        frame.downgrade();
        try {
            return new LineStamp(frame);
        } finally {
            frame.releaseShared();
        }
    }

    /// Latches a line to change it.
    ///
    /// @return a guard that this thread closes
    /// @throws LineTimeoutException if it is not free in time
    /// @throws IllegalArgumentException if no line of this cluster can have the address
    @Override
    public LineGuard exclusive(long line) {
        return exclusive(line, cache.waitNanos(), Cancellation.NEVER);
    }

    /// The same with another limit.
    ///
    /// @param maxNanos how long it waits for others at the most
    /// @param cancelled polled while it waits; what it throws ends the wait
    public LineGuard exclusive(long line, long maxNanos, Cancellation cancelled) {
        wait.begin(maxNanos, cancelled);
        return latchExclusive(line);
    }

    private LineGuard latchExclusive(long line) {
        while (true) {
            Frame frame = table.find(line);
            if (frame == null) {
                frame = insert(line);
                if (frame != null) {
                    acquireExclusive(frame);
                    return guard(frame, true);
                }
            } else if (isOverdue(frame)) {
                wait.pause(line);
            } else if (frame.tryExclusive()) {
                if (frame.line() == line) {
                    table.used(frame);
                    if (frame.state() == State.SHARED) {
                        upgrade(frame);
                    } else if (frame.state() == State.INVALID) {
                        acquireExclusive(frame);
                    }
                    return guard(frame, true);
                }
                frame.releaseExclusive();
            } else {
                wait.pause(line);
            }
        }
    }

    /// The same as [#shared], but does not wait for the line's current holder.
    ///
    /// @return null if others are using it
    public @Nullable LineGuard tryShared(long line) {
        wait.beginOnce();
        try {
            return latchShared(line);
        } catch (LineTimeoutException e) {
            return null;
        }
    }

    /// The same as [#exclusive(long)], but does not wait for the line's current holder.
    ///
    /// @return null if others are using it
    public @Nullable LineGuard tryExclusive(long line) {
        wait.beginOnce();
        try {
            return latchExclusive(line);
        } catch (LineTimeoutException e) {
            return null;
        }
    }

    /// Makes a shared guard exclusive, without a moment in which the line is not latched; if others
    /// are using the line, the guard is closed.
    ///
    /// @return whether it is exclusive; else closed
    public boolean tryUpgrade(LineGuard guard) {
        Frame frame = guard.held();
        if (guard.isExclusive()) {
            return true;
        }
        if (!frame.tryUpgrade()) {
            guard.close();
            return false;
        }
        wait.beginOnce();
        try {
            for (int tried = 1; frame.state() == State.SHARED && tried <= MAX_UPGRADES; tried++) {
                if (!protocol.upgrade(frame) && frame.state() == State.SHARED) {
                    boolean _ =
                            invalidations.isGranted(frame, true, tried); // sharers grant nothing
                }
            }
        } catch (LineTimeoutException e) {
            // they are using it
        } catch (RuntimeException e) {
            guard.lose();
            endUpgrade(frame);
            throw e;
        }
        if (frame.state() == State.MODIFIED) {
            guard.upgrade();
            return true;
        }
        guard.lose();
        endUpgrade(frame);
        return false;
    }

    /// Whether this thread must leave a line to another compute server that waits for it. Not if
    /// it has a guard of it: then it waits for itself.
    private boolean isOverdue(Frame frame) {
        if (!isFair || frame.waiting() == 0 || !frame.isOverdue(host.nanoTime())) {
            return false;
        }
        for (int i = 0; i < openGuards; i++) {
            if (guards[i].line() == frame.line()) {
                return false;
            }
        }
        return true;
    }

    /// A line whose words are used without guards and copies.
    ///
    /// @throws IllegalArgumentException if no line of this cluster can have the address
    public UncachedLine uncached(long line) {
        requireLine(line);
        return new UncachedLine(protocol, line, layout.lineBytes());
    }

    /// This compute server's station.
    public int station() {
        return cache.station();
    }

    /// The [words][Stations] of all stations, as they are now: one READ.
    public long[] stations() {
        return Stations.read(protocol.queuePair());
    }

    /// The machine with the clock that its waits go by.
    public Host host() {
        return host;
    }

    /// How many messages it has sent to other compute servers.
    @Override
    public long messages() {
        return invalidations.messages();
    }

    /// The verbs that it has posted since its last connection was opened.
    @Override
    public VerbCounters counters() {
        return protocol.counters();
    }

    /// A frame for a line that has none; null if it has one now, or there is no free one yet.
    private @Nullable Frame insert(long line) {
        requireLine(line);
        cache.requireUsable();
        Frame frame = table.insert(line);
        if (frame == null && !table.hasFree() && !protocol.evict(evicted)) {
            wait.pause(line);
        }
        return frame;
    }

    /// @param frame latched exclusively, perhaps no longer with the line
    private void evictIfCached(Frame frame, long line) {
        if (frame.line() == line && line != RemoteAddress.NULL) {
            protocol.release(frame);
            table.remove(frame);
        } else {
            frame.releaseExclusive();
        }
    }

    private void requireLine(long line) {
        if (!layout.isLine(line) || !protocol.isInArea(line)) {
            throw new IllegalArgumentException(
                    RemoteAddress.describe(line)
                            + " is no line: use an address that was allocated since all memory servers were started");
        }
    }

    /// ```
    /// A                                       B, the writer
    /// FAA + bit, READ: writer B
    /// request to B
    ///                                         WRITE, FAA - writer + bit
    ///                                         answers with the line
    /// ```
    /// A's bit is set, so no station changes the line that is in transit. If B has left: `READ
    /// word, READ line`.
    private void acquireShared(Frame frame) {
        try {
            for (int retries = 1; !protocol.share(frame); retries++) {
                if (invalidations.isGranted(frame, false, retries)) {
                    return;
                }
            }
        } catch (RuntimeException e) {
            abandon(frame);
            throw e;
        }
    }

    /// The wait for a line has ended without it. In a cache that has failed the frame stays
    /// latched, as the latch word is unknown.
    ///
    /// @param frame announced or invalid
    private void abandon(Frame frame) {
        if (!cache.hasFailed()) {
            if (frame.state() == State.ANNOUNCED) {
                protocol.release(frame);
            }
            table.remove(frame);
        }
    }

    /// ```
    /// A                                       B, the writer
    /// CAS 0 -> writer A, READ: writer B
    /// request to B
    ///                                         WRITE, FAA + writer A - writer B
    ///                                         answers with the line
    /// ```
    private void acquireExclusive(Frame frame) {
        try {
            for (int retries = 1; !protocol.take(frame); retries++) {
                if (invalidations.isGranted(frame, true, retries)) {
                    return;
                }
            }
        } catch (RuntimeException e) {
            abandon(frame);
            throw e;
        }
    }

    /// ```
    /// A, which shares a line             B, which shares it too
    /// CAS bit A -> writer A: fails       CAS bit B -> writer B: fails
    /// request to B: busy                 request to A: busy
    ///                ... three times ...
    /// FAA - bit A
    /// CAS 0 -> writer A: fails           CAS bit B -> writer B
    /// request to B: busy, until it is done
    /// ```
    private void upgrade(Frame frame) {
        try {
            for (int tried = 1; frame.state() == State.SHARED; tried++) {
                if (protocol.upgrade(frame)) {
                    return;
                }
                if (frame.state() == State.SHARED) {
                    if (tried == MAX_UPGRADES) {
                        protocol.release(frame);
                    } else {
                        boolean _ =
                                invalidations.isGranted(
                                        frame, true, tried); // sharers grant nothing
                    }
                }
            }
        } catch (RuntimeException e) {
            endUpgrade(frame);
            throw e;
        }
        acquireExclusive(frame);
    }

    /// An upgrade has failed, by a lost connection or by others that use the line.
    private void endUpgrade(Frame frame) {
        if (frame.state() != State.SHARED) {
            abandon(frame); // a connection was lost on the way
        } else if (!cache.hasFailed()) {
            frame.releaseExclusive();
        }
    }

    private LineGuard guard(Frame frame, boolean isExclusive) {
        if (openGuards == guards.length) {
            guards = Arrays.copyOf(guards, openGuards + 1);
            guards[openGuards] = new LineGuard(this, frame, layout.lineBytes());
        }
        LineGuard guard = guards[openGuards++];
        guard.latched(frame, isExclusive);
        return guard;
    }

    /// A guard is closed, or has lost its line.
    void remove(LineGuard guard) {
        int index = openGuards - 1;
        while (guards[index] != guard) {
            index--;
        }
        openGuards--;
        guards[index] = guards[openGuards];
        guards[openGuards] = guard;
    }

    void closed(LineGuard guard, Frame frame) {
        remove(guard);
        if (!keepsLines) {
            giveUp(guard, frame);
            return;
        }
        if (!guard.isExclusive()) {
            frame.releaseShared();
            return;
        }
        boolean isEarly = PlantedFault.LINE_FLUSHED_UNLATCHED.isPlanted();
        if (isEarly) {
            frame.releaseExclusive();
        }
        if (cache.flushesOnRelease()) {
            protocol.flush(frame);
        }
        if (!isEarly) {
            frame.releaseExclusive();
        }
    }

    /// A line is released after its use, unless other threads are reading it.
    private void giveUp(LineGuard guard, Frame frame) {
        long line = frame.line();
        if (!guard.isExclusive()) {
            frame.releaseShared();
        }
        if (guard.isExclusive() || frame.tryExclusive()) {
            evictIfCached(frame, line);
        }
    }

    /// Closes guards. What was changed under them is written by one round trip for each 16 of them.
    ///
    /// @param all the first `count` of them
    public void close(LineGuard[] all, int count) {
        int dirty = 0;
        for (int i = 0; i < count && cache.flushesOnRelease(); i++) {
            if (all[i].isExclusive() && all[i].held().isDirty()) {
                victims[dirty++] = all[i].held();
                if (dirty == victims.length) {
                    protocol.flush(victims, dirty);
                    dirty = 0;
                }
            }
        }
        protocol.flush(victims, dirty);
        for (int i = 0; i < count; i++) {
            all[i].close();
        }
    }

    /// Its guards are closed.
    @Override
    public void close() {
        assert openGuards == 0 : "a session is closed before its guards";
        protocol.close();
    }
}
