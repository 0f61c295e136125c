package org.namdb.sql.language.parser;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.antlr.v4.runtime.Token;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// What PostgreSQL has and NamDB doesn't: it is named, where otherwise a syntax error would puzzle.
final class Unsupported {
    /// What CREATE, ALTER and DROP can name besides tables and indexes.
    private static final Set<String> OBJECTS =
            Set.of(
                    ("access aggregate cast collation conversion database domain event extension foreign global group language"
                                    + " local materialized operator owned policy publication recursive rule"
                                    + " schema server statistics subscription system tablespace temp temporary text transform"
                                    + " trigger type unlogged")
                            .split(" "));

    /// Words that stand before the kind of object.
    private static final Set<String> OBJECT_PREFIXES =
            Set.of("temp", "temporary", "unlogged", "global", "local", "materialized");

    private static final Set<String> STATEMENTS =
            Set.of(
                    ("analyse checkpoint cluster import listen load lock merge notify reassign"
                                    + " refresh reindex security")
                            .split(" "));

    /// Those that mean nothing alone.
    private static final Set<String> NEED_MORE = Set.of("merge");

    private static final Set<String> CHANGES = Set.of("insert", "update", "delete");

    private static final Set<String> TYPES =
            Set.of(
                    ("json jsonb xml money timetz inet cidr macaddr macaddr8"
                                    + " bit varbit point line lseg box path polygon circle tsvector tsquery "
                                    + " int4range int8range numrange tsrange tstzrange daterange"
                                    + " hstore citext")
                            .split(" "));

    /// A word at which the parser stops.
    ///
    /// @param statement how the statement begins; empty if that is all the same
    /// @param before the token before the word; empty if that is all the same
    private record Construct(String statement, String before, String word, String message) {}

    private static final String NATIONAL =
            "NATIONAL CHARACTER is not supported: CHARACTER is Unicode";
    private static final String INTERVAL_FIELDS =
            "INTERVAL with a range of fields is not supported";

    private static final String ONLY_FOREIGN_KEYS =
            "deferrable constraints that are no foreign keys are not supported";

    private static final List<Construct> CONSTRUCTS =
            List.of(
                    new Construct("", "", "window", "window functions are not supported"),
                    new Construct("", "", "within", "ordered-set aggregates are not supported"),
                    new Construct("", "", "variadic", "VARIADIC is not supported"),
                    new Construct("", "", "[", "arrays of several dimensions are not supported"),
                    new Construct("", "", "tablesample", "TABLESAMPLE is not supported"),
                    new Construct("", "", "only", "ONLY is not supported"),
                    new Construct("create", "", "collate", "COLLATE is not supported"),
                    new Construct("select", "", "into", "SELECT INTO is not supported"),
                    new Construct("", "rows", "with", "WITH TIES is not supported"),
                    new Construct("", "row", "with", "WITH TIES is not supported"),
                    new Construct("", "current", "of", "WHERE CURRENT OF is not supported"),
                    new Construct(
                            "insert",
                            ")",
                            "where",
                            "a condition in the target of ON CONFLICT is not supported"),
                    new Construct("", "", "deferrable", ONLY_FOREIGN_KEYS),
                    new Construct("", "", "initially", ONLY_FOREIGN_KEYS),
                    new Construct("", "", "exclude", "EXCLUDE constraints are not supported"),
                    new Construct("create", "", "concurrently", "CONCURRENTLY is not supported"),
                    new Construct("drop", "", "concurrently", "CONCURRENTLY is not supported"),
                    new Construct("create table", "", "inherits", "INHERITS is not supported"),
                    new Construct("create table", "", "partition", "partitions are not supported"),
                    new Construct(
                            "create table", "", "tablespace", "tablespaces are not supported"),
                    new Construct("create", "", "include", "INCLUDE columns are not supported"),
                    new Construct("create", "", "desc", "descending indexes are not supported"),
                    new Construct("create", "nulls", "first", "NULLS FIRST is not supported here"),
                    new Construct("create", ")", "where", "partial indexes are not supported"),
                    new Construct(
                            "create index", "", "(", "indexes on expressions are not supported"),
                    new Construct(
                            "create unique", "", "(", "indexes on expressions are not supported"),
                    new Construct("alter table", "", "enable", "ENABLE is not supported"),
                    new Construct("alter table", "", "disable", "DISABLE is not supported"),
                    new Construct("alter table", "", "attach", "partitions are not supported"),
                    new Construct("alter table", "", "detach", "partitions are not supported"),
                    new Construct("alter table", "set", "schema", "SET SCHEMA is not supported"),
                    new Construct(
                            "alter table", "set", "tablespace", "SET TABLESPACE is not supported"),
                    new Construct("alter index", "", "set", "ALTER INDEX SET is not supported"),
                    new Construct("alter index", "", "reset", "ALTER INDEX RESET is not supported"),
                    new Construct("alter index", "", "attach", "partitions are not supported"),
                    new Construct("alter index", "", "alter", "ALTER INDEX ALTER is not supported"),
                    new Construct("", "national", "character", NATIONAL),
                    new Construct("", "national", "char", NATIONAL),
                    new Construct("", "year", "to", INTERVAL_FIELDS),
                    new Construct("", "day", "to", INTERVAL_FIELDS),
                    new Construct("", "hour", "to", INTERVAL_FIELDS),
                    new Construct("", "minute", "to", INTERVAL_FIELDS),
                    new Construct("", ")", ".", "columns of row values are not supported"),
                    new Construct("alter user", "", "rename", "renaming a role is not supported"),
                    new Construct("alter role", "", "rename", "renaming a role is not supported"),
                    new Construct("alter user", "", "set", "settings of a role are not supported"),
                    new Construct("alter role", "", "set", "settings of a role are not supported"),
                    new Construct("create user", "", "in", "IN ROLE is not supported"),
                    new Construct("create role", "", "in", "IN ROLE is not supported"),
                    new Construct("explain", "", "verbose", "EXPLAIN VERBOSE is not supported"),
                    new Construct("copy", "", "program", "COPY with a program is not supported"),
                    new Construct("copy", "", "where", "COPY with a condition is not supported"),
                    new Construct("grant", "", "granted", "GRANTED BY is not supported"),
                    new Construct("revoke", "", "granted", "GRANTED BY is not supported"));

    private Unsupported() {}

    static SqlException error(String message, Position position) {
        return new SqlException(SqlState.FEATURE_NOT_SUPPORTED, message, position);
    }

    /// The error of a statement that NamDB doesn't have; null if its first words are not those of
    /// one.
    static @Nullable SqlException statement(StatementTokens tokens) {
        String first = word(tokens, 0);
        if (NEED_MORE.contains(first) && tokens.get(1).getType() == Token.EOF) {
            return null;
        }
        if (STATEMENTS.contains(first)) {
            return error(upper(first) + " is not supported", tokens.get(0).position());
        }
        String second = word(tokens, 1);
        return switch (first) {
            case "create", "alter", "drop" -> object(tokens, first);
            case "copy" ->
                    second.equals("(") && CHANGES.contains(word(tokens, 2))
                            ? error(
                                    "COPY of a changing statement is not supported",
                                    tokens.get(2).position())
                            : null;
            case "prepare", "commit", "rollback" ->
                    second.equals("prepared")
                                    || (first.equals("prepare") && second.equals("transaction"))
                            ? error("two-phase commit is not supported", tokens.get(1).position())
                            : null;
            default -> null;
        };
    }

    private static @Nullable SqlException object(StatementTokens tokens, String verb) {
        int at = word(tokens, 1).equals("or") && word(tokens, 2).equals("replace") ? 3 : 1;
        String object = word(tokens, at);
        if (!OBJECTS.contains(object)) {
            return null;
        }
        if (isTemporaryTable(tokens, verb, at)) {
            return null;
        }
        String next = OBJECT_PREFIXES.contains(object) ? " " + upper(word(tokens, at + 1)) : "";
        return error(
                upper(verb) + " " + upper(object) + next + " is not supported",
                tokens.get(at).position());
    }

    /// `CREATE [LOCAL | GLOBAL] TEMP | TEMPORARY TABLE`.
    private static boolean isTemporaryTable(StatementTokens tokens, String verb, int at) {
        int word = Set.of("local", "global").contains(word(tokens, at)) ? at + 1 : at;
        return verb.equals("create")
                && Set.of("temp", "temporary").contains(word(tokens, word))
                && word(tokens, word + 1).equals("table");
    }

    /// The error of a construct of PostgreSQL that begins at the token where the parser stopped;
    /// null if none does.
    static @Nullable SqlException construct(StatementTokens tokens, int index) {
        SqlToken token = tokens.get(index);
        if (token.getType() == SqlGrammar.OTHER_OPERATOR) {
            SqlException literal = unicodeString(tokens, index);
            return literal == null ? operator(token) : literal;
        }
        String message = message(tokens, index);
        if (message == null) {
            return null;
        }
        return error(message, token.position());
    }

    private static @Nullable String message(StatementTokens tokens, int index) {
        String word = word(tokens, index);
        String previous = word(tokens, index - 1);
        if (word.equals("(") && previous.startsWith("force_") && word(tokens, 0).equals("copy")) {
            return "COPY with the option " + previous + " is not supported";
        }
        if (word.equals("into") && word(tokens, index - 1).equals("insert")) {
            return null;
        }
        if (isQuantifier(tokens, index)) {
            return "%s %s is not supported".formatted(upper(previous), upper(word));
        }
        String start = word(tokens, 0) + " " + word(tokens, 1) + " ";
        for (Construct construct : CONSTRUCTS) {
            if (construct.word.equals(word)
                    && (construct.statement.isEmpty()
                            || start.startsWith(construct.statement + " "))
                    && hasBefore(tokens, index, construct)) {
                return construct.message;
            }
        }
        return null;
    }

    /// Before a parenthesis stands the function's name; what counts is before that.
    private static boolean hasBefore(StatementTokens tokens, int index, Construct construct) {
        int before = construct.word.equals("(") && !construct.before.isEmpty() ? 2 : 1;
        return construct.before.isEmpty() || word(tokens, index - before).equals(construct.before);
    }

    private static boolean isQuantifier(StatementTokens tokens, int index) {
        int before = index == 0 ? Token.EOF : tokens.get(index - 1).getType();
        int type = tokens.get(index).getType();
        boolean isOperator = before >= SqlGrammar.EQUAL && before <= SqlGrammar.GREATER_EQUAL;
        return isOperator
                && (type == SqlGrammar.ANY || type == SqlGrammar.SOME || type == SqlGrammar.ALL);
    }

    /// `U&'..'`, which is read as a name, an operator and a string.
    private static @Nullable SqlException unicodeString(StatementTokens tokens, int index) {
        boolean isOne =
                tokens.get(index).getText().equals("&")
                        && word(tokens, index - 1).equals("u")
                        && tokens.get(index).start() == tokens.get(index - 1).start() + 1
                        && index + 1 < tokens.size()
                        && (tokens.get(index + 1).getType() == SqlGrammar.STRING
                                || tokens.get(index + 1).getType() == SqlGrammar.QUOTED_IDENTIFIER);
        return isOne
                ? error("U& escapes are not supported", tokens.get(index - 1).position())
                        .withHint("Write E'\\u0041'.")
                : null;
    }

    private static SqlException operator(SqlToken token) {
        if (token.getText().equals("==")) {
            return new SqlException(
                            SqlState.UNDEFINED_FUNCTION,
                            "operator does not exist: ==",
                            token.position())
                    .withHint("Equality is written with one sign: =");
        }
        String message =
                switch (token.getText()) {
                    case "->", "->>", "#>", "#>>" -> "operators of JSON are not supported";
                    case "=>" -> "named arguments are not supported";
                    default -> "operator " + token.getText() + " is not supported";
                };
        return error(message, token.position());
    }

    /// The error of a type that NamDB doesn't have; null for other names.
    static @Nullable SqlException type(String name, Position position) {
        if (!TYPES.contains(name)) {
            return null;
        }
        return error("type " + name + " is not supported", position);
    }

    private static String word(StatementTokens tokens, int index) {
        if (index < 0 || index >= tokens.size()) {
            return "";
        }
        SqlToken token = tokens.get(index);
        return token.getType() == Token.EOF || token.getType() == SqlGrammar.STRING
                ? ""
                : Keywords.folded(token.getText());
    }

    private static String upper(String word) {
        return word.toUpperCase(Locale.ROOT);
    }
}
