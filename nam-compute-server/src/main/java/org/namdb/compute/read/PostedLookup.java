package org.namdb.compute.read;

import java.util.Arrays;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.index.EntryLookup;
import org.namdb.mvcc.index.EntrySink;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;

/// A lookup of records by a hashed index, together with other reads: its entries by one await, more
/// if they have overflow areas; the records by the next.
final class PostedLookup {
    /// Its progress.
    enum Stage {
        /// Entries are awaited.
        ENTRIES,
        /// All entries are there.
        LANDED,
        /// Some of their records are posted.
        POSTING,
        /// All of them are.
        ROWS,
        /// It is free for another one.
        DONE
    }

    private final ReadSet readSet;
    private final Table table;
    private final IndexAccess access;
    private final ChangeWalk walk;
    private final EntryLookup entries;
    private final int words;
    private final long[] prefix;
    private final long[] entry;

    /// The key of a row that is being posted; its own, as others' rows may be posted meanwhile.
    private final long[] primaryKey;

    private final EntrySink sink = this::addHit;
    private long[] hits;
    private int hitCount;
    private Projection projection;
    private Rows found = new Rows();
    private Stage stage = Stage.DONE;

    PostedLookup(ReadSet readSet, Table table, IndexAccess access, EntryLookup entries) {
        this.readSet = readSet;
        this.table = table;
        this.access = access;
        this.walk = new ChangeWalk(readSet.changes);
        this.entries = entries;
        this.words = access.index().layout().words();
        this.prefix = new long[words];
        this.entry = new long[words];
        this.primaryKey = new long[table.schema().key().words()];
        this.hits = new long[words * 16];
        this.projection = table.schema().nothing();
    }

    PostedLookup prepare(Key key, Projection newProjection, Rows newFound) {
        System.arraycopy(key.words(), 0, prefix, 0, Math.min(words, key.words().length));
        projection = newProjection;
        found = newFound;
        newFound.clear();
        return this;
    }

    /// Posts the first READs.
    void post() {
        hitCount = 0;
        entries.prepare(prefix, sink);
        entries.post();
        stage = Stage.ENTRIES; // unless that fails
    }

    Stage stage() {
        return stage;
    }

    int landedBytes() {
        return entries.landedBytes();
    }

    /// Whether both find the same rows.
    boolean isFor(PostedLookup other) {
        return found == other.found;
    }

    /// Goes on after an await.
    ///
    /// @return whether all entries are there
    boolean advance() {
        if (entries.advance()) {
            stage = Stage.LANDED;
        }
        return stage == Stage.LANDED;
    }

    /// Posts the records of all entries. If others are awaited for that, this is not completed.
    void postRows() {
        stage = Stage.POSTING;
        for (int hit = 0; hit < hitCount; hit++) {
            System.arraycopy(hits, hit * words, entry, 0, words);
            access.index().primaryKey(entry, primaryKey);
            found.addOnce(readSet.post(table, primaryKey, projection));
        }
        stage = Stage.ROWS;
    }

    /// All records have been read: those that are hits as the transaction sees them are found, its
    /// own changes included.
    void complete() {
        stage = Stage.DONE;
        for (Row row = walk.start(table).next(); row != null; row = walk.next()) {
            if (access.mayBeMovedTo(row, prefix)) {
                Row own = readSet.known.kept(row);
                readSet.require(own, projection);
                if (access.isHit(own, prefix)) {
                    found.addOnce(own);
                }
            }
        }
        int kept = 0;
        for (int i = 0; i < found.size(); i++) {
            Row row = found.row(i);
            if (row.exists() && access.isHit(row, prefix)) {
                row.isPinned = true;
                found.set(kept++, row);
            }
        }
        found.truncate(kept);
    }

    /// Frees it for another one.
    void close() {
        stage = Stage.DONE;
    }

    private void addHit(long[] hit) {
        if ((hitCount + 1) * words > hits.length) {
            hits = Arrays.copyOf(hits, 2 * hits.length);
        }
        System.arraycopy(hit, 0, hits, hitCount++ * words, words);
    }
}
