package org.namdb.sql.language.parser;

import java.util.Locale;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Token;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Makes the error of a statement that is no SQL: in PostgreSQL's words, at the token where the
/// parser stopped, with a hint where it's clear what was meant.
final class SyntaxErrors {
    private final StatementTokens tokens;
    private final int index;
    private final SqlToken token;

    private SyntaxErrors(StatementTokens tokens, int index) {
        this.tokens = tokens;
        this.index = index;
        this.token = tokens.get(index);
    }

    /// The error at the token where the parser gave up.
    static SqlException of(StatementTokens tokens, @Nullable Throwable cause) {
        int index = tokens.index();
        if (cause instanceof RecognitionException e && e.getOffendingToken() != null) {
            index = e.getOffendingToken().getTokenIndex();
        }
        return new SyntaxErrors(tokens, index).error();
    }

    /// A syntax error at a token, without a hint.
    static SqlException at(Token token) {
        SqlToken found = (SqlToken) token;
        return syntaxError("syntax error " + near(found), found);
    }

    private static SqlException syntaxError(String message, SqlToken token) {
        return new SqlException(SqlState.SYNTAX_ERROR, message, token.position());
    }

    private static String near(SqlToken token) {
        return token.getType() == Token.EOF
                ? "at end of input"
                : "at or near \"" + token.getText() + '"';
    }

    private SqlException error() {
        SqlException flaw = flaw();
        if (flaw != null) {
            return flaw;
        }
        SqlException unsupported = Unsupported.construct(tokens, index);
        if (unsupported != null) {
            return unsupported;
        }
        SqlException error = at(token);
        String hint = new SyntaxHints(tokens, index).hint();
        return hint == null ? error : error.withHint(hint);
    }

    /// The error of a token that is none of SQL's; null if it is one.
    private @Nullable SqlException flaw() {
        return switch (token.getType()) {
            case SqlGrammar.UNTERMINATED_STRING ->
                    unterminated("quoted string", "The string starts", "ends with '");
            case SqlGrammar.UNTERMINATED_DOLLAR_STRING ->
                    unterminated(
                            "dollar-quoted string",
                            "The string starts",
                            "ends with the same tag between dollar signs");
            case SqlGrammar.UNTERMINATED_NAME ->
                    unterminated("quoted identifier", "The name starts", "ends with \"");
            case SqlGrammar.UNTERMINATED_COMMENT ->
                    unterminated("/* comment", "The comment starts", "ends with */");
            case SqlGrammar.EMPTY_NAME ->
                    syntaxError("zero-length delimited identifier " + near(token), token);
            case SqlGrammar.TRAILING_JUNK ->
                    syntaxError(
                            "trailing junk after "
                                    + (token.getText().startsWith("$")
                                            ? "parameter "
                                            : "numeric literal ")
                                    + near(token),
                            token);
            case SqlGrammar.MIXED_PARAMETER ->
                    syntaxError("parameters ? and $n can't be mixed in one statement", token);
            default -> null;
        };
    }

    private SqlException unterminated(String what, String starts, String ends) {
        String found = token.getText();
        String shown = found.length() <= 40 ? found : found.substring(0, 40) + "...";
        int line = lineOf(tokens.source(), token.start());
        return syntaxError("unterminated " + what + " at or near \"" + shown + '"', token)
                .withHint(
                        String.format(
                                Locale.ROOT,
                                "%s at line %d, column %d and %s.",
                                starts,
                                line,
                                columnOf(tokens.source(), token.start()),
                                ends));
    }

    /// The line of a place, from 1.
    static int lineOf(String text, int offset) {
        return 1 + (int) text.substring(0, offset).chars().filter(c -> c == '\n').count();
    }

    /// The column of a place in characters, from 1.
    static int columnOf(String text, int offset) {
        return text.codePointCount(text.lastIndexOf('\n', offset - 1) + 1, offset) + 1;
    }
}
