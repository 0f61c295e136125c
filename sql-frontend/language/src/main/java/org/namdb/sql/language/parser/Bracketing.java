package org.namdb.sql.language.parser;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Marks what belongs together in a statement, in one pass: the parentheses around queries, the AND
/// of a BETWEEN, the IN of POSITION. With these marks the grammar needs no lookahead over whatever
/// stands between.
final class Bracketing {
    private final List<SqlToken> tokens;
    private Bracket innermost = new Bracket(null, -1, Opening.STATEMENT);

    private Bracketing(List<SqlToken> tokens) {
        this.tokens = tokens;
    }

    /// What opens a bracket.
    private enum Opening {
        STATEMENT,
        CASE,
        PARENTHESIS,
        /// That of POSITION(a IN b).
        POSITION,
        /// One of a call, of a row of VALUES, and such: a query in it has parentheses of its own.
        LIST,
        /// `[`, of a subscript or an array.
        SUBSCRIPT,
        QUERY
    }

    /// What is open at a place of the statement.
    private static final class Bracket {
        private final @Nullable Bracket outer;
        private final int index;
        private Opening opening;

        /// How many BETWEENs wait for their AND.
        private int betweens;

        Bracket(@Nullable Bracket outer, int index, Opening opening) {
            this.outer = outer;
            this.index = index;
            this.opening = opening;
        }
    }

    /// Marks the tokens of one statement, the last of which is its end.
    static void mark(List<SqlToken> tokens) {
        Bracketing bracketing = new Bracketing(tokens);
        for (int i = 0; i < tokens.size(); i++) {
            bracketing.mark(i);
        }
    }

    private void mark(int i) {
        switch (type(i)) {
            case SqlGrammar.LPAREN -> open(i);
            case SqlGrammar.LBRACKET -> innermost = new Bracket(innermost, i, Opening.SUBSCRIPT);
            case SqlGrammar.RPAREN, SqlGrammar.RBRACKET -> close(i);
            case SqlGrammar.CASE -> innermost = new Bracket(innermost, i, Opening.CASE);
            case SqlGrammar.END -> endCase();
            case SqlGrammar.BETWEEN -> innermost.betweens++;
            case SqlGrammar.AND -> {
                if (innermost.betweens > 0) {
                    innermost.betweens--;
                    tokens.get(i).retype(SqlGrammar.BETWEEN_AND);
                }
            }
            case SqlGrammar.IN -> {
                if (innermost.opening == Opening.POSITION) {
                    tokens.get(i).retype(SqlGrammar.POSITION_IN);
                }
            }
            default -> {}
        }
    }

    private int type(int i) {
        return i < 0 ? SqlGrammar.SEMICOLON : tokens.get(i).getType();
    }

    private void open(int i) {
        innermost = new Bracket(innermost, i, opening(i));
        if (innermost.opening == Opening.QUERY) {
            tokens.get(i).retype(SqlGrammar.QUERY_LPAREN);
        }
    }

    private Opening opening(int i) {
        int next = type(i + 1);
        if (next == SqlGrammar.SELECT
                || next == SqlGrammar.VALUES
                || next == SqlGrammar.TABLE
                || next == SqlGrammar.WITH) {
            return Opening.QUERY;
        }
        if (type(i - 2) == SqlGrammar.INTO) {
            return Opening.PARENTHESIS;
        }
        int before = type(i - 1);
        if (before == SqlGrammar.AS
                && type(i - 2) == SqlGrammar.ALWAYS
                && type(i - 3) == SqlGrammar.GENERATED) {
            return Opening.LIST;
        }
        if (before == SqlGrammar.ON && type(i - 2) == SqlGrammar.DISTINCT) {
            return Opening.LIST;
        }
        return switch (before) {
            case SqlGrammar.POSITION -> Opening.POSITION;
            case SqlGrammar.IDENTIFIER,
                    SqlGrammar.QUOTED_IDENTIFIER,
                    SqlGrammar.CAST,
                    SqlGrammar.CHECK,
                    SqlGrammar.LEFT,
                    SqlGrammar.OVERLAY,
                    SqlGrammar.RIGHT,
                    SqlGrammar.ROW,
                    SqlGrammar.SUBSTRING,
                    SqlGrammar.TRIM,
                    SqlGrammar.VALUES ->
                    Opening.LIST;
            case SqlGrammar.BY, SqlGrammar.COPY, SqlGrammar.EXPLAIN, SqlGrammar.VERBS ->
                    Opening.PARENTHESIS;
            default -> Keywords.isBare(before) ? Opening.LIST : Opening.PARENTHESIS;
        };
    }

    /// If a query in parentheses is first in other parentheses, and behind it what follows queries,
    /// then these are around a query too.
    private void close(int i) {
        Bracket closed = innermost;
        while (closed.opening == Opening.CASE && closed.outer != null) {
            closed = closed.outer;
        }
        if (closed.outer == null) {
            return;
        }
        innermost = closed.outer;
        if (closed.opening == Opening.QUERY
                && followsQuery(type(i + 1), innermost.opening)
                && innermost.index == closed.index - 1) {
            innermost.opening = Opening.QUERY;
            tokens.get(innermost.index).retype(SqlGrammar.QUERY_LPAREN);
        }
    }

    /// Whether what follows a query in parentheses shows that the parentheses around it hold a
    /// query too.
    private static boolean followsQuery(int type, Opening around) {
        return switch (type) {
            case SqlGrammar.UNION,
                    SqlGrammar.EXCEPT,
                    SqlGrammar.INTERSECT,
                    SqlGrammar.LIMIT,
                    SqlGrammar.OFFSET,
                    SqlGrammar.FETCH ->
                    around == Opening.PARENTHESIS || around == Opening.LIST;
            case SqlGrammar.RPAREN, SqlGrammar.ORDER, SqlGrammar.FOR ->
                    around == Opening.PARENTHESIS;
            default -> false;
        };
    }

    private void endCase() {
        if (innermost.opening == Opening.CASE && innermost.outer != null) {
            innermost = innermost.outer;
        }
    }
}
