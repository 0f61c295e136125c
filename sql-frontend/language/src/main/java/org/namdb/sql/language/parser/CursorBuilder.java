package org.namdb.sql.language.parser;

import java.util.List;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.ast.Statement.FetchDirection;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Makes statements about cursors out of their parses.
final class CursorBuilder {
    private CursorBuilder() {}

    static Statement declare(SqlGrammar.DeclareCursorContext tree, Query query) {
        boolean isForwardOnly = false;
        boolean isScrolling = false;
        for (SqlGrammar.CursorOptionContext option : tree.cursorOption()) {
            if (option.BINARY() != null) {
                throw Unsupported.error(
                        "binary cursors are not supported", NameBuilder.position(option));
            }
            switch (Keywords.folded(option.IDENTIFIER().getText())) {
                case "scroll" -> {
                    isForwardOnly |= option.NO() != null;
                    isScrolling |= option.NO() == null;
                }
                case "insensitive", "asensitive" -> {} // all see the rows as they were at first
                default -> throw SyntaxErrors.at(option.getStop());
            }
        }
        if (isForwardOnly && isScrolling) {
            throw new SqlException(
                    SqlState.INVALID_CURSOR_DEFINITION,
                    "cannot specify both SCROLL and NO SCROLL",
                    NameBuilder.position(tree));
        }
        List<SqlGrammar.NameContext> names = tree.name();
        if (names.size() > 1 && !folded(names.get(1)).equals("hold")) {
            throw SyntaxErrors.at(names.get(1).getStart());
        }
        return new Statement.DeclareCursor(
                NameBuilder.name(names.getFirst()),
                isForwardOnly,
                tree.WITH() != null,
                query,
                NameBuilder.position(tree));
    }

    static Statement fetch(SqlGrammar.FetchCursorContext tree) {
        List<SqlGrammar.FetchPartContext> parts = tree.fetchPart();
        SqlGrammar.FetchPartContext last = parts.getLast();
        if (last.name() == null) {
            throw SyntaxErrors.at(last.getStart());
        }
        int end = parts.size() - 1;
        if (end > 0 && (parts.get(end - 1).FROM() != null || parts.get(end - 1).IN() != null)) {
            end--;
        }
        FetchDirection direction = FetchDirection.FORWARD;
        long count = 1;
        int next = 0;
        String word = end == 0 || parts.getFirst().name() == null ? "" : folded(parts.getFirst());
        switch (word) {
            case "next" -> next = 1;
            case "prior" -> {
                direction = FetchDirection.BACKWARD;
                next = 1;
            }
            case "first", "last" -> {
                direction = FetchDirection.ABSOLUTE;
                count = word.equals("first") ? 1 : -1;
                next = 1;
            }
            case "absolute", "relative" -> {
                direction =
                        word.equals("absolute") ? FetchDirection.ABSOLUTE : FetchDirection.RELATIVE;
                count = number(parts, 1, end);
                next = 2;
            }
            case "forward", "backward" -> {
                direction =
                        word.equals("forward") ? FetchDirection.FORWARD : FetchDirection.BACKWARD;
                next = 1;
                if (end > 1) {
                    count = rows(parts, end);
                    next = 2;
                }
            }
            default -> {
                if (end > 0) {
                    count = parts.getFirst().ALL() == null ? number(parts, 0, end) : Long.MAX_VALUE;
                    next = 1;
                }
            }
        }
        if (next < end) {
            throw SyntaxErrors.at(parts.get(next).getStart());
        }
        return new Statement.FetchCursor(
                NameBuilder.name(last.name()),
                direction,
                count,
                tree.MOVE() != null,
                NameBuilder.position(tree));
    }

    private static long rows(List<SqlGrammar.FetchPartContext> parts, int end) {
        return parts.get(1).ALL() == null ? number(parts, 1, end) : Long.MAX_VALUE;
    }

    /// The number at a place before the cursor's name.
    private static long number(List<SqlGrammar.FetchPartContext> parts, int at, int end) {
        SqlGrammar.FetchPartContext part = parts.get(at);
        if (at >= end || part.INTEGER() == null) {
            throw SyntaxErrors.at(part.getStart());
        }
        try {
            int number = Integer.parseInt(part.INTEGER().getText());
            return part.MINUS() == null ? number : -number;
        } catch (NumberFormatException e) {
            throw SyntaxErrors.at(part.getStop());
        }
    }

    private static String folded(SqlGrammar.FetchPartContext part) {
        return folded(part.name());
    }

    private static String folded(SqlGrammar.NameContext name) {
        return Keywords.folded(name.getText());
    }
}
