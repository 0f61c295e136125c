package org.namdb.sql.language.parser;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.PlpgsqlStatement.Sql;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.RoutineStatement.TypeReference;
import org.namdb.sql.language.ast.RoutineStatement.TypeReference.Form;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.ast.TypeName;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The lexemes of a routine, or of the statement that makes one, read one after the other. As in
/// PostgreSQL, SQL within a statement of PL/pgSQL is all that stands before the word or sign that
/// ends it, and is read by the parser of SQL.
final class RoutineTokens {
    private final String text;
    private final List<Token> tokens = new ArrayList<>();
    private int at;

    /// A lexeme.
    ///
    /// @param word in lower case; what was written for all others
    record Token(SqlScanner.Kind kind, String word, int start, int end) {
        boolean isName() {
            return kind == SqlScanner.Kind.WORD || kind == SqlScanner.Kind.QUOTED_NAME;
        }

        boolean isEnd() {
            return kind == SqlScanner.Kind.END;
        }

        boolean isString() {
            return kind == SqlScanner.Kind.STRING
                    || kind == SqlScanner.Kind.ESCAPE_STRING
                    || kind == SqlScanner.Kind.DOLLAR_STRING;
        }

        /// Whether it is this word, without quotes, or this sign.
        boolean is(String other) {
            return word.equals(other)
                    && (kind == SqlScanner.Kind.WORD || kind == SqlScanner.Kind.SIGN);
        }
    }

    /// @param start where the first lexeme is
    /// @param end behind the last one
    RoutineTokens(String text, int start, int end) {
        this.text = text;
        SqlScanner scanner = new SqlScanner(text, start);
        while (scanner.nextSignificant() != SqlScanner.Kind.END && scanner.start() < end) {
            String raw = text.substring(scanner.start(), scanner.end());
            String word = scanner.kind() == SqlScanner.Kind.WORD ? Keywords.folded(raw) : raw;
            Token token = new Token(scanner.kind(), word, scanner.start(), scanner.end());
            if (scanner.flaw() == SqlScanner.Flaw.UNTERMINATED) {
                throw error("unterminated " + flawed(scanner.kind()), token);
            }
            tokens.add(token);
        }
        int last = Math.min(end, text.length());
        tokens.add(new Token(SqlScanner.Kind.END, "", last, last));
    }

    private static String flawed(SqlScanner.Kind kind) {
        return switch (kind) {
            case QUOTED_NAME -> "quoted identifier";
            case COMMENT -> "/* comment";
            case DOLLAR_STRING -> "dollar-quoted string";
            default -> "quoted string";
        };
    }

    // --------------------------------------------------------------------------------- Lexemes

    Token peek() {
        return tokens.get(at);
    }

    Token peek(int ahead) {
        return tokens.get(Math.min(at + ahead, tokens.size() - 1));
    }

    Token next() {
        Token token = tokens.get(at);
        if (!token.isEnd()) {
            at++;
        }
        return token;
    }

    /// Goes back to a lexeme.
    void back(Token token) {
        at = tokens.indexOf(token);
    }

    /// Where the lexeme ends that was read last.
    int endOfLast() {
        return tokens.get(at - 1).end();
    }

    /// Goes on if this word or sign comes next.
    boolean accept(String word) {
        if (peek().is(word)) {
            at++;
            return true;
        }
        return false;
    }

    void expect(String word) {
        if (!accept(word)) {
            throw syntaxError();
        }
    }

    /// The name that comes next, folded unless quoted.
    Name name() {
        Token token = peek();
        if (!token.isName()) {
            throw syntaxError();
        }
        at++;
        return new Name(text(token), position(token));
    }

    private static String text(Token token) {
        return token.kind() == SqlScanner.Kind.QUOTED_NAME
                ? token.word().substring(1, token.word().length() - 1).replace("\"\"", "\"")
                : token.word();
    }

    /// The characters of the string that comes next.
    String string() {
        Token token = peek();
        if (!token.isString()) {
            throw syntaxError();
        }
        at++;
        return StringLiterals.value(
                new SqlToken(text, SqlGrammar.STRING, token.start(), token.end(), 0, -1));
    }

    /// The line of a lexeme, from 1.
    int line(Token token) {
        return SyntaxErrors.lineOf(text, token.start());
    }

    static Position position(Token token) {
        return new Position(token.start(), Math.max(1, token.end() - token.start()));
    }

    /// From one lexeme to the one that was read last.
    Position since(Token first) {
        return position(first).to(position(tokens.get(Math.max(0, at - 1))));
    }

    SqlException syntaxError() {
        Token token = peek();
        return error(
                token.isEnd()
                        ? "syntax error at end of input"
                        : "syntax error at or near \""
                                + text.substring(token.start(), token.end())
                                + '"',
                token);
    }

    static SqlException error(String message, Token token) {
        return new SqlException(SqlState.SYNTAX_ERROR, message, position(token));
    }

    static SqlException unsupported(String what, Token token) {
        return new SqlException(
                SqlState.FEATURE_NOT_SUPPORTED, what + " is not supported", position(token));
    }

    // ------------------------------------------------------------------------------------- SQL

    /// What comes next up to one of some words or signs, which stays: not in parentheses, nor in a
    /// CASE.
    ///
    /// @return its first and last lexeme
    private List<Token> span(Set<String> ends) {
        Deque<String> open = new ArrayDeque<>();
        int first = at;
        while (!peek().isEnd()) {
            Token token = peek();
            if (open.isEmpty() && endsAt(token, ends) && at > first) {
                break;
            }
            if (open.isEmpty() && token.is(";")) {
                break;
            }
            if (token.is("(") || token.is("[") || token.is("case")) {
                open.push(token.word());
            } else if ((token.is(")") || token.is("]") || token.is("end")) && !open.isEmpty()) {
                open.pop();
            }
            at++;
        }
        if (at == first) {
            throw syntaxError();
        }
        return List.of(tokens.get(first), tokens.get(at - 1));
    }

    private static boolean endsAt(Token token, Set<String> ends) {
        return (token.kind() == SqlScanner.Kind.WORD || token.kind() == SqlScanner.Kind.SIGN)
                && ends.contains(token.word());
    }

    /// The expression that comes next.
    ///
    /// @param ends the words or signs that may end it
    Sql expression(String... ends) {
        List<Token> span = span(Set.of(ends));
        if (!peek().isEnd() && !endsAt(peek(), Set.of(ends))) {
            throw ends.length == 0 || !ends[0].matches("[a-z]+")
                    ? syntaxError()
                    : error("missing \"" + ends[0].toUpperCase(Locale.ROOT) + "\"", peek());
        }
        return expression(span.getFirst(), span.getLast());
    }

    private Sql expression(Token first, Token last) {
        String written = text.substring(first.start(), last.end());
        int line = line(first);
        try {
            Expression expression = SqlParser.parseExpression(written);
            return new Sql(written, expression, null, line);
        } catch (SqlException e) {
            Statement query = query("SELECT " + written);
            if (query == null) {
                throw moved(e, first.start());
            }
            return new Sql(written, null, query, line);
        }
    }

    private static @Nullable Statement query(String text) {
        try {
            return SqlParser.parseOne(text);
        } catch (SqlException _) {
            return null;
        }
    }

    /// The statement that comes next, up to a semicolon or one of some words; a part of it may be
    /// left out.
    ///
    /// @param from where it begins
    /// @param before what stands before it in its stead, as `SELECT`
    /// @param hidden first and end of each part that is none of SQL
    Sql statement(int from, String before, List<int[]> hidden) {
        int end = tokens.get(Math.max(0, at - 1)).end();
        StringBuilder written = new StringBuilder(text.substring(from, end));
        for (int[] part : hidden) {
            for (int i = part[0] - from; i < part[1] - from; i++) {
                written.setCharAt(i, ' ');
            }
        }
        String sql = before + written.toString().stripTrailing();
        try {
            return new Sql(sql, null, SqlParser.parseOne(sql), SyntaxErrors.lineOf(text, from));
        } catch (SqlException e) {
            throw moved(e, from - before.length());
        }
    }

    /// Reads on to a semicolon or one of some words, which stays.
    void skip(String... ends) {
        List<Token> _ = span(Set.of(ends));
    }

    /// An error in a part of the text as one in the text.
    private static SqlException moved(SqlException e, int by) {
        Position place = e.position();
        SqlException moved =
                new SqlException(
                        e.state(),
                        String.valueOf(e.getMessage()),
                        place == null
                                ? null
                                : new Position(Math.max(0, place.offset() + by), place.length()));
        moved = e.detail() == null ? moved : moved.withDetail(e.detail());
        return e.hint() == null ? moved : moved.withHint(e.hint());
    }

    // ----------------------------------------------------------------------------------- Types

    /// The type that comes next.
    ///
    /// @param ends the words or signs that may stand behind it
    TypeReference type(String... ends) {
        List<Token> span = span(Set.of(ends));
        return type(span.getFirst(), span.getLast());
    }

    private TypeReference type(Token first, Token last) {
        String written = text.substring(first.start(), last.end());
        int percent = written.lastIndexOf('%');
        if (percent > 0) {
            Form form =
                    switch (last.word()) {
                        case "type" -> Form.TYPE_OF;
                        case "rowtype" -> Form.ROW_TYPE;
                        default -> throw error("syntax error at or near \"%\"", last);
                    };
            String path = dotted(written.substring(0, percent));
            Position place = new Position(first.start(), last.end() - first.start());
            return new TypeReference(new TypeName(path, List.of(), false, place), form);
        }
        String cast = "NULL::";
        try {
            return SqlParser.parseExpression(cast + written) instanceof Expression.Cast plain
                    ? new TypeReference(plain.type(), Form.PLAIN)
                    : unreadable(written, first);
        } catch (SqlException e) {
            throw moved(e, first.start() - cast.length());
        }
    }

    private static TypeReference unreadable(String written, Token first) {
        throw error("invalid type name \"" + written + '"', first);
    }

    /// `"A".b` as A.b; a schema that is the only one is left out.
    private static String dotted(String written) {
        RoutineTokens parts = new RoutineTokens(written, 0, written.length());
        List<String> names = new ArrayList<>();
        do {
            names.add(parts.name().text());
        } while (parts.accept("."));
        if (names.size() > 1 && names.getFirst().equals("public")) {
            names.removeFirst();
        }
        return String.join(".", names);
    }

    /// The text from a place to the lexeme that was read last.
    String written(int from) {
        return text.substring(from, tokens.get(at - 1).end());
    }
}
