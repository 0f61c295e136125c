package org.namdb.sql.engine;

import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.result.ResultColumn;
import org.namdb.sql.language.type.TextFormat;

/// The result of a query: rows are made as they are read.
final class CursorResult implements Result {
    /// The session that the query runs in.
    interface Owner {
        /// The messages since the last time.
        List<Notice> notices();

        /// The session's time zone.
        ZoneId zone();

        /// The query is at its end, or was left.
        void ended(CursorResult result);

        /// The query has failed.
        ///
        /// @return what to throw
        RuntimeException failed(CursorResult result, Throwable failure);
    }

    private final Owner owner;
    private final String verb;
    private final List<ResultColumn> columns;
    private final TupleCursor cursor;
    private @Nullable Object @Nullable [] tuple;
    private boolean isEnded;
    private long count;

    CursorResult(Owner owner, String verb, List<ResultColumn> columns, TupleCursor cursor) {
        this.owner = owner;
        this.verb = verb;
        this.columns = columns;
        this.cursor = cursor;
    }

    @Override
    public List<ResultColumn> columns() {
        return columns;
    }

    @Override
    public boolean hasRows() {
        return true;
    }

    @Override
    public boolean next() {
        if (isEnded) {
            return false;
        }
        try {
            tuple = cursor.next();
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            throw fail(e);
        }
        if (tuple == null) {
            close();
            return false;
        }
        count++;
        return true;
    }

    /// The query can't go on.
    ///
    /// @return what to throw
    RuntimeException fail(Throwable failure) {
        isEnded = true;
        try {
            cursor.close(); // its temporary files, above all
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
        return owner.failed(this, failure);
    }

    @Override
    public @Nullable Object value(int column) {
        @Nullable Object @Nullable [] current = tuple;
        if (current == null) {
            throw new IllegalStateException("there is no current row: call next()");
        }
        return current[column];
    }

    @Override
    public @Nullable String text(int column) {
        Object value = value(column);
        return value == null
                ? null
                : TextFormat.format(value, columns.get(column).type(), owner.zone());
    }

    @Override
    public String tag() {
        return verb + " " + count;
    }

    @Override
    public long rowCount() {
        return count;
    }

    @Override
    public List<Notice> notices() {
        return owner.notices();
    }

    @Override
    public void close() {
        if (isEnded) {
            return;
        }
        isEnded = true;
        try {
            cursor.close();
        } catch (RuntimeException e) {
            throw owner.failed(this, e);
        }
        owner.ended(this);
    }
}
