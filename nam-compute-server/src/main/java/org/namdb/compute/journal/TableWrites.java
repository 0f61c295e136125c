package org.namdb.compute.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
        final TablePart part;

        /// By slot, up to which timestamp.
        final long[] seen;

        /// Which of the parts that the checkpoint begins with, from 1 on.
        final int beginning;

        long rows;

        Part(TablePart part, long[] seen, int beginning) {
            this.part = part;
            this.seen = seen;
            this.beginning = beginning;
        }
    }

    /// Those that count: they don't overlap. Empty if the table is not in the checkpoint.
    private final List<Part> parts = new ArrayList<>();

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
        parts.removeIf(before -> before.part.overlaps(part));
        parts.add(new Part(part, snapshot, ++beginnings));
    }

    /// Whether rows count after the checkpoint has begun with rows of it so many times.
    boolean isCounted(int beginning) {
        for (Part part : parts) {
            if (part.beginning == beginning) {
                return true;
            }
        }
        return false;
    }

    /// The checkpoint has more rows of what it has begun with last.
    void countRows(long more) {
        parts.getLast().rows += more;
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
        if (parts.isEmpty() || parts.getFirst().part.isAll()) {
            return parts.isEmpty() ? null : parts.getFirst();
        }
        long hash = hash(image);
        for (Part each : parts) {
            if (each.part.has(hash)) {
                return each;
            }
        }
        return null;
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
        for (Part part : parts) {
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
