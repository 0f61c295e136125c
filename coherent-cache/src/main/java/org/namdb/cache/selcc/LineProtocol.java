package org.namdb.cache.selcc;

import java.util.Collections;
import org.namdb.cache.frame.Frame;
import org.namdb.cache.frame.Frame.State;
import org.namdb.cache.frame.FrameTable;
import org.namdb.cache.line.LatchWord;
import org.namdb.cache.line.LineArea;
import org.namdb.cache.line.Stations;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.VerbCounters;
import org.namdb.fabric.ViewScope;

/// A thread's verbs on latch words and lines: each of them one round trip. Frames that it is given
/// are latched exclusively by the caller.
///
/// The order of verbs is what makes one round trip enough, since a queue pair's verbs to one memory
/// server take effect in their order, and a line is on the server of its latch word:
/// ```
/// acquire    FAA or CAS, READ     from the atomic on, if it found the latch free, no station
///                                 else may change the line; so the READ finds it whole
/// release    WRITE, FAA           a station that sees the latch free finds what was changed
/// ```
/// When a connection is lost, it is unknown which verbs have taken effect. No other station changes
/// this station's part of a latch word. So on a new connection, when the old one has ended, the
/// word shows it ([#settle]), transparently for the caller.
final class LineProtocol implements AutoCloseable {
    /// How many frames are written by one round trip.
    static final int MAX_BATCH = 16;

    private static final State[] RELEASED =
            Collections.nCopies(MAX_BATCH, State.INVALID).toArray(State[]::new);
    private static final long[] NO_GRANTS = new long[MAX_BATCH];

    /// How many connections are lost in a row before it gives up.
    static final int MAX_RECONNECTS = 8;

    private final LineCache cache;
    private final LineArea layout;
    private final int station;
    private final long writer;
    private final long reader;
    private final boolean hasBounds;
    private QueuePair queuePair;

    /// Whether it is not known what the connection has done.
    private boolean isInDoubt;

    /// What WRITEs are posted from: frames are not memory that a network card knows.
    private long staging;

    /// The latch word as the last verb has found it.
    private long word;

    LineProtocol(LineCache cache) {
        this.cache = cache;
        this.layout = cache.layout();
        this.station = cache.station();
        this.writer = LatchWord.writer(station);
        this.reader = LatchWord.reader(station);
        this.hasBounds = cache.has(LineCacheOptions.Part.DIRTY_BOUNDS);
        this.queuePair = cache.connect();
        this.staging = queuePair.localMemory((long) MAX_BATCH * layout.lineBytes());
    }

    /// For verbs that have nothing to do with frames: on a new connection, if the old one is lost.
    QueuePair queuePair() {
        reconnect();
        return queuePair;
    }

    /// Whether a line is in memory that holds lines.
    boolean isInArea(long line) {
        for (int tried = 1; ; tried++) {
            try {
                return cache.allocator().isInArea(queuePair(), line);
            } catch (FabricException e) {
                if (e.kind() == FabricException.Kind.BAD_ADDRESS) {
                    return false;
                }
                if (e.kind() != FabricException.Kind.CONNECTION_LOST || tried == MAX_RECONNECTS) {
                    throw e;
                }
            }
        }
    }

    VerbCounters counters() {
        return queuePair.counters();
    }

    /// The latch word as the last verb has found it.
    long word() {
        return word;
    }

    /// Makes a frame shared: `FAA + bit, READ`. If another station may change the line, the bit
    /// stands, and the frame is announced; then it is tried again by `READ, READ`, of the latch
    /// word and the line. The second one finds the line whole if the first one finds no writer, as
    /// none comes while the bit stands.
    ///
    /// If this station is the writer, it was granted the line after its request had timed out: then
    /// it becomes a sharer.
    ///
    /// @return whether the frame is shared now; else it is announced
    boolean share(Frame frame) {
        return retrying(
                frame,
                () -> {
                    long line = frame.line();
                    long latch = layout.latch(line);
                    try (ViewScope _ = queuePair.openViews()) {
                        long early = 0;
                        if (PlantedFault.LINE_READ_FIRST.isPlanted()) {
                            early = queuePair.read(line, layout.lineBytes());
                        }
                        long found =
                                frame.state() == State.INVALID
                                        ? queuePair.fetchAndAdd(latch, reader)
                                        : queuePair.read(latch, Long.BYTES);
                        long view = queuePair.read(line, layout.lineBytes());
                        queuePair.await();
                        word = LocalMemory.longAt(found);
                        if (LatchWord.writerOf(word) == station) {
                            queuePair.fetchAndAdd(latch, -writer);
                            queuePair.await();
                            word -= writer;
                        }
                        if (LatchWord.writerOf(word) != 0
                                && !PlantedFault.LINE_WRITER_IGNORED.isPlanted()) {
                            frame.state(State.ANNOUNCED);
                            return false;
                        }
                        frame.fill(early == 0 ? view : early, layout.lineBytes());
                        frame.state(State.SHARED);
                        return true;
                    }
                });
    }

    /// Takes the line to change it, if it is free: `CAS 0 -> writer, READ`. If this station is the
    /// writer, it was granted the line after its request had timed out, and has it, too.
    ///
    /// @return whether the frame is modified now
    boolean take(Frame frame) {
        return retrying(
                frame,
                () -> {
                    long line = frame.line();
                    try (ViewScope _ = queuePair.openViews()) {
                        long found =
                                queuePair.compareAndSwap(
                                        layout.latch(line), LatchWord.FREE, writer);
                        long view = queuePair.read(line, layout.lineBytes());
                        queuePair.await();
                        word = LocalMemory.longAt(found);
                        if (word != LatchWord.FREE && LatchWord.writerOf(word) != station) {
                            return false;
                        }
                        frame.fill(view, layout.lineBytes());
                        frame.state(State.MODIFIED);
                        return true;
                    }
                });
    }

    /// Makes a shared frame modified, if no other station shares it: `CAS bit -> writer`. A lost
    /// connection may leave it invalid, and then this fails.
    ///
    /// @return whether the frame is modified now
    boolean upgrade(Frame frame) {
        return retrying(
                frame,
                () -> {
                    if (frame.state() == State.INVALID) {
                        return false;
                    }
                    long latch = layout.latch(frame.line());
                    if (PlantedFault.LINE_UPGRADE_UNCHECKED.isPlanted()) {
                        try (ViewScope _ = queuePair.openViews()) {
                            queuePair.fetchAndAdd(latch, writer - reader);
                            queuePair.await();
                        }
                        word = reader;
                    } else {
                        word = queuePair.casWord(latch, reader, writer);
                    }
                    if (word != reader) {
                        return false;
                    }
                    frame.state(State.MODIFIED);
                    return true;
                });
    }

    /// Reads which process has which station: `READ`. A lost connection may leave the frame
    /// invalid.
    long[] readStations(Frame frame) {
        long[][] words = new long[1][];
        boolean _ =
                retrying(
                        frame,
                        () -> {
                            words[0] = Stations.read(queuePair);
                            return true;
                        });
        return words[0];
    }

    /// Writes to memory what of a modified frame is changed: `WRITE`.
    void flush(Frame frame) {
        if (frame.isDirty()) {
            boolean _ =
                    retrying(
                            frame,
                            () -> {
                                postFlush(frame, 0);
                                queuePair.await();
                                frame.clean();
                                return true;
                            });
        }
    }

    /// Writes to memory what of modified frames is changed: `WRITE` for each.
    ///
    /// @param frames the first `count` of them: at most [#MAX_BATCH]
    void flush(Frame[] frames, int count) {
        try {
            for (int i = 0; i < count; i++) {
                postFlush(frames[i], i);
            }
            queuePair.await();
            for (int i = 0; i < count; i++) {
                frames[i].clean();
            }
        } catch (RuntimeException | Error e) {
            rethrowUnlessConnectionLost(e);
            for (int i = 0; i < count; i++) {
                flush(frames[i]);
            }
        }
    }

    /// Releases a line: `WRITE dirty, FAA`.
    void release(Frame frame) {
        release(new Frame[] {frame}, 1);
    }

    /// Releases lines: `WRITE dirty, FAA` for each.
    ///
    /// @param frames the first `count` of them: at most [#MAX_BATCH]
    void release(Frame[] frames, int count) {
        release(frames, RELEASED, NO_GRANTS, count);
    }

    /// Releases lines that are not in use and were not used for long, all by one round trip, and
    /// frees their frames.
    ///
    /// @param victims has space for them
    /// @return whether there were any
    boolean evict(Frame[] victims) {
        FrameTable table = cache.table();
        int count = table.victims(victims);
        if (count > 0) {
            release(victims, count);
            for (int i = 0; i < count; i++) {
                table.remove(victims[i]);
            }
        }
        return count > 0;
    }

    /// Releases lines, or keeps them shared, or grants them to other stations: `WRITE dirty, FAA`
    /// for each. What is granted is written, too: it may never arrive.
    ///
    /// @param frames the first `count` of them: at most [#MAX_BATCH]
    /// @param targets for each, what it becomes: `INVALID`, or `SHARED` if it is modified
    /// @param grants for each, what the latch word gets for another station, or 0
    void release(Frame[] frames, State[] targets, long[] grants, int count) {
        for (int i = 0; i < count; i++) {
            if (frames[i].isDirty() && cache.isGrantPossible(frames[i].line())) {
                flush(frames[i]);
            }
        }
        try (ViewScope _ = queuePair.openViews()) {
            for (int i = 0; i < count; i++) {
                Frame frame = frames[i];
                postFlush(frame, i);
                queuePair.fetchAndAdd(
                        layout.latch(frame.line()),
                        part(targets[i]) - part(frame.state()) + grants[i]);
            }
            queuePair.await();
        } catch (RuntimeException | Error e) {
            rethrowUnlessConnectionLost(e);
            for (int i = 0; i < count; i++) {
                settle(frames[i], targets[i], grants[i]);
            }
        }
        for (int i = 0; i < count; i++) {
            frames[i].clean();
            frames[i].state(targets[i]);
        }
    }

    /// Releases this station's part of the latch word of a line that it has no copy of: it was
    /// granted the line after its request had timed out, or ended.
    ///
    /// @param frame of that line, invalid
    void relinquish(Frame frame) {
        settle(frame, State.INVALID, 0);
    }

    private void postFlush(Frame frame, int slot) {
        if (frame.isDirty() && !PlantedFault.LINE_UNFLUSHED.isPlanted()) {
            int from = frame.dirtyFrom();
            int to = frame.dirtyTo();
            if (!hasBounds) {
                from = 0;
                to = layout.lineBytes();
            }
            if (PlantedFault.LINE_DIRTY_BOUND_SMALL.isPlanted() && to - from > Long.BYTES) {
                to -= Long.BYTES;
            }
            long source = staging + (long) slot * layout.lineBytes();
            LocalMemory.copy(frame.data() + from, source, to - from);
            queuePair.write(frame.line() + from, source, to - from);
        }
    }

    /// What this station has of a latch word.
    private long part(State state) {
        return switch (state) {
            case INVALID -> 0;
            case ANNOUNCED, SHARED -> reader;
            case MODIFIED -> writer;
        };
    }

    /// A round trip that is tried again on a new connection, when it is settled what the old one
    /// has done: a frame that was moving is invalid then, and one that is modified still is.
    private boolean retrying(Frame frame, RoundTrip roundTrip) {
        for (int tried = 1; ; tried++) {
            try {
                return roundTrip.run();
            } catch (RuntimeException | Error e) {
                rethrowUnlessConnectionLost(e);
                State target = frame.state() == State.MODIFIED ? State.MODIFIED : State.INVALID;
                settle(frame, target, 0);
                frame.state(target);
                if (tried == MAX_RECONNECTS) {
                    throw failed(
                            "%d attempts in a row have failed, the last one by %s"
                                    .formatted(tried, e),
                            e);
                }
            }
        }
    }

    /// The cache has failed, as it can't reach memory.
    private FabricException failed(String how, Throwable e) {
        FabricException failure = new FabricException(FabricException.Kind.CONNECTION_LOST, how, e);
        cache.fail(failure);
        return failure;
    }

    /// After an unexpected exception of a provider it is unknown which verbs took effect, as if the
    /// connection had been lost. A broken invariant is another matter.
    private void rethrowUnlessConnectionLost(Throwable e) {
        if (e instanceof AssertionError broken) {
            cache.fail(
                    new FabricException(
                            FabricException.Kind.SYSTEM, "an invariant was violated", broken));
            throw broken;
        }
        if (!(e instanceof FabricException failure)) {
            isInDoubt = true;
        } else if (failure.kind() != FabricException.Kind.CONNECTION_LOST) {
            cache.fail(failure);
            throw failure;
        }
    }

    /// Brings a line into its target state, whatever the lost verbs have done.
    /// ```
    /// the word has             then
    /// the target state         they have taken effect
    /// what was before          WRITE dirty, FAA; the line is still this station's, so the WRITE
    ///                          overwrites no other station's changes
    /// ```
    /// It would not be *still* if another station has granted the line anew to this one, by a
    /// request that this one has given up ([LineCache#isGrantPossible]). So then nothing is dirty.
    private void settle(Frame frame, State target, long grant) {
        for (int tried = 1; ; tried++) {
            try {
                reconnect();
                long latch = layout.latch(frame.line());
                long found = queuePair.readWord(latch);
                long own = (LatchWord.writerOf(found) == station ? writer : 0) | found & reader;
                long wanted = part(target);
                if (own != wanted) {
                    try (ViewScope _ = queuePair.openViews()) {
                        postFlush(frame, 0);
                        queuePair.fetchAndAdd(latch, wanted - own + grant);
                        queuePair.await();
                    }
                }
                return;
            } catch (RuntimeException | Error e) {
                rethrowUnlessConnectionLost(e);
                if (tried == MAX_RECONNECTS) {
                    throw failed("can't find out what was done to a line: " + e, e);
                }
            }
        }
    }

    /// Ends a connection, so that nothing of it takes effect any more, and opens another one.
    private void reconnect() {
        if (isInDoubt || queuePair.isLost()) {
            isInDoubt = true; // and still is, if one of these fails
            queuePair.disconnect();
            queuePair.close();
            queuePair = cache.connect();
            staging = queuePair.localMemory((long) MAX_BATCH * layout.lineBytes());
            isInDoubt = false;
        }
    }

    @Override
    public void close() {
        queuePair.close();
    }

    /// Returns whether it has the target state.
    @FunctionalInterface
    private interface RoundTrip {
        boolean run();
    }
}
