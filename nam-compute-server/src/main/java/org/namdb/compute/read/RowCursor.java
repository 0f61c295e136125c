package org.namdb.compute.read;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.mvcc.index.OrderedCursor;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;

/// The records of a range of an ordered index, in its order, the transaction's own changes
/// included. Rows are read some at a time, by one round trip each: one first, 16 of a stream, or as
/// many as are [expected][#expecting]; then more and more, up to 256. Valid until the transaction
/// ends.
///
/// Own changes are those from before the cursor was opened. Later ones show in records that are not
/// reached yet, as far as they leave their place in the index: a record that is inserted, deleted
/// or moved to another place after the opening is not returned any more. Every record is returned
/// once at most, so a statement that changes what its range is by ends.
public final class RowCursor {
    /// The order of the records, and whether their rows are kept.
    public enum Mode {
        /// From the least to the greatest.
        ASCENDING,
        /// From the greatest to the least.
        DESCENDING,
        /// Ascending; rows are read-only, and valid until the cursor moves.
        STREAM_ASCENDING,
        /// The same, descending.
        STREAM_DESCENDING;

        boolean isAscending() {
            return this == ASCENDING || this == STREAM_ASCENDING;
        }

        boolean isStream() {
            return this == STREAM_ASCENDING || this == STREAM_DESCENDING;
        }
    }

    /// The progress of the first record that is read together with others.
    private enum Stage {
        /// Nothing is awaited.
        NOTHING,
        /// Entries are.
        ENTRIES,
        /// Some are there, and their rows are still to be posted.
        LANDED,
        /// Rows are awaited.
        ROWS
    }

    /// The most records that are read at a time; fewer where the landing buffer holds fewer rows,
    /// as reading more than these takes no fewer round trips.
    private static final int MAX_AT_A_TIME = 256;

    private static final int MIN_MAX_AT_A_TIME = 32;

    /// How many records a stream reads at first, if their number is not known.
    public static final int FIRST_OF_STREAM = 16;

    /// A stream goes on with so many times as many records.
    private static final int STREAM_GROWTH = 16;

    /// After so many of the transaction's changes it checks whether it is cancelled.
    private static final int CHECKED_AFTER = 1024;

    /// For so many batches of rows entries are read at a time.
    private static final int AHEAD = 4;

    private final Table table;
    private final IndexAccess access;
    private final OrderedCursor tree;
    private final int words;
    private final int maxAtATime;
    private Row[] rows = new Row[4];
    private long[][] entries;
    private final long[] least;
    private final long[] greatest;

    /// The key of a row that is being posted; its own, as others' rows may be posted meanwhile.
    private final long[] primaryKey;

    private @Nullable ReadSet readSet;
    private @Nullable ChangeWalk changes;
    private @Nullable Projection projection;
    private boolean ascending;
    private boolean exhausted;
    private int count;
    private int at;
    private int atATime;

    /// How many records are still expected; 0 if that is not known.
    private int expected;

    /// Whether nothing was read or posted yet.
    private boolean isUntouched;

    /// The places of the transaction's own changes in the range.
    private final OwnEntries own;

    private final long[] ownEntry;

    /// Where the rows of a streaming cursor are read into, and the place for one of the
    /// transaction's own.
    private @Nullable RowBatch batch;

    private @Nullable RowBatch ownImage;
    private long insertedBefore;
    private long openIn;

    /// What the next [ReadSet#await] is to bring.
    private Stage stage = Stage.NOTHING;

    /// Whether the snapshot may have become too old for what was posted.
    private boolean isAgeUnchecked;

    /// @param memory lasts as long as a transaction
    /// @param landingRows how many rows the landing buffer holds
    RowCursor(
            Table table,
            IndexAccess access,
            OrderedCursor tree,
            LocalChunks memory,
            int landingRows) {
        this.maxAtATime = Math.clamp(landingRows, MIN_MAX_AT_A_TIME, MAX_AT_A_TIME);
        this.table = table;
        this.access = access;
        this.tree = tree;
        this.words = access.index().layout().words();
        this.entries = new long[rows.length][words];
        this.own = new OwnEntries(memory, words);
        this.ownEntry = new long[words];
        this.least = new long[words];
        this.greatest = new long[words];
        this.primaryKey = new long[table.schema().key().words()];
    }

    RowCursor open(ReadSet newReadSet, Key from, Key to, Projection newProjection, Mode mode) {
        readSet = newReadSet;
        projection = newProjection;
        ascending = mode.isAscending();
        exhausted = false;
        stage = Stage.NOTHING;
        isAgeUnchecked = false;
        count = 0;
        at = 0;
        atATime = mode.isStream() ? FIRST_OF_STREAM : 1;
        expected = 0;
        isUntouched = true;
        insertedBefore = newReadSet.changes.insertSerial();
        openIn = newReadSet.number();
        from.lowest(least);
        to.highest(greatest);
        batch = null;
        ownImage = null;
        if (mode.isStream()) {
            batch = newReadSet.batch(table, newProjection);
            ownImage = newReadSet.batch(table, newProjection);
        }
        collectOwn(newReadSet);
        restart();
        return this;
    }

    /// About so many records are wanted: so many are read at first, and the entries of all of them
    /// together. Before the first record is read or posted; later it has no effect.
    ///
    /// @param records at least 1
    public RowCursor expecting(int records) {
        if (isUntouched && stage == Stage.NOTHING) {
            expected = records;
            atATime = Math.clamp(records, 1, maxAtATime);
            expectEntries();
        }
        return this;
    }

    private void expectEntries() {
        // Where as many are read as may be, the range is long: entries of the next batches, too.
        int ahead = atATime < maxAtATime ? atATime : AHEAD * atATime;
        tree.expect(
                expected > 0 ? Math.max(expected, atATime) : ahead, ascending ? greatest : least);
    }

    private void restart() {
        if (ascending) {
            tree.ascendFrom(least);
        } else {
            tree.descendFrom(greatest);
        }
        expectEntries();
    }

    /// Has the first record read together with others, by the next [ReadSet#await].
    RowCursor post() {
        ReadSet running = java.util.Objects.requireNonNull(readSet);
        running.reads.postCursor(this, landedBytes());
        return this;
    }

    /// How many bytes entries land.
    int landedBytes() {
        return tree.landedBytes();
    }

    /// Posts what brings the first entries.
    ///
    /// @return whether they are in flight
    boolean postEntries() {
        stage = tree.post() ? Stage.ENTRIES : Stage.NOTHING;
        return isInFlight();
    }

    /// Whether entries are in flight.
    boolean isInFlight() {
        return stage == Stage.ENTRIES && isOpen();
    }

    /// Has the first entries read once more, if that takes no wait.
    void postAgain() {
        if (isInFlight()) {
            restart();
            boolean _ = postEntries();
        }
    }

    /// Takes the entries that the await has brought. If there are none, the next ones are posted.
    void advance() {
        if (!isInFlight()) {
            return;
        }
        stage = Stage.NOTHING;
        if (tree.land()) {
            goToEntry();
        }
    }

    private void goToEntry() {
        if (tree.isNextHere()) {
            stage = Stage.LANDED;
        } else if (postEntries()) {
            java.util.Objects.requireNonNull(readSet).reads.continued(landedBytes());
        }
    }

    /// All that was posted has been read. If none of the records is there for this transaction, the
    /// next ones are wanted.
    ///
    /// @throws org.namdb.compute.StatementCancelledException if another thread wants that
    void resume() {
        if (stage != Stage.ROWS || !isOpen()) {
            return;
        }
        stage = Stage.NOTHING;
        // The transaction's own changes may be undone before the record is used.
        while (at < count && rows[at].role == Row.Role.READ && !rows[at].isUndone()) {
            if (isMatch()) {
                return;
            }
            at++;
        }
        if (at == count && !exhausted) {
            java.util.Objects.requireNonNull(readSet).checkCancelled();
            goToEntry();
        }
    }

    /// Begins once more: none of its records was handed out yet.
    void startAgain() {
        if (stage != Stage.NOTHING && isOpen()) {
            stage = Stage.NOTHING;
            count = 0;
            at = 0;
            exhausted = false;
            restart();
        }
    }

    /// Whether rows are to be posted.
    boolean isLanded() {
        return stage == Stage.LANDED && isOpen();
    }

    /// Posts the rows of the entries that are here, a few more each time. A stream reads its rows
    /// when they are needed.
    void postRows() {
        ReadSet running = readSet;
        if (running == null || !isLanded()) {
            return;
        }
        stage = Stage.NOTHING;
        if (batch != null) {
            isAgeUnchecked = true;
            return;
        }
        isAgeUnchecked = true;
        isUntouched = false;
        count = 0;
        at = 0;
        int posted = 0;
        boolean isWhole = false;
        try {
            while (count < atATime && !exhausted && tree.isNextHere()) {
                exhausted = !(tree.next() && takeEntry());
            }
            while (posted < count) {
                postRow(running, posted);
                posted++;
            }
            isWhole = true;
        } finally {
            stage = Stage.ROWS;
            if (!isWhole) {
                startAgain(); // after an abort that is forgiven
            }
        }
        readMore();
    }

    /// Next time more records are read: few at first, as not all may be wanted, and fewer of those
    /// whose rows are kept.
    private void readMore() {
        expected = Math.max(0, expected - count);
        atATime =
                batch != null
                        ? moreOfStream(atATime, maxAtATime)
                        : Math.min(atATime == 1 ? 4 : 2 * atATime, maxAtATime);
    }

    /// How many records a stream reads at a time after so many.
    ///
    /// @param landingRows how many rows the landing buffer holds
    public static int moreOfStream(int atATime, int landingRows) {
        int most = Math.clamp(landingRows, MIN_MAX_AT_A_TIME, MAX_AT_A_TIME);
        return Math.min(STREAM_GROWTH * atATime, most);
    }

    boolean isOpen() {
        return readSet != null && readSet.number() == openIn;
    }

    /// Frees the cursor for another range. Ends with the transaction by itself.
    public void close() {
        if (isOpen()) {
            own.free();
        }
        readSet = null;
        if (batch != null && ownImage != null) {
            batch.close();
            ownImage.close();
            batch = null;
            ownImage = null;
        }
    }

    /// Moves to the next record. If its read fails, the cursor is closed, even if the transaction
    /// is rolled back to a savepoint and goes on.
    ///
    /// @return its row, or null if there is no more
    /// @throws org.namdb.compute.StatementCancelledException if another thread wants that
    public @Nullable Row next() {
        ReadSet running = readSet;
        if (running == null || running.number() != openIn) {
            throw closed();
        }
        if (!running.isSnapshotChosen() && isUntouched) {
            shareFirst(running);
        }
        if (stage != Stage.NOTHING) {
            running.await();
        }
        if (isAgeUnchecked) {
            isAgeUnchecked = false;
            running.checkAge(); // an entry may have been collected anywhere in the range
        }
        while (true) {
            while (at < count && !isHit(running)) {
                at++;
            }
            if (at == count && !exhausted) {
                fill(running);
                continue;
            }
            boolean isRead = at < count;
            if (!own.hasNext()) {
                return isRead ? rows[at++] : null;
            }
            int order = isRead ? Arrays.compareUnsigned(entries[at], own.entry()) : 0;
            if (ascending ? order < 0 : order > 0) {
                return rows[at++];
            }
            Row row = ownRow(running);
            own.take();
            if (row != null) {
                if (isRead && order == 0) {
                    at++; // its new entry is its old one
                }
                return row;
            }
        }
    }

    static IllegalStateException closed() {
        return new IllegalStateException(
                "the cursor is closed: its transaction has ended, or it was closed, or a next() has"
                        + " failed; open another one");
    }

    /// The transaction's first read: it shares a round trip with the choice of its snapshot.
    private void shareFirst(ReadSet running) {
        running.checkCancelled();
        Object _ = post();
        running.settle();
    }

    /// Whether the next row that was read is one of the range. If it was the transaction's own
    /// insert then, and that was undone since, its record is read now.
    private boolean isHit(ReadSet running) {
        if (rows[at].isUndone()) {
            postRow(running, at);
            running.await();
        }
        RowBatch streamed = batch;
        if (streamed != null) {
            streamed.takeOwn(rows[at]); // it may have been changed since it was read
        }
        return isMatch();
    }

    private boolean isMatch() {
        return access.matches(rows[at], entries[at]) && isSeen(rows[at]);
    }

    /// Whether the row was not inserted after the opening.
    private boolean isSeen(Row row) {
        Row known =
                row.role == Row.Role.SCAN && readSet != null
                        ? readSet.known.peek(table, row.read.key())
                        : row;
        return known == null || known.insertSerial <= insertedBefore;
    }

    /// The transaction's own row at the next of its entries: a read-only image of it, where rows
    /// are not kept. Null if it has left its place.
    private @Nullable Row ownRow(ReadSet running) {
        Row row = running.known.peek(table, primaryKey(own.entry()));
        if (row == null || row.isUndone() || !access.matches(row, own.entry()) || !isSeen(row)) {
            return null;
        }
        Projection wanted = java.util.Objects.requireNonNull(projection);
        RowBatch image = ownImage;
        if (image == null) {
            row = running.known.kept(row);
            running.require(row, wanted);
            row.isPinned = true;
            return row;
        }
        row = withColumns(running, row, wanted);
        int _ = image.add(row.read.key());
        return image.imageOf(row);
    }

    /// A row with these columns: a view of it, unless some are still to be read.
    private static Row withColumns(ReadSet running, Row row, Projection wanted) {
        if ((wanted.columns() & ~row.loaded) == 0) {
            return row;
        }
        Row kept = running.known.kept(row);
        running.require(kept, wanted);
        return kept;
    }

    private void fill(ReadSet running) {
        running.checkCancelled();
        isUntouched = false;
        boolean isWhole = false;
        try {
            takeEntries(running);
            RowBatch streamed = batch;
            if (streamed != null) {
                readStreamed(streamed);
            } else {
                readKept(running);
            }
            running.checkAge(); // an entry may have been collected anywhere in the range
            isWhole = true;
        } finally {
            if (!isWhole) {
                close(); // these entries are taken, and not all of their rows are read
            }
        }
        readMore();
    }

    private void takeEntries(ReadSet running) {
        count = 0;
        at = 0;
        expectEntries();
        try {
            while (count < atATime) {
                if (!tree.next() || !takeEntry()) {
                    exhausted = true;
                    break;
                }
            }
        } catch (FabricException e) {
            throw running.lost(e);
        }
    }

    private void readKept(ReadSet running) {
        for (int i = 0; i < count; i++) {
            postRow(running, i);
        }
        running.await();
    }

    /// Posts the row of an entry. It is not packed, though it may be returned much later.
    private void postRow(ReadSet running, int entry) {
        Row row =
                running.post(
                        table,
                        primaryKey(entries[entry]),
                        java.util.Objects.requireNonNull(projection));
        row.isPinned = true;
        rows[entry] = row;
    }

    private void readStreamed(RowBatch streamed) {
        if (count > 0) {
            for (int i = 0; i < count; i++) {
                int _ = streamed.add(primaryKey(entries[i]));
            }
            streamed.read();
            for (int i = 0; i < count; i++) {
                rows[i] = streamed.row(i);
            }
        }
    }

    private long[] primaryKey(long[] entry) {
        access.index().primaryKey(entry, primaryKey);
        return primaryKey;
    }

    private boolean takeEntry() {
        if (count == rows.length) {
            growTo(Math.min(Math.max(atATime, 2 * count), MAX_AT_A_TIME));
        }
        long[] entry = entries[count];
        for (int word = 0; word < words; word++) {
            entry[word] = tree.word(word);
        }
        if (ascending
                ? Arrays.compareUnsigned(entry, greatest) > 0
                : Arrays.compareUnsigned(entry, least) < 0) {
            return false;
        }
        count++;
        return true;
    }

    private void growTo(int records) {
        int before = rows.length;
        rows = Arrays.copyOf(rows, records);
        entries = Arrays.copyOf(entries, records);
        for (int i = before; i < records; i++) {
            entries[i] = new long[words];
        }
    }

    private void collectOwn(ReadSet running) {
        own.start(ascending);
        Projection wanted = java.util.Objects.requireNonNull(projection);
        ChangeWalk walk = changes;
        if (walk == null) {
            walk = new ChangeWalk(running.changes);
            changes = walk;
        }
        for (Row row = walk.start(table).next(); row != null; row = walk.next()) {
            if (walk.passed() % CHECKED_AFTER == 0) {
                running.checkCancelled();
            }
            if (access.isMoved(row)) {
                Row whole = access.hasColumns(row) ? row : withColumns(running, row, wanted);
                if (access.encode(whole, ownEntry)
                        && Arrays.compareUnsigned(ownEntry, least) >= 0
                        && Arrays.compareUnsigned(ownEntry, greatest) <= 0) {
                    own.add(ownEntry);
                }
            }
        }
        own.ready();
    }
}
