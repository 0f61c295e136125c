package org.namdb.compute.journal;

import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.schema.RecordSchema;

/// A table as a restart finds it in the checkpoint and the journal, under the numbers of all
/// generations.
public final class TableWrites {
    private @Nullable DefinedTable defined;
    private boolean isGone;

    /// By slot: what the checkpoint has of it; empty if the table is not in it.
    private long[] seen = {};

    /// How many times the checkpoint begins with its rows.
    private int beginnings;

    private long inserts;
    private long deletes;
    private int keyWords;
    private int payloadBytes;

    TableWrites() {}

    void define(DefinedTable as) {
        defined = as;
        RecordSchema schema = new RecordSchema(as.definition());
        keyWords = schema.key().words();
        payloadBytes = schema.payloadBytes();
    }

    void drop() {
        isGone = true;
    }

    /// The checkpoint begins with its rows, perhaps once more: then those before don't count.
    void beginRows(long[] snapshot) {
        seen = snapshot;
        beginnings++;
        inserts = 0;
    }

    /// How many times the checkpoint begins with its rows; those after the last time count.
    int beginnings() {
        return beginnings;
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

    /// Whether the checkpoint has what a slot has committed with a timestamp of the checkpoint's
    /// generation.
    boolean isSeen(int slot, long timestamp) {
        return slot < seen.length && timestamp <= seen[slot];
    }

    /// How many rows there will be.
    public long rows() {
        return Math.max(0, inserts - deletes);
    }

    int keyWords() {
        return keyWords;
    }

    int payloadBytes() {
        return payloadBytes;
    }
}
