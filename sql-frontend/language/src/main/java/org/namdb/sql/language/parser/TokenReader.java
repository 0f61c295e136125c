package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.antlr.v4.runtime.Token;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Reads the tokens of one statement after the other: lexemes with the types of the grammar.
final class TokenReader {
    /// Parameters of a statement are numbered from 1 to this, as in PostgreSQL's protocol.
    static final int MAX_PARAMETERS = 65_535;

    private static final Map<String, Integer> SIGNS = signs();

    private final String text;
    private final SqlScanner scanner;
    private List<SqlToken> tokens = new ArrayList<>();
    private int questions;
    private boolean hasNumbered;

    TokenReader(String text) {
        this.text = text;
        this.scanner = new SqlScanner(text);
    }

    /// The tokens up to the next semicolon or the end of the text, either included.
    StatementTokens next() {
        tokens = new ArrayList<>();
        questions = 0;
        hasNumbered = false;
        int type;
        do {
            SqlScanner.Kind kind = scanner.nextSignificant();
            type = type(kind);
            tokens.add(
                    new SqlToken(
                            text,
                            type,
                            scanner.start(),
                            scanner.end(),
                            tokens.size(),
                            parameter(kind)));
        } while (type != SqlGrammar.SEMICOLON && type != Token.EOF);
        tokens = withPlainOperators(tokens);
        Bracketing.mark(tokens);
        return new StatementTokens(text, tokens);
    }

    /// `OPERATOR(pg_catalog.~)`, as psql writes it, is the operator alone.
    ///
    /// @throws SqlException 3F000 if there is no such schema, 42883 if it has no operators
    private List<SqlToken> withPlainOperators(List<SqlToken> read) {
        if (read.stream().noneMatch(TokenReader::isOperatorWord)) {
            return read;
        }
        List<SqlToken> plain = new ArrayList<>();
        for (int i = 0; i < read.size(); i++) {
            SqlToken token = read.get(i);
            int sign = isOperatorWord(token) ? sign(read, i) : i;
            i = sign > i ? sign + 1 : i; // the parenthesis behind it
            plain.add(read.get(sign).at(plain.size()));
        }
        return plain;
    }

    private static boolean isOperatorWord(SqlToken token) {
        return token.getType() == SqlGrammar.IDENTIFIER
                && Keywords.folded(token.getText()).equals("operator");
    }

    /// Where the operator stands that the word at an index begins; the index if it is another word.
    private static int sign(List<SqlToken> read, int index) {
        int sign = index + 2;
        if (index + 5 < read.size() && read.get(index + 3).getType() == SqlGrammar.DOT) {
            sign = index + 4;
        }
        boolean isOne =
                sign + 1 < read.size()
                        && read.get(index + 1).getType() == SqlGrammar.LPAREN
                        && SIGNS.containsKey(read.get(sign).getText())
                        && read.get(sign + 1).getType() == SqlGrammar.RPAREN;
        if (isOne && sign == index + 4) {
            requireOperators(read.get(index + 2), read.get(sign).getText());
        }
        return isOne ? sign : index;
    }

    private static void requireOperators(SqlToken schema, String sign) {
        String name = Keywords.folded(schema.getText()).replace("\"", "");
        switch (name) {
            case "pg_catalog" -> {}
            case "public", "information_schema" ->
                    throw new SqlException(
                            SqlState.UNDEFINED_FUNCTION,
                            "operator does not exist: " + name + "." + sign,
                            schema.position());
            default ->
                    throw new SqlException(
                            SqlState.UNDEFINED_SCHEMA,
                            "schema \"" + name + "\" does not exist",
                            schema.position());
        }
    }

    private int type(SqlScanner.Kind kind) {
        return switch (scanner.flaw()) {
            case NONE -> soundType(kind);
            case TRAILING_JUNK -> SqlGrammar.TRAILING_JUNK;
            case UNTERMINATED -> unterminatedType(kind);
        };
    }

    private static int unterminatedType(SqlScanner.Kind kind) {
        return switch (kind) {
            case COMMENT -> SqlGrammar.UNTERMINATED_COMMENT;
            case QUOTED_NAME -> SqlGrammar.UNTERMINATED_NAME;
            case DOLLAR_STRING -> SqlGrammar.UNTERMINATED_DOLLAR_STRING;
            case STRING,
                    ESCAPE_STRING,
                    WORD,
                    INTEGER,
                    DECIMAL,
                    FLOAT,
                    QUESTION,
                    DOLLAR_PARAMETER,
                    SIGN,
                    STRAY,
                    END ->
                    SqlGrammar.UNTERMINATED_STRING;
        };
    }

    private int soundType(SqlScanner.Kind kind) {
        return switch (kind) {
            case WORD -> wordType();
            case QUOTED_NAME ->
                    scanner.end() - scanner.start() == 2
                            ? SqlGrammar.EMPTY_NAME
                            : SqlGrammar.QUOTED_IDENTIFIER;
            case STRING, ESCAPE_STRING, DOLLAR_STRING -> SqlGrammar.STRING;
            case INTEGER -> SqlGrammar.INTEGER;
            case DECIMAL -> SqlGrammar.DECIMAL;
            case FLOAT -> SqlGrammar.FLOAT;
            case QUESTION -> hasNumbered ? SqlGrammar.MIXED_PARAMETER : SqlGrammar.PARAMETER;
            case DOLLAR_PARAMETER ->
                    questions > 0 ? SqlGrammar.MIXED_PARAMETER : SqlGrammar.PARAMETER;
            case SIGN -> signType();
            case STRAY, COMMENT -> SqlGrammar.STRAY_CHARACTER;
            case END -> Token.EOF;
        };
    }

    private int wordType() {
        Integer type =
                Keywords.type(Keywords.folded(text.substring(scanner.start(), scanner.end())));
        return type == null ? SqlGrammar.IDENTIFIER : type;
    }

    private int signType() {
        String sign = text.substring(scanner.start(), scanner.end());
        if (sign.equals("&") && isUnicodeString()) {
            return SqlGrammar.OTHER_OPERATOR;
        }
        Integer type = SIGNS.get(sign);
        return type == null ? SqlGrammar.OTHER_OPERATOR : type;
    }

    /// `U&'..'` is no operator.
    private boolean isUnicodeString() {
        int before = scanner.start() - 1;
        int behind = scanner.end();
        return before >= 0
                && (text.charAt(before) == 'u' || text.charAt(before) == 'U')
                && behind < text.length()
                && (text.charAt(behind) == '\'' || text.charAt(behind) == '"');
    }

    /// The number of the parameter that the lexeme is, from 0; -1 if it is none, or has a number
    /// that no parameter has.
    private int parameter(SqlScanner.Kind kind) {
        if (kind == SqlScanner.Kind.QUESTION) {
            return questions++;
        }
        if (kind != SqlScanner.Kind.DOLLAR_PARAMETER || scanner.flaw() != SqlScanner.Flaw.NONE) {
            return -1;
        }
        hasNumbered = true;
        String digits = text.substring(scanner.start() + 1, scanner.end());
        // More digits than any number of a parameter has.
        int number = digits.length() > 6 ? MAX_PARAMETERS + 1 : Integer.parseInt(digits);
        return number > MAX_PARAMETERS ? -1 : number - 1;
    }

    private static Map<String, Integer> signs() {
        Map<String, Integer> signs = new HashMap<>();
        signs.put("(", SqlGrammar.LPAREN);
        signs.put(")", SqlGrammar.RPAREN);
        signs.put("[", SqlGrammar.LBRACKET);
        signs.put("]", SqlGrammar.RBRACKET);
        signs.put(",", SqlGrammar.COMMA);
        signs.put(";", SqlGrammar.SEMICOLON);
        signs.put(".", SqlGrammar.DOT);
        signs.put(":", SqlGrammar.COLON);
        signs.put("::", SqlGrammar.CAST_TO);
        signs.put("+", SqlGrammar.PLUS);
        signs.put("-", SqlGrammar.MINUS);
        signs.put("*", SqlGrammar.STAR);
        signs.put("/", SqlGrammar.SLASH);
        signs.put("%", SqlGrammar.PERCENT);
        signs.put("^", SqlGrammar.CARET);
        signs.put("||", SqlGrammar.CONCAT);
        signs.put("&", SqlGrammar.MATCHES);
        signs.put("|", SqlGrammar.MATCHES);
        signs.put("#", SqlGrammar.MATCHES);
        signs.put("@", SqlGrammar.MATCHES);
        signs.put("|/", SqlGrammar.MATCHES);
        signs.put("||/", SqlGrammar.MATCHES);
        signs.put("&&", SqlGrammar.MATCHES);
        signs.put("<<", SqlGrammar.MATCHES);
        signs.put(">>", SqlGrammar.MATCHES);
        signs.put("@>", SqlGrammar.MATCHES);
        signs.put("<@", SqlGrammar.MATCHES);
        signs.put("~", SqlGrammar.MATCHES);
        signs.put("~*", SqlGrammar.MATCHES);
        signs.put("!~", SqlGrammar.MATCHES);
        signs.put("!~*", SqlGrammar.MATCHES);
        signs.put("~~", SqlGrammar.MATCHES);
        signs.put("~~*", SqlGrammar.MATCHES);
        signs.put("!~~", SqlGrammar.MATCHES);
        signs.put("!~~*", SqlGrammar.MATCHES);
        signs.put("=", SqlGrammar.EQUAL);
        signs.put("<>", SqlGrammar.NOT_EQUAL);
        signs.put("!=", SqlGrammar.NOT_EQUAL);
        signs.put("<", SqlGrammar.LESS);
        signs.put("<=", SqlGrammar.LESS_EQUAL);
        signs.put(">", SqlGrammar.GREATER);
        signs.put(">=", SqlGrammar.GREATER_EQUAL);
        return Map.copyOf(signs);
    }
}
