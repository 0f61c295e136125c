package org.namdb.mvcc.schema;

/// The pieces of a payload that hold changed columns: whole words, in as few runs as they have.
/// ```java
/// runs.start(schema, columns);
/// while (runs.next()) { .. runs.from() .. runs.to() .. }
/// ```
/// Reusable; belongs to one thread.
public final class ChangedRuns {
    private Column[] columns = {};
    private long changed;
    private int at;
    private int from;
    private int to;

    /// Where the next run begins and ends, as far as it was scanned.
    private int nextFrom;

    private int nextTo;

    /// Starts again.
    ///
    /// @param dirty the columns that change, as a mask of [Column#mask]
    public void start(RecordSchema schema, long dirty) {
        columns = schema.payloadColumns();
        changed = dirty;
        at = 0;
        nextFrom = 0;
        nextTo = (dirty & schema.nullableMask()) != 0 ? schema.nullBytes() : 0;
    }

    /// Moves to the next run.
    ///
    /// @return whether there is one
    public boolean next() {
        while (at < columns.length) {
            Column column = columns[at++];
            if ((changed & column.mask()) != 0) {
                int start = column.offset() & -8;
                int end = column.offset() + column.type().payloadBytes() + 7 & -8;
                if (start > nextTo) {
                    take();
                    nextFrom = start;
                    nextTo = end;
                    if (to > from) {
                        return true;
                    }
                } else {
                    nextTo = end;
                }
            }
        }
        take();
        nextFrom = nextTo;
        return to > from;
    }

    private void take() {
        from = nextFrom;
        to = nextTo;
    }

    /// Where the run begins in the payload, in bytes.
    public int from() {
        return from;
    }

    /// Where it ends.
    public int to() {
        return to;
    }
}
