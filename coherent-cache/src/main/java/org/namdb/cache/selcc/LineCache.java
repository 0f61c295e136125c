package org.namdb.cache.selcc;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.frame.Frame;
import org.namdb.cache.frame.Frame.State;
import org.namdb.cache.frame.FrameTable;
import org.namdb.cache.frame.LineStamp;
import org.namdb.cache.line.LineAllocator;
import org.namdb.cache.line.LineArea;
import org.namdb.cache.line.Stations;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.VerbCounters;
import org.namdb.fabric.peer.PeerFabric;
import org.namdb.fabric.peer.PeerQueue;
import org.namdb.fabric.peer.PeerReply;
import org.namdb.memory.client.MemoryClient;

/// A compute server's cache of lines. It answers the other compute servers' requests for lines, and
/// has a session for each thread that reads and changes lines.
///
/// When it is closed, all lines are released. A compute server that ends without that keeps its
/// lines until another one that is sure of its death [clears][#clear] them away; the others wait
/// for them until then.
///
/// Thread-safe. Source: SELCC.
public final class LineCache implements AutoCloseable {
    private static final int LEAVE_ATTEMPTS = 200;
    private static final long LEAVE_PAUSE_NANOS = 1_000_000;
    private static final int QUIET = 256;
    private static final int QUIET_SHIFT = 56;
    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    /// The paper's reader spin (SELCC, section 5.3.2), for each priority of the writer.
    private static final long SPIN_NANOS = 16_000;

    /// How long an unresponsive station gets no further requests that are optional.
    private static final long SILENT_NANOS = 1_000_000_000;

    /// A FORGET of a process, to another one.
    private record Forget(int dead, int other) {}

    private final LineCacheOptions options;
    private final ComputeFabric fabric;
    private final List<Region> regions;
    private final PeerFabric peers;
    private final Host host;
    private final LineArea layout;
    private final FrameTable table;
    private final LineAllocator allocator;
    private final int station;
    private final ReleaseHandler handler;

    /// By hashes of lines, until when their readers wait, as a writer is starved by them.
    private final AtomicLongArray quiet = new AtomicLongArray(QUIET);

    /// By station, until when it counts as silent.
    private final AtomicLongArray silent = new AtomicLongArray(Stations.MAX + 1);

    /// Requests that may still be granted, as they have no answer, and the lines that they are for.
    private final Map<PeerReply, Long> unanswered = new ConcurrentHashMap<>();

    /// What others are requested to confirm; guarded by this object's monitor, as the queue is.
    private final Map<Forget, PeerReply> confirmations = new HashMap<>();

    private final PeerQueue forgetting;

    /// What the dead hold is cleared away by; guarded by this object's monitor.
    private final LineProtocol clearing;

    /// Whether all lines are released for good.
    private volatile boolean isLeaving;

    /// Processes that are dead, or have left.
    private final Set<Integer> forgotten = ConcurrentHashMap.newKeySet();

    private volatile long[] stations = new long[Stations.MAX + 1];

    private final AtomicReference<@Nullable FabricException> failure = new AtomicReference<>();
    private volatile Consumer<FabricException> failureObserver = _ -> {};

    /// Takes a station, and begins to answer requests.
    ///
    /// @param fabric the way to the memory servers
    /// @param regions of all memory servers, by number
    /// @param peers the way to the other compute servers, which this cache serves from now on, and
    ///     which is closed after it
    /// @throws IllegalStateException if 58 compute servers have caches already
    public LineCache(
            LineCacheOptions options,
            ComputeFabric fabric,
            List<Region> regions,
            PeerFabric peers,
            Host host) {
        this.options = options;
        this.fabric = fabric;
        this.regions = List.copyOf(regions);
        this.peers = peers;
        this.host = host;
        this.layout = new LineArea(options.lineBytes());
        this.table = new FrameTable(options.frames(), options.lineBytes());
        this.allocator = new LineAllocator(layout, regions.size(), peers.process());
        try (QueuePair queuePair = connect()) {
            this.station = Stations.take(queuePair, peers.process());
        }
        this.forgetting = peers.connect();
        this.clearing = new LineProtocol(this);
        this.handler = new ReleaseHandler(this);
        peers.serve(handler);
    }

    /// Opens a thread's session.
    public LineSession open() {
        requireUsable();
        return new LineSession(this);
    }

    /// What this compute server may do with a line at this moment, for checks.
    public State state(long line) {
        Frame frame = table.find(line);
        return frame == null ? State.INVALID : frame.state();
    }

    /// The ownership of a line that this compute server can read: without a verb.
    ///
    /// @return null if it has no copy, or if a thread is just changing it
    public @Nullable LineStamp stamp(long line) {
        Frame frame = table.find(line);
        if (frame == null || !frame.tryShared()) {
            return null;
        }
        try {
            boolean isReadable = frame.state() == State.SHARED || frame.state() == State.MODIFIED;
            return isReadable && frame.line() == line ? new LineStamp(frame) : null;
        } finally {
            frame.releaseShared();
        }
    }

    /// The station: this compute server's number in latch words.
    public int station() {
        return station;
    }

    /// Writes what is changed to memory and releases all lines. No session has a guard open.
    @Override
    public void close() {
        try {
            if (!hasFailed()) {
                releaseAll();
                leave();
            }
        } finally {
            peers.close();
            clearing.close();
            handler.close();
            // Sessions that are open still, as after a lost lease, find no frame from now on.
            failure.compareAndSet(
                    null,
                    new FabricException(
                            FabricException.Kind.SYSTEM, "it is closed; open another session"));
            table.close();
        }
    }

    /// A line that was requested when a connection was lost may be granted to this station later.
    /// So the others have to forget it before its station can be another process's. If one does not
    /// answer, the station stays taken, until that is cleared away.
    private void leave() {
        isLeaving = true;
        peers.refuse(peers.process()); // waits for what its handler is at work on
        boolean isFree = clear(Set.of(peers.process()));
        for (int tried = 1; !isFree && tried < LEAVE_ATTEMPTS; tried++) {
            host.sleep(LEAVE_PAUSE_NANOS); // others answer, or leave, too
            isFree = clear(Set.of(peers.process()));
        }
        if (!isFree) {
            host.logger(LineCache.class)
                    .warn("station {} stays taken: another compute server is silent", station);
        }
    }

    /// Clears away what dead compute servers hold. They must be fenced: none of their verbs takes
    /// effect any more. Any number of compute servers may try; one alone takes a station out of the
    /// latch words, as the station may be another's as soon as it is free:
    /// ```
    /// a   finds the dead one's bit in a word
    /// b                                       takes it out, and frees the station
    /// c   takes the station, and the line     the word is what a has found
    /// a   takes c's bit out
    /// ```
    /// If that one dies, the next one that clears it away goes on in its place.
    /// ```
    /// this compute server                     every other one that has a station, and lives
    /// reads the stations
    /// FORGET dead
    ///                                         handles no request of it any more, and has handled
    ///                                         those before
    /// all have confirmed it: claims the
    /// station, takes the dead one out of all
    /// latch words
    /// frees its station
    /// ```
    /// One that takes a station after the stations were read is unknown to the dead one, which is
    /// fenced and reads no stations any more.
    ///
    /// Lines hold what was written to them when an exclusive guard was closed, all of it or a part
    /// of it if the process died at that moment.
    ///
    /// @return whether nothing is left of them; if not, another compute server has not answered
    ///     yet, and it has to be tried again
    public synchronized boolean clear(Set<Integer> dead) {
        requireUsable();
        QueuePair queuePair = clearing.queuePair();
        long[] words = Stations.read(queuePair);
        List<Integer> left = new ArrayList<>();
        for (int number = 1; number <= Stations.MAX; number++) {
            boolean isDead = dead.contains(Stations.process(words[number]));
            if (Stations.isTaken(words[number])
                    && (isDead || Stations.clearedBy(words[number]) == station)) {
                left.add(number);
            }
        }
        for (int i = 0; i < left.size(); i++) {
            addBegun(words, left.get(i), left);
        }
        if (left.isEmpty()) {
            return true;
        }
        if (!PlantedFault.LINE_FORGET_SKIPPED.isPlanted() && !areForgotten(words, dead)) {
            return false;
        }
        Set<Integer> cleared = new HashSet<>();
        for (int number : left) {
            if (!clear(queuePair, words, number, left, cleared)) {
                return false;
            }
        }
        confirmations.keySet().removeIf(request -> dead.contains(request.dead()));
        return true;
    }

    /// Adds the stations that a dead one has begun to clear away.
    private static void addBegun(long[] words, int dead, List<Integer> left) {
        for (int number = 1; number <= Stations.MAX; number++) {
            if (Stations.clearedBy(words[number]) == dead && !left.contains(number)) {
                left.add(number);
            }
        }
    }

    /// Clears a station away, and before it those that it has begun to clear away: their words name
    /// it.
    ///
    /// @return false if another compute server is clearing it, or already has
    private boolean clear(
            QueuePair queuePair,
            long[] words,
            int number,
            List<Integer> left,
            Set<Integer> cleared) {
        if (!cleared.add(number)) {
            return true;
        }
        for (int other : left) {
            if (Stations.clearedBy(words[other]) == number
                    && !clear(queuePair, words, other, left, cleared)) {
                return false;
            }
        }
        int by = Stations.clearedBy(words[number]);
        boolean isClearedByOther =
                by != 0 && by != station && Stations.isTaken(words[by]) && !left.contains(by);
        if (isClearedByOther || !Stations.beginToClear(queuePair, number, words[number], station)) {
            return false;
        }
        for (int server = 0; server < regions.size(); server++) {
            LineAllocator.sweep(queuePair, layout, server, number);
        }
        Stations.release(queuePair, number, Stations.process(words[number]));
        return true;
    }

    /// Whether all who live have confirmed that they hand nothing over to the dead. It does not
    /// wait for them: one may be silent for long, and dead as well.
    private boolean areForgotten(long[] words, Set<Integer> dead) {
        boolean areForgotten = true;
        for (int process : dead) {
            if (process != peers.process()) {
                forget(process);
            }
            for (int number = 1; number <= Stations.MAX; number++) {
                int other = Stations.process(words[number]);
                boolean isRequested =
                        Stations.isTaken(words[number])
                                && number != station
                                && !dead.contains(other)
                                && !forgotten.contains(other); // that one is fenced, or has left
                areForgotten &= !isRequested || isConfirmed(process, other);
            }
        }
        return areForgotten;
    }

    private boolean isConfirmed(int dead, int other) {
        Forget request = new Forget(dead, other);
        PeerReply reply = confirmations.get(request);
        if (reply == null || reply.isDone() && !reply.isAnswered()) {
            reply = forgetting.post(other, LineRequest.forget(dead));
            confirmations.put(request, reply);
        }
        return reply.isAnswered();
    }

    /// Hands nothing over to a process any more.
    void forget(int process) {
        forgotten.add(process);
        peers.refuse(process);
        stations = new long[Stations.MAX + 1]; // another process may have its station later
    }

    /// Whether a process gets no line from here.
    boolean isForgotten(int process) {
        return isLeaving || forgotten.contains(process);
    }

    /// The processes that have stations, each of which others may wait for.
    public static Set<Integer> holders(QueuePair queuePair) {
        Set<Integer> holders = new TreeSet<>();
        for (long word : Stations.read(queuePair)) {
            if (Stations.isTaken(word)) {
                holders.add(Stations.process(word));
            }
        }
        return holders;
    }

    /// The first area of lines on memory server 0, the same for all compute servers: for lines that
    /// they agree on by their numbers.
    ///
    /// @throws IllegalStateException if lines have another size than this cache's
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for it
    public long firstArea() {
        try (QueuePair queuePair = connect()) {
            return allocator.firstArea(new MemoryClient(queuePair, regions.size()), queuePair, 0);
        }
    }

    private void releaseAll() {
        try (LineProtocol protocol = new LineProtocol(this)) {
            for (int i = 0; i < table.size(); i++) {
                Frame frame = table.frame(i);
                while (frame.line() != RemoteAddress.NULL) {
                    if (frame.tryExclusive()) {
                        protocol.release(frame);
                        table.remove(frame);
                    } else {
                        requireUsable(); // else the handler, which has it, has failed with it
                        host.sleep(LineWait.MIN_PAUSE_NANOS);
                    }
                }
            }
        }
    }

    /// The verbs by which requests of others were handled.
    VerbCounters handled() {
        return handler.counters();
    }

    QueuePair connect() {
        return fabric.connect(regions);
    }

    PeerQueue connectPeers() {
        return peers.connect();
    }

    LineArea layout() {
        return layout;
    }

    FrameTable table() {
        return table;
    }

    LineAllocator allocator() {
        return allocator;
    }

    Host host() {
        return host;
    }

    int memoryServers() {
        return regions.size();
    }

    long waitNanos() {
        return options.waitLimit().toNanos();
    }

    /// Whether a part of the protocol is not left out.
    boolean has(LineCacheOptions.Part part) {
        return !options.without().contains(part);
    }

    boolean flushesOnRelease() {
        return options.flush() == LineCacheOptions.Flush.ON_RELEASE;
    }

    /// A copy was given up for a writer: readers of this compute server leave the line alone for a
    /// while, so that the writer finds it free.
    void quieten(long line, int priority) {
        if (priority >= LineSession.STARVED && has(LineCacheOptions.Part.READER_SPIN)) {
            quiet.set(quietSlot(line), host.nanoTime() + priority * SPIN_NANOS);
        }
    }

    /// Whether a reader must not acquire a line yet.
    boolean isQuiet(long line) {
        long until = quiet.get(quietSlot(line));
        return until != 0 && until - host.nanoTime() > 0;
    }

    /// A station has not answered in time.
    void silent(int number) {
        silent.set(number, host.nanoTime() + SILENT_NANOS);
    }

    /// Whether a station has not answered in time a while ago, and is likely not to.
    boolean isSilent(int number) {
        long until = silent.get(number);
        return until != 0 && until - host.nanoTime() > 0;
    }

    private static int quietSlot(long line) {
        return (int) (line * GOLDEN >>> QUIET_SHIFT);
    }

    /// A request for a line, to change it, has no answer: it may still be granted, at any time,
    /// until it is known to be handled, or to be one to a process that is fenced or has left. If
    /// its connection is lost, it waits at the other process for an unknown time.
    void grantIsPossible(PeerReply request, long line) {
        removeHandled();
        unanswered.put(request, line);
    }

    /// Whether this station may be granted a line that it has not requested just now.
    boolean isGrantPossible(long line) {
        if (unanswered.isEmpty()) {
            return false;
        }
        removeHandled();
        return unanswered.containsValue(line);
    }

    private void removeHandled() {
        unanswered
                .keySet()
                .removeIf(request -> request.isHandled() || forgotten.contains(request.peer()));
    }

    /// The words of all stations as they were read last; zeroes before that.
    long[] stations() {
        return stations;
    }

    void stations(long[] newStations) {
        stations = newStations;
    }

    /// The memory servers refuse this process, or are gone: it is unknown which lines it has, and
    /// the cache is of no use any more. The first failure stays.
    void fail(FabricException newFailure) {
        if (failure.compareAndSet(null, newFailure)) {
            failureObserver.accept(newFailure);
        }
    }

    /// Calls `observer` if the cache fails, or has failed before. The lines of a failed cache stay
    /// latched until another compute server [clears][#clear] them away, so this one must be fenced.
    ///
    /// @param observer called by any thread, which may hold latches; maybe twice
    public void observeFailure(Consumer<FabricException> observer) {
        failureObserver = observer;
        FabricException found = failure.get();
        if (found != null) {
            observer.accept(found); // it may have failed before there was this observer
        }
    }

    /// Whether it has failed, and can't be used any more.
    public boolean hasFailed() {
        return failure.get() != null;
    }

    void requireUsable() {
        FabricException found = failure.get();
        if (found != null) {
            throw new FabricException(
                    found.kind(), "the cache of lines has failed: " + found.getMessage(), found);
        }
    }
}
