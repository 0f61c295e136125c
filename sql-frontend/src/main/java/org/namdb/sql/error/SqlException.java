package org.namdb.sql.error;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.ast.Position;

/// A statement that can't be done: what class of error, what is wrong, where in the text, and what may help. Nothing of the statement has happened.
public final class SqlException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final SqlState state;
    private final @Nullable String hint;
    private final @Nullable String detail;
    private final transient @Nullable Position position;
    private final @Nullable String text;

    public SqlException(SqlState state, String message) {
        this(state, message, null, null, null, null, null);
    }

    public SqlException(SqlState state, String message, @Nullable Position position) {
        this(state, message, position, null, null, null, null);
    }

    private SqlException(
            SqlState state,
            String message,
            @Nullable Position position,
            @Nullable String detail,
            @Nullable String hint,
            @Nullable String text,
            @Nullable Throwable cause) {
        super(message, cause, false, cause != null);
        this.state = state;
        this.position = position;
        this.detail = detail;
        this.hint = hint;
        this.text = text;
    }

    /// The same with a place, unless it has one.
    public SqlException at(Position place) {
        return position != null
                ? this
                : new SqlException(state, text(this), place, detail, hint, text, getCause());
    }

    /// The same with a hint: what the user can do.
    public SqlException withHint(String newHint) {
        return new SqlException(state, text(this), position, detail, newHint, text, getCause());
    }

    /// The same with a detail: the values that were in the way.
    public SqlException withDetail(String newDetail) {
        return new SqlException(state, text(this), position, newDetail, hint, text, getCause());
    }

    /// The same with the statement's text, so that the place can be shown.
    public SqlException inText(String statement) {
        return new SqlException(state, text(this), position, detail, hint, statement, getCause());
    }

    /// The same with what has caused it.
    public SqlException causedBy(Throwable cause) {
        return new SqlException(state, text(this), position, detail, hint, text, cause);
    }

    public SqlState state() {
        return state;
    }

    public @Nullable String hint() {
        return hint;
    }

    public @Nullable String detail() {
        return detail;
    }

    /// The place in the text; null if no part of it is at fault.
    public @Nullable Position position() {
        return position;
    }

    /// The line of the place, from 1; 0 if it is not known.
    public int line() {
        if (position == null || text == null) {
            return 0;
        }
        return 1 + (int) text.substring(0, offset()).chars().filter(c -> c == '\n').count();
    }

    /// The column of the place in characters, from 1; 0 if it is not known.
    public int column() {
        if (position == null || text == null) {
            return 0;
        }
        return text.codePointCount(lineStart(), offset()) + 1;
    }

    /// The line of the text with the place marked under it, as two lines; empty if the place is not known.
    public String marked() {
        if (position == null || text == null) {
            return "";
        }
        int start = lineStart();
        int end = text.indexOf('\n', offset());
        String line = text.substring(start, end < 0 ? text.length() : end);
        String prefix = "LINE " + line() + ": ";
        int before = column() - 1;
        int length = Math.max(1, Math.min(position.length(), line.length() - (offset() - start)));
        return prefix
                + line.replace('\t', ' ')
                + "\n"
                + " ".repeat(prefix.length() + before)
                + "^".repeat(length);
    }

    private int offset() {
        return position == null || text == null ? 0 : Math.min(position.offset(), text.length());
    }

    private int lineStart() {
        return text == null ? 0 : text.lastIndexOf('\n', offset() - 1) + 1;
    }

    private static String text(SqlException e) {
        return String.valueOf(e.getMessage());
    }
}
