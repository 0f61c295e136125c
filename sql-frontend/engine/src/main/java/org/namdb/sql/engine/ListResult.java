package org.namdb.sql.engine;

import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.result.ResultColumn;
import org.namdb.sql.language.type.TextFormat;

/// The result of a statement that is done: its rows are there, or it has none.
final class ListResult implements Result {
    private final List<ResultColumn> columns;
    private final List<@Nullable Object[]> tuples;
    private final String tag;
    private final long count;
    private final List<Notice> notices;
    private final ZoneId zone;
    private int next;

    ListResult(
            List<ResultColumn> columns,
            List<@Nullable Object[]> tuples,
            String tag,
            long count,
            List<Notice> notices) {
        this(columns, tuples, tag, count, notices, ZoneOffset.UTC);
    }

    /// @param zone in which moments are shown
    ListResult(
            List<ResultColumn> columns,
            List<@Nullable Object[]> tuples,
            String tag,
            long count,
            List<Notice> notices,
            ZoneId zone) {
        this.zone = zone;
        this.columns = List.copyOf(columns);
        this.tuples = tuples;
        this.tag = tag;
        this.count = count;
        this.notices = List.copyOf(notices);
    }

    /// Of a statement that gives no rows.
    static ListResult done(String tag, List<Notice> notices) {
        return new ListResult(List.of(), List.of(), tag, 0, notices);
    }

    /// The same with some of the messages.
    ListResult withNotices(Predicate<Notice> isShown) {
        return notices.stream().allMatch(isShown)
                ? this
                : new ListResult(
                        columns,
                        tuples,
                        tag,
                        count,
                        notices.stream().filter(isShown).toList(),
                        zone);
    }

    @Override
    public List<ResultColumn> columns() {
        return columns;
    }

    @Override
    public boolean hasRows() {
        return !columns.isEmpty();
    }

    @Override
    public boolean next() {
        if (next < tuples.size()) {
            next++;
            return true;
        }
        return false;
    }

    @Override
    public @Nullable Object value(int column) {
        if (next == 0) {
            throw new IllegalStateException("before the first row: call next()");
        }
        return tuples.get(next - 1)[column];
    }

    @Override
    public @Nullable String text(int column) {
        Object value = value(column);
        return value == null ? null : TextFormat.format(value, columns.get(column).type(), zone);
    }

    /// All rows.
    List<@Nullable Object[]> rows() {
        return tuples;
    }

    @Override
    public String tag() {
        return tag;
    }

    @Override
    public long rowCount() {
        return count;
    }

    @Override
    public List<Notice> notices() {
        return notices;
    }

    @Override
    public void close() {
        next = tuples.size();
    }
}
