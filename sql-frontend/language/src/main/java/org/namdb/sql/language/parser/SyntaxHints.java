package org.namdb.sql.language.parser;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Set;
import org.antlr.v4.runtime.Token;
import org.jspecify.annotations.Nullable;

/// Guesses what was meant where the parser stopped.
final class SyntaxHints {
    /// How far before the error a misspelt word is searched: `SELECT a FORM t` stops at `t`.
    private static final int WORDS_BEFORE = 2;

    private static final int MIN_GUESS = 3;

    /// Names that are one letter off a keyword, and right.
    private static final Set<String> USUAL_NAMES = Set.of("int", "text", "date", "real", "name");

    private final StatementTokens tokens;
    private final int index;

    SyntaxHints(StatementTokens tokens, int index) {
        this.tokens = tokens;
        this.index = index;
    }

    /// A sentence for the user; null if nothing is clear.
    @Nullable String hint() {
        String hint = parenthesis();
        if (hint == null) {
            hint = misspelt();
        }
        if (hint == null) {
            hint = reserved();
        }
        return hint == null ? missingComma() : hint;
    }

    private int type(int i) {
        return i < 0 ? Token.EOF : tokens.get(i).getType();
    }

    private boolean isEnd() {
        return type(index) == Token.EOF || type(index) == SqlGrammar.SEMICOLON;
    }

    /// Whether a word that begins the next part of a statement stands there.
    private boolean isClause() {
        return switch (type(index)) {
            case SqlGrammar.VALUES,
                    SqlGrammar.SELECT,
                    SqlGrammar.FROM,
                    SqlGrammar.WHERE,
                    SqlGrammar.GROUP,
                    SqlGrammar.ORDER ->
                    true;
            default -> false;
        };
    }

    private @Nullable String parenthesis() {
        Deque<SqlToken> open = open();
        if ((isEnd() || isClause()) && !open.isEmpty() && endsOperand(type(index - 1))) {
            SqlToken last = open.element();
            return String.format(
                    Locale.ROOT,
                    "The parenthesis at line %d, column %d is not closed.",
                    SyntaxErrors.lineOf(tokens.source(), last.start()),
                    SyntaxErrors.columnOf(tokens.source(), last.start()));
        }
        return type(index) == SqlGrammar.RPAREN && open.isEmpty()
                ? "No parenthesis is open here."
                : null;
    }

    /// The parentheses that are open before the error, the innermost first.
    private Deque<SqlToken> open() {
        Deque<SqlToken> open = new ArrayDeque<>();
        for (int i = 0; i < index; i++) {
            switch (type(i)) {
                case SqlGrammar.LPAREN, SqlGrammar.QUERY_LPAREN -> open.push(tokens.get(i));
                case SqlGrammar.RPAREN -> open.poll();
                default -> {}
            }
        }
        return open;
    }

    private @Nullable String misspelt() {
        for (int i = index; i >= Math.max(0, index - WORDS_BEFORE); i--) {
            String keyword = type(i) == SqlGrammar.IDENTIFIER ? nearKeyword(i) : null;
            if (keyword != null) {
                return "Did you mean " + keyword.toUpperCase(Locale.ROOT) + "?";
            }
        }
        return null;
    }

    private @Nullable String nearKeyword(int i) {
        String word = Keywords.folded(tokens.get(i).getText());
        if (word.length() < MIN_GUESS || USUAL_NAMES.contains(word)) {
            return null;
        }
        String best = null;
        for (String keyword : Keywords.all()) {
            if (keyword.length() >= MIN_GUESS && isOneSlipFrom(word, keyword)) {
                best = best == null || isBetter(keyword, best, word) ? keyword : best;
            }
        }
        return best;
    }

    /// Exchanged letters are likelier than a wrong one, and reserved words than others.
    private static boolean isBetter(String keyword, String best, String word) {
        return rank(keyword, word) > rank(best, word);
    }

    private static int rank(String keyword, String word) {
        return (Keywords.reserved().contains(keyword) ? 1 : 0)
                + (keyword.length() == word.length() ? 1 : 0);
    }

    /// Whether one letter is wrong, missing or too much, or two neighbours are exchanged.
    static boolean isOneSlipFrom(String word, String keyword) {
        int shorter = Math.min(word.length(), keyword.length());
        int same = 0;
        while (same < shorter && word.charAt(same) == keyword.charAt(same)) {
            same++;
        }
        String a = word.substring(same);
        String b = keyword.substring(same);
        return switch (a.length() - b.length()) {
            case 0 -> !a.isEmpty() && (a.substring(1).equals(b.substring(1)) || isExchanged(a, b));
            case 1 -> a.substring(1).equals(b);
            case -1 -> b.substring(1).equals(a);
            default -> false;
        };
    }

    private static boolean isExchanged(String a, String b) {
        return a.length() >= 2
                && a.charAt(0) == b.charAt(1)
                && a.charAt(1) == b.charAt(0)
                && a.substring(2).equals(b.substring(2));
    }

    private @Nullable String reserved() {
        String word = Keywords.folded(tokens.get(index).getText());
        boolean wantsName =
                switch (type(index - 1)) {
                    case SqlGrammar.TABLE,
                            SqlGrammar.FROM,
                            SqlGrammar.INTO,
                            SqlGrammar.UPDATE,
                            SqlGrammar.JOIN,
                            SqlGrammar.COMMA,
                            SqlGrammar.LPAREN,
                            SqlGrammar.DOT,
                            SqlGrammar.COLUMN,
                            SqlGrammar.SET ->
                            true;
                    default -> false;
                };
        return wantsName && Keywords.reserved().contains(word)
                ? String.format(
                        "\"%s\" is a reserved word: as a name it stands in double quotes.", word)
                : null;
    }

    private @Nullable String missingComma() {
        return startsOperand(type(index)) && endsOperand(type(index - 1)) && !open().isEmpty()
                ? "A comma or an operator may be missing before it."
                : null;
    }

    private static boolean startsOperand(int type) {
        return type == SqlGrammar.LPAREN || (endsOperand(type) && type != SqlGrammar.RPAREN);
    }

    private static boolean endsOperand(int type) {
        return switch (type) {
            case SqlGrammar.IDENTIFIER,
                    SqlGrammar.QUOTED_IDENTIFIER,
                    SqlGrammar.STRING,
                    SqlGrammar.INTEGER,
                    SqlGrammar.DECIMAL,
                    SqlGrammar.FLOAT,
                    SqlGrammar.PARAMETER,
                    SqlGrammar.NULL,
                    SqlGrammar.TRUE,
                    SqlGrammar.FALSE,
                    SqlGrammar.RPAREN ->
                    true;
            default -> false;
        };
    }
}
