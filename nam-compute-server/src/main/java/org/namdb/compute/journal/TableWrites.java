package org.namdb.compute.journal;

import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.CommitImageReader;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.TablePart;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.timestamp.CommitTimestamp;

/// A table as a restart finds it in the checkpoint and the journal, under the numbers of all
/// generations.
public final class TableWrites {
    private @Nullable DefinedTable defined;
    private boolean isGone;

    /// A part of it whose rows the checkpoint has.
    private static final class Part {
        /// By slot, up to which timestamp.
        final long[] seen;

        /// Which of the parts that the checkpoint begins with, from 1 on.
        final int beginning;

        long rows;

        Part(long[] seen, int beginning) {
            this.seen = seen;
            this.beginning = beginning;
        }
    }

    /// Those that count: they don't overlap. Empty if the table is not in the checkpoint.
    private final NavigableMap<TablePart, Part> parts = new TreeMap<>(TablePart.ORDER);

    private @Nullable Part last;

    /// How many times the checkpoint begins with rows of it.
    private int beginnings;

    private @Nullable RecordSchema schema;

    private long inserts;
    private long deletes;
    private int keyWords;
    private int payloadBytes;

    TableWrites() {}

    void define(DefinedTable as) {
        defined = as;
        RecordSchema known = new RecordSchema(as.definition());
        schema = known;
        keyWords = known.key().words();
        payloadBytes = known.payloadBytes();
    }

    void drop() {
        isGone = true;
    }

    /// The checkpoint begins with rows of it, perhaps once more: then those before of parts that
    /// this one overlaps don't count.
    void beginRows(TablePart part, long[] snapshot) {
        parts.keySet().removeIf(before -> before.overlaps(part));
        last = new Part(snapshot, ++beginnings);
        parts.put(part, last);
    }

    /// Whether rows count after the checkpoint has begun with rows of it so many times.
    boolean isCounted(int beginning) {
        return parts.values().stream().anyMatch(part -> part.beginning == beginning);
    }

    /// The checkpoint has more rows of what it has begun with last.
    void countRows(long more) {
        Objects.requireNonNull(last).rows += more;
    }

    void count(long moreInserts, long moreDeletes) {
        inserts += moreInserts;
        deletes += moreDeletes;
    }

    /// Its definition; null if there is none: the table was never created.
    public @Nullable DefinedTable defined() {
        return defined;
    }

    /// Whether it is there in the end.
    public boolean isThere() {
        return defined != null && !isGone;
    }

    /// Whether the checkpoint has what a commit of its generation has made of a record.
    ///
    /// @param image at that write
    boolean isSeen(CommitImageReader image) {
        Part found = part(image);
        if (found == null) {
            return false;
        }
        int slot = CommitTimestamp.slot(image.commitTimestamp());
        return slot < found.seen.length
                && CommitTimestamp.timestamp(image.commitTimestamp()) <= found.seen[slot];
    }

    private @Nullable Part part(CommitImageReader image) {
        if (parts.isEmpty()) {
            return null;
        }
        TablePart first = parts.firstKey();
        if (first.isAll()) {
            return parts.get(first);
        }
        long hash = hash(image);
        Map.Entry<TablePart, Part> found = parts.floorEntry(first.smallest(hash));
        return found != null && found.getKey().has(hash) ? found.getValue() : null;
    }

    private long hash(CommitImageReader image) {
        long[] key = new long[image.keyWords()];
        for (int word = 0; word < key.length; word++) {
            key[word] = image.keyWord(word);
        }
        int neighbourColumns = Objects.requireNonNull(defined).definition().neighbourColumns();
        return HashTable.hash(Objects.requireNonNull(schema).key(), neighbourColumns, key);
    }

    /// How many rows there will be.
    public long rows() {
        long rows = inserts - deletes;
        for (Part part : parts.values()) {
            rows += part.rows;
        }
        return Math.max(0, rows);
    }

    int keyWords() {
        return keyWords;
    }

    int payloadBytes() {
        return payloadBytes;
    }
}
