package org.namdb.sql.engine.plpgsql;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.PlpgsqlStatement.Raise;
import org.namdb.sql.language.error.ErrorObject;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextFormat;

/// The steps that raise errors and messages, and those that read them.
final class MessageSteps {
    private MessageSteps() {}

    /// What stands behind USING.
    record Option(String name, SqlValue value) {}

    /// RAISE.
    static final class RaiseMessage extends Step {
        private final Raise raise;
        private final List<SqlValue> values;
        private final List<Option> options;

        RaiseMessage(Raise raise, List<SqlValue> values, List<Option> options) {
            super(raise.line(), "RAISE");
            this.raise = raise;
            this.values = List.copyOf(values);
            this.options = List.copyOf(options);
        }

        @Override
        End run(Activation a) {
            if (raise.condition() == null && raise.format() == null && options.isEmpty()) {
                if (a.handled == null) {
                    throw new SqlException(
                            SqlState.STACKED_DIAGNOSTICS,
                            "RAISE without parameters cannot be used outside an exception handler");
                }
                throw a.handled;
            }
            String condition = raise.condition();
            String code = condition == null ? null : ErrorConditions.code(condition);
            String message = raise.format() == null ? null : formatted(raise.format(), a);
            String detail = null;
            String hint = null;
            Set<String> given = new HashSet<>();
            for (Option option : options) {
                Object found = option.value.evaluate(a);
                if (found == null) {
                    throw new SqlException(
                            SqlState.NULL_VALUE_NOT_ALLOWED,
                            "RAISE statement option cannot be null");
                }
                String value = (String) found;
                boolean isTwice =
                        !given.add(option.name)
                                || option.name.equals("message") && message != null
                                || option.name.equals("errcode") && code != null;
                if (isTwice) {
                    throw new SqlException(
                            SqlState.SYNTAX_ERROR,
                            "RAISE option already specified: "
                                    + option.name.toUpperCase(Locale.ROOT));
                }
                switch (option.name) {
                    case "errcode" -> code = ErrorConditions.code(value);
                    case "message" -> message = value;
                    case "detail" -> detail = value;
                    case "hint" -> hint = value;
                    default -> {} // what it is about, which messages name
                }
            }
            if (message == null) {
                message = condition == null && code != null ? code : condition;
            }
            SqlException error =
                    SqlException.raised(
                            code == null ? SqlState.RAISE_EXCEPTION.code() : code,
                            message == null ? "" : message);
            error = detail == null ? error : error.withDetail(detail);
            error = hint == null ? error : error.withHint(hint);
            if (raise.level().equals("exception")) {
                throw error;
            }
            notice(error, a);
            return End.NEXT;
        }

        private void notice(SqlException message, Activation a) {
            String text = String.valueOf(message.getMessage());
            switch (raise.level()) {
                case "warning" -> a.context.notice(Notice.warning(text));
                case "notice" -> a.context.notice(Notice.notice(text));
                case "info" -> a.context.notice(new Notice(Notice.Severity.INFO, text));
                default -> {} // DEBUG and LOG are for the server's log
            }
        }

        private String formatted(String format, Activation a) {
            StringBuilder text = new StringBuilder();
            int next = 0;
            for (int i = 0; i < format.length(); i++) {
                char c = format.charAt(i);
                if (c == '%' && i + 1 < format.length() && format.charAt(i + 1) == '%') {
                    text.append(c);
                    i++;
                } else if (c == '%') {
                    text.append(text(values.get(next++), a));
                } else {
                    text.append(c);
                }
            }
            return text.toString();
        }

        private static String text(SqlValue value, Activation a) {
            SqlType type = value.type(a);
            Object found = value.evaluate(a);
            return found == null
                    ? "<NULL>"
                    : TextFormat.format(found, type, a.frame.environment().zone());
        }
    }

    /// ASSERT.
    static final class Assertion extends Step {
        private final SqlValue condition;
        private final @Nullable SqlValue message;

        Assertion(int line, SqlValue condition, @Nullable SqlValue message) {
            super(line, "ASSERT");
            this.condition = condition;
            this.message = message;
        }

        @Override
        End run(Activation a) {
            if (!condition.isTrue(a)) {
                Object text = message == null ? null : message.evaluate(a);
                throw new SqlException(
                        SqlState.ASSERT_FAILURE, text == null ? "assertion failed" : (String) text);
            }
            return End.NEXT;
        }
    }

    /// One item of GET DIAGNOSTICS.
    record Item(Destination to, String name) {}

    /// GET DIAGNOSTICS.
    static final class Diagnostics extends Step {
        private final boolean isStacked;
        private final List<Item> items;

        Diagnostics(int line, boolean isStacked, List<Item> items) {
            super(line, isStacked ? "GET STACKED DIAGNOSTICS" : "GET DIAGNOSTICS");
            this.isStacked = isStacked;
            this.items = List.copyOf(items);
        }

        @Override
        End run(Activation a) {
            SqlException error = a.handled;
            if (isStacked && error == null) {
                throw new SqlException(
                        SqlState.STACKED_DIAGNOSTICS,
                        "GET STACKED DIAGNOSTICS cannot be used outside an exception handler");
            }
            for (Item item : items) {
                if (item.name.equals("row_count")) {
                    item.to.set(a.rowCount, SqlType.BIGINT, a);
                } else {
                    String text = error == null || !isStacked ? here(a) : of(error, item.name);
                    item.to.set(text, SqlType.TEXT, a);
                }
            }
            return End.NEXT;
        }

        private String here(Activation a) {
            return a.program.placeOf(this);
        }

        private static String of(SqlException error, String item) {
            ErrorObject object = error.object();
            String text =
                    switch (item) {
                        case "returned_sqlstate" -> error.code();
                        case "message_text" -> error.getMessage();
                        case "pg_exception_detail" -> error.detail();
                        case "pg_exception_hint" -> error.hint();
                        case "pg_exception_context" -> error.context();
                        case "table_name" -> object == null ? null : object.table();
                        case "column_name" -> object == null ? null : object.column();
                        case "constraint_name" -> object == null ? null : object.constraint();
                        case "schema_name" ->
                                object == null || object.table() == null ? null : "public";
                        default -> "";
                    };
            return text == null ? "" : text;
        }
    }
}
