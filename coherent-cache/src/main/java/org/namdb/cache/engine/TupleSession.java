package org.namdb.cache.engine;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.heap.LineHeap;
import org.namdb.cache.line.Stations;
import org.namdb.cache.selcc.LineGuard;
import org.namdb.cache.selcc.LineSession;
import org.namdb.cache.selcc.LineTimeoutException;
import org.namdb.cache.selcc.UncachedLine;
import org.namdb.cache.tree.LineTree;

/// A thread's transactions, one after the other:
/// ```java
/// session.begin();
/// Tuple account = session.readForUpdate(accounts, 7);
/// account.setInt64(balance, account.int64(balance) - 10);
/// session.commit();
/// ```
/// Any call can throw a [ConflictException]; then the transaction is aborted, and can be begun
/// again. After a [LineTimeoutException] the caller must abort it, and can then retry it.
/// Transactions are serializable with respect to the tuples that they read. Indexes are not part of
/// that: a range may miss what another one is inserting, and may find entries whose tuple is
/// uncommitted, was deleted, or was never written.
///
/// A commit is atomic, unless its compute server dies in the middle of it:
/// ```
/// latches the lines of all that it changes; validates
/// inserts entries of new tuples, which are not written: fails; removes them again, if it can
/// writes all tuples in its own cache: can't fail
/// releases the lines: the transaction is committed
/// removes entries of deleted tuples, if it can
/// ```
/// What an interrupted step leaves are entries that lead to no tuple; the next insert of such a key
/// replaces them.
public final class TupleSession implements AutoCloseable {
    /// The engine's line: the clock, a word for the [use][EngineUse] of each station, and the
    /// number that was given out last.
    private static final int NUMBER_OFFSET = (Stations.MAX + 1) * Long.BYTES;

    private static final int USED_BYTES = NUMBER_OFFSET + Long.BYTES;
    private static final long FIRST_TIME = 1L << 40;

    /// More versions than are counted of a tuple between two sessions that order by timestamps.
    private static final long COUNTED = 1L << 32;

    private static final long ABSENT = 0;
    private static final int SHARED = 0;
    private static final int EXCLUSIVE = 1;

    private final LineSession lines;
    private final ConcurrencyControl control;
    private final UncachedLine ownLine;
    private final EngineUse use;
    private final int lineBytes;
    private final HeldLines held;
    private final LineTree[] trees;
    private final LineHeap[] heaps;
    private final Arena arena = Arena.ofShared();
    private final List<Tuple> tuples = new ArrayList<>();
    private final List<IndexEntry> entries = new ArrayList<>();
    private int used;

    /// Whether entries may lead to new tuples, which are not committed.
    private boolean hasEntries;

    private long timestamp;
    private long[] wanted = new long[64];
    private long commits;
    private long conflicts;

    /// An entry of a second index, which is inserted with its tuple.
    private record IndexEntry(HeapTable index, long key, Tuple tuple) {}

    /// Opens a session for transactions. It waits for checks.
    ///
    /// @param lines which it closes, also if it is not opened
    /// @param ownLine the engine's [line][#createLine]
    /// @param tables by their numbers
    /// @throws EngineInUseException if another compute server uses another kind of control, or
    ///     checks for longer than a minute
    public TupleSession(
            LineSession lines, ConcurrencyControl control, long ownLine, List<HeapTable> tables) {
        this(lines, control, control, ownLine, tables);
    }

    private TupleSession(
            LineSession lines,
            ConcurrencyControl control,
            @Nullable ConcurrencyControl used,
            long ownLine,
            List<HeapTable> tables) {
        this.lines = lines;
        this.control = control;
        this.lineBytes = lines.lineBytes();
        this.held = new HeldLines(lines);
        this.trees = new LineTree[tables.size()];
        this.heaps = new LineHeap[tables.size()];
        try {
            this.ownLine = lines.uncached(ownLine);
            this.use = new EngineUse(lines, this.ownLine, used);
            for (HeapTable table : tables) {
                trees[table.number()] = new LineTree(lines, table.root());
                heaps[table.number()] = new LineHeap(lines, table.tupleBytes());
            }
            use.begin(EngineUse.WAIT_NANOS);
            if (control == ConcurrencyControl.TIMESTAMP_ORDERING) {
                long _ = this.ownLine.fetchAndAdd(0, COUNTED); // others have counted versions
            }
        } catch (RuntimeException e) {
            lines.close();
            throw e;
        }
    }

    /// Opens a session that reads while no session changes anything: it waits for those that do.
    ///
    /// @throws EngineInUseException if some are open for longer than a minute
    public static TupleSession checking(LineSession lines, long ownLine, List<HeapTable> tables) {
        return new TupleSession(lines, ConcurrencyControl.OPTIMISTIC, null, ownLine, tables);
    }

    /// Makes the line that an engine's sessions have in common.
    ///
    /// @throws IllegalArgumentException if lines are shorter than it needs
    public static long createLine(LineSession lines) {
        if (lines.lineBytes() < USED_BYTES) {
            throw new IllegalArgumentException(
                    "lines of %,d bytes are too short for an engine, which needs %,d: give the cluster a larger compute.line-bytes"
                            .formatted(lines.lineBytes(), USED_BYTES));
        }
        long line = lines.allocate();
        long _ = lines.uncached(line).fetchAndAdd(0, FIRST_TIME);
        return line;
    }

    /// A number that no other session of the engine gets.
    public long uniqueNumber() {
        return ownLine.fetchAndAdd(NUMBER_OFFSET, 1);
    }

    /// Begins a transaction.
    public void begin() {
        used = 0;
        hasEntries = false;
        entries.clear();
        timestamp =
                control == ConcurrencyControl.TIMESTAMP_ORDERING
                        ? ownLine.fetchAndAdd(0, 1) * Tuple.VERSION
                        : 0;
    }

    /// Reads a tuple.
    ///
    /// @return null if there is none of this key
    public @Nullable Tuple read(HeapTable table, long key) {
        return at(table, key, trees[table.number()].find(key, ABSENT), false);
    }

    /// Reads a tuple that is to be changed.
    ///
    /// @return null if there is none of this key
    public @Nullable Tuple readForUpdate(HeapTable table, long key) {
        return at(table, key, trees[table.number()].find(key, ABSENT), true);
    }

    /// Reads a tuple whose address an index has returned.
    ///
    /// @param place as [#range] has found it
    /// @return null if it is not there any more
    public @Nullable Tuple at(HeapTable table, long key, long place, boolean isForUpdate) {
        for (int i = 0; i < used; i++) {
            Tuple known = tuples.get(i);
            boolean isOwn = known.isInserted() && known.key() == key;
            if (known.table().number() == table.number() && (known.place() == place || isOwn)) {
                if (isForUpdate && control == ConcurrencyControl.TWO_PHASE_LOCKING && !isOwn) {
                    LineGuard _ = latch(line(place), true);
                }
                return known.isDeleted() || !known.isInserted() && !known.isLive() ? null : known;
            }
        }
        if (place == ABSENT) {
            return null;
        }
        Tuple tuple = fetch(table, place, isForUpdate);
        return tuple.isLive() && tuple.key() == key ? tuple : null;
    }

    private Tuple fetch(HeapTable table, long place, boolean isForUpdate) {
        Tuple tuple = next(table);
        int offset = LineHeap.offset(place, lineBytes);
        switch (control) {
            case TWO_PHASE_LOCKING ->
                    tuple.read(table, place, latch(line(place), isForUpdate), offset);
            case OPTIMISTIC -> {
                try (LineGuard guard = lines.shared(line(place))) {
                    tuple.read(table, place, guard, offset);
                }
            }
            case TIMESTAMP_ORDERING -> {
                boolean isLate;
                try (LineGuard guard = lines.exclusive(line(place))) {
                    tuple.read(table, place, guard, offset);
                    isLate = tuple.version() > timestamp;
                    if (!isLate && guard.longAt(offset + Tuple.READ_OFFSET) < timestamp) {
                        guard.putLong(offset + Tuple.READ_OFFSET, timestamp);
                    }
                }
                if (isLate) {
                    throw conflict();
                }
            }
        }
        return tuple;
    }

    private LineGuard latch(long line, boolean isExclusive) {
        try {
            return held.hold(line, isExclusive);
        } catch (ConflictException e) {
            throw conflict();
        }
    }

    private Tuple next(HeapTable table) {
        if (used == tuples.size()) {
            tuples.add(
                    new Tuple(table, arena.allocate(lineBytes, Long.BYTES).address(), lineBytes));
        }
        Tuple tuple = tuples.get(used++);
        tuple.reset(table); // an abort may come before it is read
        return tuple;
    }

    /// Inserts a tuple of zeroes. A key that this transaction has deleted can't be inserted by it.
    ///
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for it; then the
    ///     transaction is to be aborted
    public Tuple insert(HeapTable table, long key) {
        Tuple tuple = next(table);
        tuple.begin(table, heaps[table.number()].next(), key);
        return tuple;
    }

    /// Adds an entry to another index of a table, for a tuple that was inserted.
    ///
    /// @param index whose keys have places of tuples of another table, with no tuples of its own
    public void insertEntry(HeapTable index, long key, Tuple tuple) {
        entries.add(new IndexEntry(index, key, tuple));
    }

    /// Deletes a tuple that was read for update.
    public void delete(Tuple tuple) {
        tuple.delete();
    }

    /// Finds keys and places in a table's index, or in one without tuples. What others have
    /// inserted and not committed is not there.
    ///
    /// @return how many: at most as many as the arrays have space for
    public int range(HeapTable table, long from, long to, long[] keys, long[] places) {
        return trees[table.number()].range(from, to, keys, places);
    }

    /// Commits.
    ///
    /// @throws IllegalStateException if a key that is inserted is there already; then the
    ///     transaction is aborted
    public void commit() {
        try {
            latchAll();
            validate();
            insertEntries();
        } catch (ConflictException e) {
            undo(e);
            conflicts++;
            throw e;
        } catch (RuntimeException | Error e) {
            undo(e);
            throw e;
        }
        write();
        held.release();
        commits++;
        removeDeleted();
        used = 0;
        hasEntries = false;
    }

    private void undo(Throwable cause) {
        try {
            if (hasEntries) {
                removeEntries();
            }
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        } finally {
            abort();
        }
    }

    /// Gives all up that the transaction has done.
    public void abort() {
        held.release();
        for (int i = used - 1; i >= 0 && !hasEntries; i--) {
            Tuple tuple = tuples.get(i);
            if (tuple.isInserted()) {
                heaps[tuple.table().number()].releaseFrom(tuple.place());
            }
        }
        used = 0;
        hasEntries = false;
    }

    private ConflictException conflict() {
        conflicts++;
        abort();
        return ConflictException.CONFLICT;
    }

    /// Latches the lines of all that is changed, and with optimistic control of all that was read.
    /// With locks there are new tuples' lines alone left, which no other transaction inserts into;
    /// others are latched in the order of their addresses, so that no two transactions wait for
    /// each other.
    private void latchAll() {
        if (control == ConcurrencyControl.TWO_PHASE_LOCKING) {
            for (int i = 0; i < used; i++) {
                if (tuples.get(i).isChanged()) {
                    LineGuard _ = held.hold(line(tuples.get(i).place()), true);
                }
            }
            return;
        }
        int count = 0;
        if (wanted.length < used) {
            wanted = new long[2 * used];
        }
        for (int i = 0; i < used; i++) {
            Tuple tuple = tuples.get(i);
            if (tuple.isChanged() || control == ConcurrencyControl.OPTIMISTIC) {
                wanted[count++] = line(tuple.place()) | (tuple.isChanged() ? EXCLUSIVE : SHARED);
            }
        }
        Arrays.sort(wanted, 0, count);
        for (int i = 0; i < count; i++) {
            long line = wanted[i] & -2L;
            boolean isLast = i + 1 == count || (wanted[i + 1] & -2L) != line;
            if (isLast) { // of those with the same line the exclusive one
                held.add(
                        line,
                        (wanted[i] & 1) == EXCLUSIVE ? lines.exclusive(line) : lines.shared(line));
            }
        }
    }

    private void validate() {
        if (control == ConcurrencyControl.TWO_PHASE_LOCKING) {
            return;
        }
        for (int i = 0; i < used; i++) {
            Tuple tuple = tuples.get(i);
            LineGuard guard = held.find(line(tuple.place()));
            if (tuple.isInserted() || guard == null) {
                continue;
            }
            int offset = LineHeap.offset(tuple.place(), lineBytes);
            boolean isValid =
                    control == ConcurrencyControl.OPTIMISTIC
                            ? guard.longAt(offset) == tuple.version()
                            : !tuple.isChanged()
                                    || guard.longAt(offset) <= timestamp
                                            && guard.longAt(offset + Tuple.READ_OFFSET)
                                                    <= timestamp;
            if (!isValid) {
                throw ConflictException.CONFLICT;
            }
        }
    }

    private void insertEntries() {
        hasEntries = true;
        for (int i = 0; i < used; i++) {
            Tuple tuple = tuples.get(i);
            if (tuple.isInserted()) {
                insertUnique(tuple.table(), tuple.key(), tuple);
            }
        }
        for (IndexEntry entry : entries) {
            insertUnique(entry.index, entry.key, entry.tuple);
        }
    }

    /// Inserts an entry. If there is one, its tuple is latched, without waiting for its user:
    /// ```
    /// it is written          the key is there
    /// it is deleted, or was  the entry is what a commit has left: it is replaced, while its tuple
    /// never written          is latched, so that no transaction writes that one now
    /// ```
    private void insertUnique(HeapTable index, long key, Tuple tuple) {
        LineTree tree = trees[index.number()];
        while (!tree.insert(key, tuple.place())) {
            long found = tree.find(key, ABSENT);
            if (found == ABSENT) {
                continue; // it was removed in between
            }
            LineGuard own = held.find(line(found));
            LineGuard guard = own == null ? lines.tryShared(line(found)) : own;
            if (guard == null) {
                throw ConflictException.CONFLICT;
            }
            try {
                long version = guard.longAt(LineHeap.offset(found, lineBytes));
                if (Tuple.isLive(version) || isInserted(found)) {
                    throw new IllegalStateException(
                            "table %d has an entry of the key %d already"
                                    .formatted(index.number(), key));
                }
                if (tree.replace(key, found, tuple.place())) {
                    return;
                }
            } finally {
                if (own == null) {
                    guard.close();
                }
            }
        }
    }

    /// Whether this transaction inserts the tuple of a place.
    private boolean isInserted(long place) {
        for (int i = 0; i < used; i++) {
            if (tuples.get(i).isInserted() && tuples.get(i).place() == place) {
                return true;
            }
        }
        return false;
    }

    /// Removes the entries of new tuples, some of which are there: their places are given out
    /// again. If an entry stays, they are not.
    private void removeEntries() {
        boolean areGone = true;
        for (IndexEntry entry : entries) {
            areGone &= removeEntry(entry.index, entry.key, entry.tuple);
        }
        for (int i = 0; i < used; i++) {
            Tuple tuple = tuples.get(i);
            if (tuple.isInserted()) {
                areGone &= removeEntry(tuple.table(), tuple.key(), tuple);
            }
        }
        hasEntries = !areGone;
    }

    /// @return false if it may still be there, as its node is in use for too long
    private boolean removeEntry(HeapTable index, long key, Tuple tuple) {
        try {
            boolean _ = trees[index.number()].remove(key, tuple.place()); // no other tuple's
            return true;
        } catch (LineTimeoutException e) {
            return false;
        }
    }

    /// Writes what is changed to the lines, which are latched: in this compute server's cache.
    private void write() {
        for (int i = 0; i < used; i++) {
            Tuple tuple = tuples.get(i);
            if (tuple.isChanged()) {
                long version =
                        control == ConcurrencyControl.TIMESTAMP_ORDERING
                                ? timestamp
                                : tuple.version() + Tuple.VERSION;
                LineGuard guard = held.guard(line(tuple.place()));
                tuple.write(guard, LineHeap.offset(tuple.place(), lineBytes), version);
            }
        }
    }

    private void removeDeleted() {
        for (int i = 0; i < used; i++) {
            Tuple tuple = tuples.get(i);
            if (tuple.isDeleted()) {
                boolean _ = removeEntry(tuple.table(), tuple.key(), tuple);
            }
        }
    }

    private long line(long place) {
        return LineHeap.line(place, lineBytes);
    }

    /// The verbs of its lines, and messages.
    public LineSession lines() {
        return lines;
    }

    /// How many transactions have committed.
    public long commits() {
        return commits;
    }

    /// How many were aborted by conflicts.
    public long conflicts() {
        return conflicts;
    }

    /// Aborts what is open.
    @Override
    public void close() {
        try {
            abort();
            use.end();
        } finally {
            lines.close();
            arena.close();
        }
    }
}
