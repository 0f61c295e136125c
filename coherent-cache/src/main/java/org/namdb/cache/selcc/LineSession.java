package org.namdb.cache.selcc;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.frame.Frame;
import org.namdb.cache.frame.Frame.State;
import org.namdb.cache.frame.FrameTable;
import org.namdb.cache.frame.LineStamp;
import org.namdb.cache.line.LatchWord;
import org.namdb.cache.line.LineArea;
import org.namdb.cache.line.Stations;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.fabric.peer.PeerQueue;
import org.namdb.fabric.peer.PeerReply;
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
public final class LineSession implements AutoCloseable {
    /// After so many failed upgrades a line is released first: two that upgrade at once fail
    /// forever, as each sees the other's bit.
    private static final int MAX_UPGRADES = 3;

    /// A writer that has waited so often is starved by readers.
    static final int STARVED = 4;

    static final long MIN_PAUSE_NANOS = 1_000;
    private static final long MAX_PAUSE_NANOS = 64_000;
    private static final long[] NO_STATIONS = new long[Stations.MAX + 1];

    /// How long [#tryStamp] waits for an answer: some schedules of a processor that has other work.
    private static final long STAMP_WAIT_NANOS = 100_000_000;

    /// How often a wait for answers checks whether it is cancelled.
    private static final long CHECK_NANOS = 10_000_000;

    /// SELCC's constant C, section 5.1.2: the first pause before a message is sent again, in round
    /// trips.
    private static final int RESEND_ROUND_TRIPS = 8;

    private final LineCache cache;
    private final LineArea layout;
    private final FrameTable table;
    private final Host host;
    private final int station;
    private final LineProtocol protocol;
    private final PeerQueue peers;
    private final PeerReply[] replies = new PeerReply[Stations.MAX];
    private final Frame[] victims = new Frame[LineProtocol.MAX_BATCH];
    private LineGuard[] guards = new LineGuard[0];
    private int openGuards;
    private int waits;

    /// Of the access: since when it waits, if it does, for how long it may, and what ends it.
    private boolean isWaiting;

    private long waitsSince;
    private long limitNanos;
    private Cancellation cancellation = Cancellation.NEVER;
    private long roundTripNanos = MIN_PAUSE_NANOS;

    LineSession(LineCache cache) {
        this.cache = cache;
        this.layout = cache.layout();
        this.table = cache.table();
        this.host = cache.host();
        this.station = cache.station();
        this.protocol = new LineProtocol(cache);
        this.peers = cache.connectPeers();
    }

    /// Allocates a line of zeroes.
    ///
    /// @return its address
    /// @throws org.namdb.mvcc.MemoryFullException if no memory server has space for it
    public long allocate() {
        QueuePair queuePair = protocol.queuePair();
        return cache.allocator()
                .allocate(new MemoryClient(queuePair, cache.memoryServers()), queuePair);
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
    public LineGuard shared(long line) {
        begin(cache.waitNanos(), Cancellation.NEVER);
        while (true) {
            Frame frame = table.find(line);
            if (frame == null) {
                if (cache.isQuiet(line)) {
                    pause(line);
                } else if ((frame = insert(line)) != null) {
                    acquireShared(frame);
                    frame.downgrade();
                    return guard(frame, false);
                }
            } else if (isOverdue(frame)) {
                pause(line);
            } else if (frame.tryShared()) {
                if (frame.line() == line && frame.state() != State.INVALID) {
                    table.used(frame);
                    return guard(frame, false);
                }
                boolean isThere = frame.line() == line;
                frame.releaseShared();
                if (isThere) {
                    pause(line);
                }
            } else {
                pause(line);
            }
        }
    }

    /// The ownership of a line. If this compute server has no copy it acquires one, and asks others
    /// for it; but it does not wait for who is using it, nor long for one that does not answer,
    /// which is not asked again for a while.
    ///
    /// @return null if others are using the line
    public @Nullable LineStamp tryStamp(long line) {
        begin(Math.min(STAMP_WAIT_NANOS, cache.waitNanos()), Cancellation.NEVER);
        Frame frame = cache.isQuiet(line) ? null : insert(line);
        if (frame == null) {
            return cache.stamp(line);
        }
        boolean isShared = false;
        try {
            isShared =
                    protocol.share(frame)
                            || !cache.isSilent(LatchWord.writerOf(protocol.word()))
                                    && (isGranted(frame, false, RESEND_ROUND_TRIPS)
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
    public LineGuard exclusive(long line) {
        return exclusive(line, cache.waitNanos(), Cancellation.NEVER);
    }

    /// The same with another limit.
    ///
    /// @param maxNanos how long it waits for others at the most
    /// @param cancelled polled while it waits; what it throws ends the wait
    public LineGuard exclusive(long line, long maxNanos, Cancellation cancelled) {
        begin(maxNanos, cancelled);
        while (true) {
            Frame frame = table.find(line);
            if (frame == null) {
                frame = insert(line);
                if (frame != null) {
                    acquireExclusive(frame);
                    return guard(frame, true);
                }
            } else if (isOverdue(frame)) {
                pause(line);
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
                pause(line);
            }
        }
    }

    /// Whether this thread must leave a line to another compute server that waits for it. Not if
    /// it has a guard of it: then it waits for itself.
    private boolean isOverdue(Frame frame) {
        if (frame.waiting() == 0 || !frame.isOverdue(host.nanoTime())) {
            return false;
        }
        for (int i = 0; i < openGuards; i++) {
            if (guards[i].line() == frame.line()) {
                return false;
            }
        }
        return true;
    }

    /// Compares and swaps the word at `offset` of a line that no guard is ever used for: it is not
    /// cached, and changed by such calls alone.
    ///
    /// @return what the word was: `expected` if the CAS succeeded
    public long compareAndSwap(long line, int offset, long expected, long desired) {
        return protocol.queuePair().casWord(line + offset, expected, desired);
    }

    /// Adds to the word at `offset` of a line that no guard is ever used for.
    ///
    /// @return what the word was
    public long fetchAndAdd(long line, int offset, long delta) {
        QueuePair queuePair = protocol.queuePair();
        try (ViewScope _ = queuePair.openViews()) {
            long view = queuePair.fetchAndAdd(line + offset, delta);
            queuePair.await();
            return LocalMemory.longAt(view);
        }
    }

    /// How many messages it has sent to other compute servers.
    public long messages() {
        return peers.messages();
    }

    /// The verbs that it has posted since its last connection was opened.
    public org.namdb.fabric.VerbCounters counters() {
        return protocol.counters();
    }

    /// A frame for a line that has none; null if it has one now, or there is no free one yet.
    private @Nullable Frame insert(long line) {
        if (!layout.isLine(line)) {
            throw new IllegalArgumentException(
                    RemoteAddress.describe(line) + " is no line of the cache");
        }
        Frame frame = table.insert(line);
        if (frame == null && !table.hasFree() && !evict()) {
            pause(line);
        }
        return frame;
    }

    /// Releases lines that are not in use and were not used for long, all by one round trip, and
    /// frees their frames.
    private boolean evict() {
        int count = table.victims(victims);
        if (count > 0) {
            protocol.release(victims, count);
            for (int i = 0; i < count; i++) {
                table.remove(victims[i]);
            }
        }
        return count > 0;
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

    /// ```
    /// A                                       B, the writer
    /// FAA + bit, READ: writer B
    /// asks B
    ///                                         WRITE, FAA - writer + bit
    ///                                         answers with the line
    /// ```
    /// A's bit is set, so no station changes the line that is in transit. If B has left: `READ
    /// word, READ line`.
    private void acquireShared(Frame frame) {
        try {
            for (int retries = 1; !protocol.share(frame); retries++) {
                if (isGranted(frame, false, retries)) {
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
    /// asks B
    ///                                         WRITE, FAA + writer A - writer B
    ///                                         answers with the line
    /// ```
    private void acquireExclusive(Frame frame) {
        try {
            for (int retries = 1; !protocol.take(frame); retries++) {
                if (isGranted(frame, true, retries)) {
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
    /// asks B: busy                       asks A: busy
    ///                ... three times ...
    /// FAA - bit A
    /// CAS 0 -> writer A: fails           CAS bit B -> writer B
    /// asks B: busy, until it is done
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
                        boolean _ = isGranted(frame, true, tried); // sharers grant nothing
                    }
                }
            }
        } catch (RuntimeException e) {
            if (frame.state() != State.SHARED) {
                abandon(frame); // a connection was lost on the way
            } else if (!cache.hasFailed()) {
                frame.releaseExclusive();
            }
            throw e;
        }
        acquireExclusive(frame);
    }

    /// Requests the line from the stations that have it, by the latch word as it was found last. If
    /// one of them is using it, waits a while.
    ///
    /// @return whether the frame has the line now; else its latch has to be tried again
    private boolean isGranted(Frame frame, boolean isExclusive, int retries) {
        long begin = host.nanoTime();
        int asked = ask(frame, isExclusive);
        boolean isBusy = false;
        try {
            awaitAnswers();
            roundTripNanos += (host.nanoTime() - begin - roundTripNanos) / 8;
        } finally {
            isBusy = hasUnanswered(frame, isExclusive, asked);
        }
        boolean isGranted = false;
        for (int i = 0; i < asked; i++) {
            PeerReply reply = replies[i];
            if (!reply.isAnswered()) {
                continue;
            }
            byte[] answer = reply.bytes();
            isBusy |= answer[0] == LineRequest.BUSY;
            if (answer[0] == LineRequest.GRANTED && isExpected(frame, isExclusive)) {
                frame.fill(answer, 1, layout.lineBytes());
                frame.state(isExclusive ? State.MODIFIED : State.SHARED);
                isGranted = true;
            }
        }
        Arrays.fill(replies, 0, asked, null);
        if (isBusy && !isGranted) {
            long pause = RESEND_ROUND_TRIPS * roundTripNanos / retries;
            sleep(frame.line(), Math.clamp(pause, MIN_PAUSE_NANOS, MAX_PAUSE_NANOS));
        } else if (!isGranted) {
            checkWait(frame.line());
        }
        return isGranted;
    }

    /// Waits for the answers to what was asked.
    private void awaitAnswers() {
        long left = limitNanos - waitedNanos();
        while (!peers.await(Math.clamp(left, 0, CHECK_NANOS))) {
            cache.requireUsable();
            cancellation.check();
            left = limitNanos - waitedNanos();
            if (left <= 0) {
                return;
            }
        }
    }

    /// Waits no more for those that have not answered. They may grant the line all the same.
    ///
    /// @return whether there are any
    private boolean hasUnanswered(Frame frame, boolean isExclusive, int asked) {
        boolean isThere = false;
        for (int i = 0; i < asked; i++) {
            if (!replies[i].isAnswered()) {
                peers.abandon(replies[i]);
                isThere = true;
            }
        }
        if (isThere) {
            cache.stations(NO_STATIONS); // another process may have a station now
            if (isExclusive) {
                cache.grantIsPossible(frame.line());
            }
        }
        return isThere;
    }

    /// Whether a grant makes the frame valid. A writer does not set a reader's bit, so a copy is
    /// good only while the bit stands:
    /// ```
    /// FAA + bit, READ: writer B
    /// READ stations: the connection is lost, so FAA - bit over the next one
    /// asks B, which answers with a copy
    /// ```
    private static boolean isExpected(Frame frame, boolean isExclusive) {
        return isExclusive
                || frame.state() == State.ANNOUNCED
                || PlantedFault.LINE_BIT_NOT_CHECKED.isPlanted();
    }

    /// Posts requests, of which [#replies] has the answers.
    ///
    /// @return how many
    private int ask(Frame frame, boolean isExclusive) {
        long word = protocol.word();
        int writer = LatchWord.writerOf(word);
        if (writer != 0) {
            LineRequest.Kind kind =
                    isExclusive ? LineRequest.Kind.EXCLUSIVE : LineRequest.Kind.SHARED;
            byte[] request = new LineRequest(kind, station, priority(), frame.line()).bytes();
            replies[0] = peers.post(process(writer, frame), request);
            return 1;
        }
        int asked = 0;
        if (isExclusive) {
            byte[] request =
                    new LineRequest(LineRequest.Kind.INVALIDATE, station, priority(), frame.line())
                            .bytes();
            long readers = LatchWord.otherReaders(word, station);
            for (long left = readers; left != 0; left &= left - 1) {
                int reader = LatchWord.firstReader(left);
                replies[asked++] = peers.post(process(reader, frame), request);
            }
        }
        return asked;
    }

    private int priority() {
        return Math.min(waits, LineRequest.MAX_PRIORITY);
    }

    /// The process that has a station.
    private int process(int number, Frame frame) {
        long[] words = cache.stations();
        if (!Stations.isTaken(words[number])) {
            words = protocol.readStations(frame);
            cache.stations(words);
        }
        return Stations.process(words[number]);
    }

    /// Waits a while for another thread.
    private void pause(long line) {
        sleep(line, Math.min(MIN_PAUSE_NANOS << Math.min(waits, 16), MAX_PAUSE_NANOS));
    }

    private void sleep(long line, long nanos) {
        checkWait(line);
        host.sleep(nanos);
    }

    private void checkWait(long line) {
        cache.requireUsable();
        cancellation.check();
        waits++;
        long waited = waitedNanos();
        if (waited >= limitNanos) {
            throw new LineTimeoutException(
                    "line %s was in use for %,d ms: close guards soon, and latch lines by address"
                            .formatted(RemoteAddress.describe(line), waited / 1_000_000));
        }
    }

    /// An access begins.
    private void begin(long maxNanos, Cancellation cancelled) {
        waits = 0;
        isWaiting = false;
        limitNanos = maxNanos;
        cancellation = cancelled;
    }

    /// How long the access has waited: since the first call of this.
    private long waitedNanos() {
        long now = host.nanoTime();
        if (!isWaiting) {
            isWaiting = true;
            waitsSince = now;
        }
        return now - waitsSince;
    }

    private LineGuard guard(Frame frame, boolean isExclusive) {
        if (openGuards == guards.length) {
            guards = Arrays.copyOf(guards, openGuards + 1);
            guards[openGuards] = new LineGuard(this, frame, layout.lineBytes());
        }
        LineGuard guard = guards[openGuards++];
        guard.open(frame, isExclusive);
        return guard;
    }

    void closed(LineGuard guard, Frame frame) {
        int index = openGuards - 1;
        while (guards[index] != guard) {
            index--;
        }
        openGuards--;
        guards[index] = guards[openGuards];
        guards[openGuards] = guard;
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

    /// Its guards are closed.
    @Override
    public void close() {
        assert openGuards == 0 : "a session is closed before its guards";
        protocol.close();
    }
}
