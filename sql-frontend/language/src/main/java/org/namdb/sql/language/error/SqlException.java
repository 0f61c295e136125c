package org.namdb.sql.language.error;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Position;

/// A statement that can't be done: what class of error, what is wrong, where in the text, and what
/// may help. Nothing of the statement has happened.
public final class SqlException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final SqlState state;
    private final @Nullable String hint;
    private final @Nullable String detail;
    private final @Nullable String context;
    private final transient @Nullable Position position;
    private final @Nullable String text;
    private final @Nullable ErrorObject object;

    /// A SQLSTATE that is none of [SqlState]; null if the state has it.
    private final @Nullable String code;

    public SqlException(SqlState state, String message) {
        this(state, message, null);
    }

    public SqlException(SqlState state, String message, @Nullable Position position) {
        this(state, null, message, position, null, null, null, null, null, null);
    }

    /// An error with a SQLSTATE that a program has chosen.
    ///
    /// @param code five characters
    public static SqlException raised(String code, String message) {
        SqlState state = SqlState.of(code);
        return state.code().equals(code)
                ? new SqlException(state, message)
                : new SqlException(
                        SqlState.RAISE_EXCEPTION,
                        code,
                        message,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null);
    }

    private SqlException(
            SqlState state,
            @Nullable String code,
            String message,
            @Nullable Position position,
            @Nullable String detail,
            @Nullable String hint,
            @Nullable String context,
            @Nullable String text,
            @Nullable ErrorObject object,
            @Nullable Throwable cause) {
        super(message, cause, false, cause != null);
        this.state = state;
        this.code = code;
        this.position = position;
        this.detail = detail;
        this.context = context;
        this.hint = hint;
        this.text = text;
        this.object = object;
    }

    /// The same with a place, unless it has one.
    public SqlException at(Position place) {
        return position != null
                ? this
                : new SqlException(
                        state,
                        code,
                        text(this),
                        place,
                        detail,
                        hint,
                        context,
                        text,
                        object,
                        getCause());
    }

    /// The same with a hint: what the user can do.
    public SqlException withHint(String newHint) {
        return copy(detail, newHint, context, text, object, getCause());
    }

    /// The same with a detail: the conflicting values.
    public SqlException withDetail(String newDetail) {
        return copy(newDetail, hint, context, text, object, getCause());
    }

    /// The same with what was being done, outside of the statement's text: a line of COPY's data.
    public SqlException inContext(String newContext) {
        return copy(detail, hint, newContext, text, object, getCause());
    }

    /// The same of a statement that another one has run: without its place, which is none in the
    /// text of that one.
    ///
    /// @param newContext which statement it was
    public SqlException within(String newContext) {
        return new SqlException(
                state,
                code,
                text(this),
                null,
                detail,
                hint,
                context == null ? newContext : context + "\n" + newContext,
                null,
                object,
                getCause());
    }

    /// The same with the statement's text, so that the place can be shown.
    public SqlException inText(String statement) {
        return copy(detail, hint, context, statement, object, getCause());
    }

    /// The same with the part of the schema that it is about.
    public SqlException about(ErrorObject newObject) {
        return copy(detail, hint, context, text, newObject, getCause());
    }

    /// The same without a part of names, as a schema that they are found without.
    public SqlException without(String part) {
        SqlException plain =
                new SqlException(
                        state,
                        code,
                        text(this).replace(part, ""),
                        position,
                        without(detail, part),
                        without(hint, part),
                        without(context, part),
                        text,
                        object == null ? null : object.without(part),
                        getCause());
        for (Throwable each : getSuppressed()) {
            plain.addSuppressed(each);
        }
        return plain;
    }

    private static @Nullable String without(@Nullable String text, String part) {
        return text == null ? null : text.replace(part, "");
    }

    /// The same with what has caused it.
    public SqlException causedBy(Throwable cause) {
        return copy(detail, hint, context, text, object, cause);
    }

    /// The class of error; [SqlState#RAISE_EXCEPTION] of a SQLSTATE that a program has chosen.
    public SqlState state() {
        return state;
    }

    /// The SQLSTATE's five characters.
    public String code() {
        return code == null ? state.code() : code;
    }

    public @Nullable String hint() {
        return hint;
    }

    public @Nullable String detail() {
        return detail;
    }

    /// What was being done, as in `COPY t, line 3`; null if the statement's text shows it.
    public @Nullable String context() {
        return context;
    }

    /// The part of the schema that it is about; null if it is about none, or the message alone
    /// names it.
    public @Nullable ErrorObject object() {
        return object;
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

    /// The line of the text that the place is in; empty if the place is not known.
    public String lineText() {
        if (position == null || text == null) {
            return "";
        }
        int end = text.indexOf('\n', offset());
        return text.substring(lineStart(), end < 0 ? text.length() : end);
    }

    /// The length of the place in characters, as far as it is in its line: at least 1; 0 if it is
    /// not known.
    public int markLength() {
        if (position == null || text == null) {
            return 0;
        }
        String rest = lineText().substring(offset() - lineStart());
        int end = Math.min(position.length(), rest.length());
        return Math.max(1, rest.codePointCount(0, end));
    }

    private int offset() {
        return position == null || text == null ? 0 : Math.min(position.offset(), text.length());
    }

    private int lineStart() {
        return text == null ? 0 : text.lastIndexOf('\n', offset() - 1) + 1;
    }

    private SqlException copy(
            @Nullable String newDetail,
            @Nullable String newHint,
            @Nullable String newContext,
            @Nullable String newText,
            @Nullable ErrorObject newObject,
            @Nullable Throwable newCause) {
        return new SqlException(
                state,
                code,
                text(this),
                position,
                newDetail,
                newHint,
                newContext,
                newText,
                newObject,
                newCause);
    }

    private static String text(SqlException e) {
        return String.valueOf(e.getMessage());
    }
}
