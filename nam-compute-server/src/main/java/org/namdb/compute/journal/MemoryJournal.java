package org.namdb.compute.journal;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.CommitImage;
import org.namdb.compute.commit.JournalFullException;
import org.namdb.compute.maintenance.MaintenanceThread;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskException;
import org.namdb.fabric.disk.DiskFile;
import org.namdb.memory.server.Request;
import org.namdb.mvcc.ring.ImageRingCursor;
import org.namdb.mvcc.ring.ImageRings;
import org.namdb.mvcc.ring.SpillState;

/// The data directory of a memory server: its own thread takes the images from the rings on the
/// server, and appends them to a journal.
/// ```
/// session            image to both rings, install; publish
/// this               takes images from all rings, now and then
/// compute server     chooses a snapshot S_K, with number K; requests cut <K, S_K> of all servers
/// this               takes images from all rings: those of S_K were whole before it was chosen
///                    appends them, then <K, S_K>; forces; raises the word of forced cuts
/// compute server     reads these words; the cut is on all disks: answers
/// ```
/// So a journal that has a cut K has all images of S_K of its rings before. If the largest number
/// of a cut in each journal is K or more, all have all of S_K. What is recovered is the least of
/// these.
///
/// Each life of a cluster's memory is a *generation*, with a journal of its own. It begins with
/// what a recovery writes: all that there was. Its first cut is taken when that is complete, and
/// makes the generations before unnecessary. Until then it is of no use itself.
public final class MemoryJournal implements AutoCloseable {
    private static final String IDENTITY = "namdb";
    static final String FIRST_LINE = "NamDB memory server's data directory";
    private static final int FORMAT = 1;
    private static final long IDLE_NANOS = 2_000_000;
    private static final long FULL_NANOS = 100_000_000;
    private static final int ZEROES_AT_ONCE = 1 << 20;

    /// What requests are about, in their first byte.
    static final byte CONTENTS = 0;

    static final byte LIST = 1;
    static final byte READ = 2;
    static final byte BEGIN = 3;
    static final byte CUT = 4;
    static final byte DROP = 5;
    static final byte STATUS = 6;
    static final byte END = 7;
    static final byte CHECKPOINT = 8;
    static final byte NEEDED = 9;
    static final byte WRITE = 10;
    static final byte FORCE = 11;
    static final byte FORCED = 12;
    static final byte REMOVE = 13;
    static final byte DROP_BEFORE = 14;
    static final byte SECOND = 15;

    private final Host host;
    private final JournalOptions options;
    private final int number;
    private final int servers;
    private final Disk disk;
    private final Disk.Lock lock;
    private @Nullable Long database;

    /// Native addresses of control words.
    private final long forcedWord;

    private final long stateWord;
    private final Arena arena = Arena.ofShared();
    private final long checkpointsWord;
    private final int slots;
    private final ImageRingCursor[] cursors;

    /// Requests come from several workers.
    private final ReentrantLock requests = new ReentrantLock();

    private volatile @Nullable MemoryCheckpoints checkpoints;

    /// What is longer than a request, and is not all there yet.
    private final Map<Long, byte[]> arriving = new HashMap<>();

    /// A cut that was requested.
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Due(long ticket, byte[] body) {}

    private final Queue<Due> due = new ConcurrentLinkedQueue<>();
    private long tickets;

    private volatile @Nullable DiskJournal journal;
    private volatile long lastCutNanos;
    private volatile boolean closing;
    private volatile boolean isOver;
    private @Nullable Thread thread;

    /// Opens a directory; nothing is written yet.
    ///
    /// @param options its disk and its place
    /// @param number of the memory server
    /// @param servers how many there are
    /// @param region the native address of the server's region
    /// @param slots how many there are
    /// @throws JournalException if it can't be had: in use, of a newer version, of another server,
    ///     or something else
    public MemoryJournal(
            Host host,
            JournalOptions options,
            int number,
            int servers,
            long region,
            ImageRings rings,
            int slots) {
        this.host = host;
        this.options = options.withDurability(Durability.ASYNC);
        this.number = number;
        this.servers = servers;
        this.forcedWord = region + RemoteAddress.offset(rings.forcedCut(number));
        this.slots = slots;
        this.checkpointsWord =
                region + RemoteAddress.offset(rings.checkpoints()); // of number 0 only
        this.stateWord = region + RemoteAddress.offset(rings.state(number));
        Disk.Lock taken = null;
        boolean isOpen = false;
        try {
            disk = options.disk().get();
            database = identity();
            taken = disk.lock();
            lock = taken;
            cursors = ImageRingCursor.of(arena, rings, number, region, slots);
            isOpen = true;
        } catch (DiskException e) {
            throw new JournalException(
                    JournalException.Kind.FAILED, String.valueOf(e.getMessage()), e);
        } finally {
            if (!isOpen && taken != null) {
                taken.close();
            }
        }
    }

    /// @return the database's number; null if the directory is new
    private @Nullable Long identity() {
        List<String> names = new ArrayList<>(disk.list());
        names.remove(Disk.LOCK_FILE);
        if (names.isEmpty()) {
            return null;
        }
        byte[] bytes = new byte[1 << 10];
        int length = 0;
        if (names.contains(IDENTITY)) {
            try (DiskFile file = disk.open(IDENTITY)) {
                length = file.read(0, ByteBuffer.wrap(bytes));
            }
        }
        List<String> lines = new String(bytes, 0, length, StandardCharsets.UTF_8).lines().toList();
        String place = options.place();
        if (lines.size() != 4 && names.equals(List.of(IDENTITY))) {
            return null; // its maker has died before anything else
        }
        if (lines.size() != 4
                || !lines.get(0).equals(FIRST_LINE)
                || !lines.get(1).matches("format [0-9]{1,9}")
                || !lines.get(2).matches("database [0-9a-f]{16}")
                || !lines.get(3).matches("server [0-9]{1,9} of [0-9]{1,9}")) {
            throw damaged(
                    place
                            + " is no data directory of a memory server: there are other files in"
                            + " it; name an empty or a new directory");
        }
        int format = Integer.parseInt(lines.get(1).substring("format ".length()));
        if (format > FORMAT) {
            throw damaged(
                    "%s has format %d, and this version of NamDB knows format %d only: open it with"
                                    .formatted(place, format, FORMAT)
                            + " the newer version of NamDB that has written it");
        }
        String own = "server %d of %d".formatted(number, servers);
        if (!lines.get(3).equals(own)) {
            throw damaged(
                    "%s is the data directory of memory %s, and this is %s: give each the one that it has written"
                            .formatted(place, lines.get(3), own));
        }
        return Long.parseUnsignedLong(lines.get(2).substring("database ".length()), 16);
    }

    private static JournalException damaged(String message) {
        return new JournalException(JournalException.Kind.DAMAGED, message, null);
    }

    static String prefix(int generation) {
        return String.format(Locale.ROOT, "g%08d-", generation);
    }

    private NavigableSet<Integer> generations() {
        NavigableSet<Integer> found = new TreeSet<>();
        for (String name : disk.list()) {
            if (name.matches("g[0-9]{8}-.*")) {
                found.add(Integer.parseInt(name, 1, 9, 10));
            }
        }
        return found;
    }

    /// Answers a request.
    public ByteBuffer answer(ByteBuffer request) {
        requests.lock();
        try {
            return answer(request.get(), request);
        } finally {
            requests.unlock();
        }
    }

    private ByteBuffer answer(byte what, ByteBuffer request) {
        MemoryCheckpoints begun = checkpoints;
        boolean isOfMemory = what == CUT || what >= CHECKPOINT;
        if (isOfMemory && (begun == null || request.getInt() != begun())) {
            return reply(Request.NOTHING, 0).flip(); // the memory is not what it is about
        }
        return switch (what) {
            case CONTENTS -> contents();
            case LIST -> list(Request.name(request), request.getInt());
            case READ -> read(Request.name(request), request.getLong(), request.getInt());
            case BEGIN -> begin(request.getInt(), request.getInt(), request.getLong());
            case CUT -> cut(request);
            case DROP -> drop(request.getInt());
            case STATUS -> status();
            case END -> end(request.getInt());
            default -> begun == null ? reply(Request.REFUSED, 0) : answer(begun, what, request);
        };
    }

    private ByteBuffer answer(MemoryCheckpoints begun, byte what, ByteBuffer request) {
        return switch (what) {
            case CHECKPOINT -> reply(Request.DONE, Long.BYTES).putLong(begun.begin()).flip();
            case NEEDED -> needed(begun, request);
            case WRITE ->
                    status(
                            begun.write(
                                    request.getLong(),
                                    Request.name(request),
                                    request.getLong(),
                                    request));
            case FORCE -> status(begun.beginForce(request.getLong(), Request.name(request)));
            case FORCED -> reply(Request.DONE, 1).put(begun.forceState()).flip();
            case REMOVE -> status(begun.remove(request.getLong(), Request.name(request)));
            case SECOND -> status(begun.begin(request.getLong()));
            case DROP_BEFORE -> status(begun.dropBefore(request.getLong(), request.getInt()));
            default -> reply(Request.REFUSED, 0).flip();
        };
    }

    private static ByteBuffer status(byte status) {
        return reply(status, 0).flip();
    }

    private ByteBuffer needed(MemoryCheckpoints begun, ByteBuffer request) {
        ByteBuffer reply = reply(Request.DONE, Integer.BYTES);
        byte[] body = arrived(request);
        if (body == null) {
            return reply.putInt(0).flip();
        }
        long[] shown = new long[body.length / Long.BYTES];
        ByteBuffer.wrap(body).asLongBuffer().get(shown);
        return reply.putInt(begun.neededFrom(shown)).flip();
    }

    private static ByteBuffer reply(byte status, int bytes) {
        return ByteBuffer.allocate(1 + bytes).put(status);
    }

    private ByteBuffer contents() {
        NavigableSet<Integer> found = generations();
        Long known = database;
        ByteBuffer reply =
                reply(Request.DONE, 1 + Long.BYTES + Integer.BYTES * (1 + found.size()))
                        .put((byte) (known == null ? 0 : 1))
                        .putLong(known == null ? 0 : known)
                        .putInt(begun());
        found.forEach(reply::putInt);
        return reply.flip();
    }

    /// @return the generation that was begun; 0 if none was
    private int begun() {
        DiskJournal opened = journal;
        return opened == null ? 0 : opened.generation();
    }

    /// Another memory server has lost its memory: this one restarts with empty memory, too.
    private ByteBuffer end(int generation) {
        if (generation != begun()) {
            return reply(Request.NOTHING, 0).flip(); // a request from before this one was begun
        }
        isOver = true;
        return reply(Request.DONE, 0).flip();
    }

    /// Whether the memory server is to be closed, and restarted with empty memory.
    public boolean isOver() {
        return isOver;
    }

    private ByteBuffer list(String behind, int most) {
        ByteBuffer reply = reply(Request.DONE, most);
        for (String name : new TreeSet<>(disk.list()).tailSet(behind, false)) {
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            if (reply.remaining() < Integer.BYTES + bytes.length) {
                break;
            }
            reply.putInt(bytes.length).put(bytes);
        }
        return reply.flip();
    }

    private ByteBuffer read(String name, long offset, int bytes) {
        if (!disk.list().contains(name)) {
            return reply(Request.NOTHING, 0).flip();
        }
        try (DiskFile file = disk.open(name)) {
            long size = bytes == 0 ? usedBytes(file) : 0;
            ByteBuffer reply = reply(Request.DONE, Long.BYTES + bytes).putLong(size);
            int _ = file.read(offset, reply);
            return reply.flip();
        }
    }

    /// The size of a file without most of the zeroes at its end, with which segments are filled
    /// ahead: a block may end with zeroes, too, and is in what is left.
    private static long usedBytes(DiskFile file) {
        byte[] chunk = new byte[ZEROES_AT_ONCE];
        for (long end = file.size(); end > 0; ) {
            long from = Math.max(0, end - chunk.length);
            int read = file.read(from, ByteBuffer.wrap(chunk, 0, (int) (end - from)));
            for (int i = read - 1; i >= 0; i--) {
                if (chunk[i] != 0) {
                    long used = from + i + JournalBlock.MAX_BYTES;
                    return Math.min(
                            file.size(),
                            used + JournalBlock.ALIGNMENT - 1 & -JournalBlock.ALIGNMENT);
                }
            }
            end = from;
        }
        return 0;
    }

    /// Begins a generation, next to one that is still needed.
    private ByteBuffer begin(int generation, int needed, long newDatabase) {
        if (journal != null) {
            return reply(Request.NOTHING, 0).flip();
        }
        if (database == null) {
            String text =
                    "%s\nformat %d\ndatabase %016x\nserver %d of %d\n"
                            .formatted(FIRST_LINE, FORMAT, newDatabase, number, servers);
            try (DiskFile file = disk.open(IDENTITY)) {
                file.write(0, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
                file.force();
            }
            disk.forceNames();
            database = newDatabase;
        }
        keepOnly(needed);
        Disk files = new PartDisk(disk, prefix(generation));
        DiskJournal opened = new DiskJournal(host, files, options, 1, generation);
        opened.start(null);
        byte[] tables = DefinedTable.encode(List.of(), List.of());
        ByteBuffer start = ByteBuffer.allocate(2 * Long.BYTES + tables.length);
        start.order(ByteOrder.LITTLE_ENDIAN).putLong(newDatabase).putLong(0).put(tables);
        opened.reserve(start.capacity());
        append(opened, JournalEntry.Kind.START, start.array());
        MemoryCheckpoints made =
                new MemoryCheckpoints(host, files, opened, options, slots, checkpointsWord);
        checkpoints = made;
        journal = opened;
        thread = host.start("namdb-spill", () -> spillAll(opened, made));
        return reply(Request.DONE, 0).flip();
    }

    private static void append(DiskJournal opened, JournalEntry.Kind kind, byte[] body) {
        try (Arena arena = Arena.ofConfined()) {
            long memory = arena.allocate(Math.max(8, body.length), 8).address();
            LocalMemory.copyFrom(body, 0, memory, body.length);
            long _ = opened.append(kind, memory, body.length);
        }
    }

    /// Removes the last segments first: what a death in between leaves is a shorter journal.
    private void keepOnly(int generation) {
        boolean isAny = false;
        for (String name : disk.list().reversed()) {
            if (name.matches("g[0-9]{8}-.*") && !name.startsWith(prefix(generation))) {
                disk.remove(name);
                isAny = true;
            }
        }
        if (isAny) {
            disk.forceNames();
        }
    }

    /// All generations but one.
    private ByteBuffer drop(int kept) {
        keepOnly(kept);
        return reply(Request.DONE, 0).flip();
    }

    /// A part of a cut. The last one has it taken, and is answered with a number: it is on the disk
    /// when the word of forced cuts has that, or more.
    private ByteBuffer cut(ByteBuffer request) {
        ByteBuffer reply = reply(Request.DONE, Long.BYTES);
        byte[] body = arrived(request);
        if (body == null) {
            return reply.putLong(0).flip();
        }
        due.add(new Due(++tickets, body));
        LockSupport.unpark(thread);
        return reply.putLong(tickets).flip();
    }

    /// A part of what is longer than a request.
    ///
    /// @return all of it with the last part; null before
    private byte @Nullable [] arrived(ByteBuffer request) {
        long id = request.getLong();
        int total = request.getInt();
        int at = request.getInt();
        byte[] body = arriving.computeIfAbsent(id, _ -> new byte[total]);
        int bytes = request.remaining();
        request.get(body, at, bytes);
        return at + bytes < total ? null : arriving.remove(id);
    }

    private ByteBuffer status() {
        DiskJournal opened = journal;
        byte[] place = options.place().getBytes(StandardCharsets.UTF_8);
        return reply(Request.DONE, 2 * Long.BYTES + place.length)
                .putLong(opened == null ? -1 : opened.writtenBytes())
                .putLong(lastCutNanos == 0 ? -1 : host.nanoTime() - lastCutNanos)
                .put(place)
                .flip();
    }

    private void spillAll(DiskJournal opened, MemoryCheckpoints marked) {
        List<Due> taken = new ArrayList<>();
        try {
            while (!closing) {
                for (Due next = due.poll(); next != null; next = due.poll()) {
                    taken.add(next); // before the rings are looked at
                }
                if (!spill(opened, marked)) {
                    rest();
                } else if (taken.isEmpty()) {
                    host.sleep(IDLE_NANOS);
                } else {
                    keep(opened, taken);
                    taken.clear();
                }
            }
        } catch (JournalFullException e) {
            throw new IllegalStateException("it was reserved", e);
        } catch (Throwable e) {
            report(SpillState.FAILED);
            opened.stop(e);
            MaintenanceThread.report(e);
        }
    }

    private void rest() {
        long start = host.nanoTime();
        while (!closing && host.nanoTime() - start < FULL_NANOS) {
            host.sleep(FULL_NANOS);
        }
    }

    /// Takes all images that are whole.
    ///
    /// @return false if the disk is full
    private boolean spill(DiskJournal opened, MemoryCheckpoints marked) {
        try {
            for (ImageRingCursor each : cursors) {
                while (each.next()) {
                    int bytes = Math.toIntExact(each.contentBytes());
                    opened.reserve(bytes);
                    long end = opened.append(JournalEntry.Kind.COMMIT, each.contents(), bytes);
                    marked.spilled(CommitImage.commitTimestamp(each.contents()), end);
                    each.release();
                }
            }
            report(SpillState.WORKS);
            return true;
        } catch (JournalFullException e) {
            report(SpillState.FULL);
            return false;
        }
    }

    private void report(SpillState state) {
        if (LocalMemory.longAt(stateWord) != state.ordinal()) {
            LocalMemory.putLongRelease(stateWord, state.ordinal());
        }
    }

    private void keep(DiskJournal opened, List<Due> cuts) {
        for (Due each : cuts) {
            while (!tryReserve(opened, each.body().length)) {
                report(SpillState.FULL);
                rest();
                if (closing) {
                    return;
                }
            }
            append(opened, JournalEntry.Kind.CUT, each.body());
        }
        if (PlantedFault.CUT_UNFORCED.isPlanted()) {
            LocalMemory.putLongRelease(forcedWord, cuts.getLast().ticket());
        }
        opened.force();
        LocalMemory.putLongRelease(forcedWord, cuts.getLast().ticket());
        lastCutNanos = host.nanoTime();
    }

    private static boolean tryReserve(DiskJournal opened, int bytes) {
        try {
            opened.reserve(bytes);
            return true;
        } catch (JournalFullException e) {
            return false;
        }
    }

    /// Takes what is in the rings, forces it, and ends it. No request is answered any more.
    @Override
    public void close() {
        closing = true;
        FirstFailure failures = new FirstFailure();
        Thread started = thread;
        if (started != null) {
            LockSupport.unpark(started);
            MaintenanceThread.joinUninterruptibly(started);
        }
        MemoryCheckpoints marked = checkpoints;
        if (marked != null) {
            failures.attempt(marked::close);
        }
        DiskJournal opened = journal;
        if (opened != null) {
            failures.attempt(opened::close);
        }
        failures.attempt(lock::close);
        arena.close();
        failures.rethrow();
    }
}
