package org.namdb.sql.language.parser;

/// Cuts SQL into lexemes. The parser, the shell's highlighting and the splitting of scripts all use
/// it, so that they agree on where a string ends. It never throws: what is no SQL is a lexeme with
/// a [Flaw].
final class SqlScanner {
    /// What a lexeme is.
    enum Kind {
        WORD,
        QUOTED_NAME,
        /// `'..'` or `U&'..'`, with further parts on the next lines.
        STRING,
        /// `E'..'`.
        ESCAPE_STRING,
        /// `$tag$..$tag$`.
        DOLLAR_STRING,
        INTEGER,
        DECIMAL,
        FLOAT,
        /// `?`
        QUESTION,
        /// `$1`
        DOLLAR_PARAMETER,
        /// One of the operators and signs, and runs of characters that PostgreSQL allows in
        /// operators.
        SIGN,
        COMMENT,
        STRAY,
        END
    }

    /// What is wrong with a lexeme.
    enum Flaw {
        NONE,
        /// The text ends in it.
        UNTERMINATED,
        /// A letter behind a number's digits.
        TRAILING_JUNK
    }

    private final String text;
    private final int limit;
    private int start;
    private int end;
    private Kind kind = Kind.END;
    private Flaw flaw = Flaw.NONE;

    SqlScanner(String text) {
        this(text, 0);
    }

    /// @param start where the first lexeme is searched
    SqlScanner(String text, int start) {
        this.text = text;
        this.limit = text.length();
        this.end = start;
    }

    int start() {
        return start;
    }

    int end() {
        return end;
    }

    Kind kind() {
        return kind;
    }

    Flaw flaw() {
        return flaw;
    }

    /// Goes to the next lexeme, comments included.
    Kind next() {
        int at = end;
        while (at < limit && isBlank(text.charAt(at))) {
            at++;
        }
        start = at;
        end = at;
        flaw = Flaw.NONE;
        kind = at == limit ? Kind.END : scan(text.charAt(at));
        return kind;
    }

    /// Goes to the next lexeme that is no comment; an unterminated comment is one.
    Kind nextSignificant() {
        do {
            next();
        } while (kind == Kind.COMMENT && flaw == Flaw.NONE);
        return kind;
    }

    private Kind scan(char first) {
        return switch (first) {
            case '\'' -> string(start + 1);
            case '"' -> quotedName();
            case '$' -> dollar();
            case '?' -> single(Kind.QUESTION);
            case '.' -> isDigit(at(1)) ? number() : signOf(at(1) == '.' ? 2 : 1);
            case '(', ')', '[', ']', ',', ';' -> single(Kind.SIGN);
            case ':' -> signOf(at(1) == ':' || at(1) == '=' ? 2 : 1);
            default -> other(first);
        };
    }

    private Kind other(char first) {
        if (isDigit(first)) {
            return number();
        }
        if ((first == 'e' || first == 'E') && at(1) == '\'') {
            return escapeString();
        }
        if ((first == 'u' || first == 'U') && at(1) == '&' && at(2) == '\'') {
            return string(start + 3);
        }
        if (isNameStart(first)) {
            return word();
        }
        if (first == '-' && at(1) == '-') {
            return lineComment();
        }
        if (first == '/' && at(1) == '*') {
            return blockComment();
        }
        return isOperator(first) ? operator() : single(Kind.STRAY);
    }

    private char at(int offset) {
        return start + offset < limit ? text.charAt(start + offset) : 0;
    }

    private Kind single(Kind what) {
        // A pair of surrogates is one character.
        end = start + Character.charCount(text.codePointAt(start));
        return what;
    }

    private Kind signOf(int length) {
        end = start + length;
        return Kind.SIGN;
    }

    private Kind word() {
        int at = start + 1;
        while (at < limit && isNamePart(text.charAt(at))) {
            at++;
        }
        end = at;
        return Kind.WORD;
    }

    private Kind unterminated(Kind what) {
        end = limit;
        flaw = Flaw.UNTERMINATED;
        return what;
    }

    /// Strings with nothing but blanks and a line end between them are one.
    private Kind string(int from) {
        int close = closing('\'', from);
        while (close >= 0) {
            end = close + 1;
            int next = continuation(end);
            if (next < 0) {
                return Kind.STRING;
            }
            close = closing('\'', next + 1);
        }
        return unterminated(Kind.STRING);
    }

    /// Where the string goes on behind a line end; -1 if it doesn't.
    private int continuation(int from) {
        boolean hasLineEnd = false;
        int at = from;
        while (at < limit && isBlank(text.charAt(at))) {
            hasLineEnd |= text.charAt(at) == '\n' || text.charAt(at) == '\r';
            at++;
        }
        return hasLineEnd && at < limit && text.charAt(at) == '\'' ? at : -1;
    }

    /// Where the quote is closed; doubled quotes stand for themselves.
    private int closing(char quote, int from) {
        int at = text.indexOf(quote, from);
        while (at >= 0 && at + 1 < limit && text.charAt(at + 1) == quote) {
            at = text.indexOf(quote, at + 2);
        }
        return at;
    }

    private Kind escapeString() {
        int at = start + 2;
        while (at < limit) {
            char c = text.charAt(at);
            if (c == '\\' || (c == '\'' && at + 1 < limit && text.charAt(at + 1) == '\'')) {
                at += 2;
            } else if (c == '\'') {
                end = at + 1;
                return Kind.ESCAPE_STRING;
            } else {
                at++;
            }
        }
        return unterminated(Kind.ESCAPE_STRING);
    }

    private Kind quotedName() {
        int close = closing('"', start + 1);
        if (close < 0) {
            return unterminated(Kind.QUOTED_NAME);
        }
        end = close + 1;
        return Kind.QUOTED_NAME;
    }

    private Kind dollar() {
        if (isDigit(at(1))) {
            end = digits(start + 1);
            junk();
            return Kind.DOLLAR_PARAMETER;
        }
        int tagEnd = start + 1;
        while (tagEnd < limit && isTagPart(text.charAt(tagEnd))) {
            tagEnd++;
        }
        if (tagEnd == limit || text.charAt(tagEnd) != '$') {
            return single(Kind.STRAY);
        }
        String tag = text.substring(start, tagEnd + 1);
        int close = text.indexOf(tag, tagEnd + 1);
        if (close < 0) {
            return unterminated(Kind.DOLLAR_STRING);
        }
        end = close + tag.length();
        return Kind.DOLLAR_STRING;
    }

    private Kind number() {
        Kind what = Kind.INTEGER;
        int at = digits(start);
        boolean isRange = text.startsWith("..", at); // 1..10, in PL/pgSQL
        if (at < limit && text.charAt(at) == '.' && !isRange) {
            what = Kind.DECIMAL;
            at = digits(at + 1);
        }
        int exponent = exponentEnd(at);
        if (exponent > at) {
            what = Kind.FLOAT;
            at = exponent;
        }
        end = at;
        junk();
        return what;
    }

    private int exponentEnd(int at) {
        if (at >= limit || (text.charAt(at) | 0x20) != 'e') {
            return at;
        }
        int sign = at + 1;
        if (sign < limit && (text.charAt(sign) == '+' || text.charAt(sign) == '-')) {
            sign++;
        }
        return sign < limit && isDigit(text.charAt(sign)) ? digits(sign) : at;
    }

    private int digits(int from) {
        int at = from;
        while (at < limit && isDigit(text.charAt(at))) {
            at++;
        }
        return at;
    }

    private void junk() {
        if (end < limit && isNameStart(text.charAt(end))) {
            end++;
            flaw = Flaw.TRAILING_JUNK;
        }
    }

    private Kind lineComment() {
        int at = start + 2;
        while (at < limit && text.charAt(at) != '\n' && text.charAt(at) != '\r') {
            at++;
        }
        end = at;
        return Kind.COMMENT;
    }

    /// Comments stand in each other.
    private Kind blockComment() {
        int depth = 1;
        int at = start + 2;
        while (at + 1 < limit) {
            char c = text.charAt(at);
            char d = text.charAt(at + 1);
            if (c == '*' && d == '/') {
                depth--;
                at += 2;
                if (depth == 0) {
                    end = at;
                    return Kind.COMMENT;
                }
            } else if (c == '/' && d == '*') {
                depth++;
                at += 2;
            } else {
                at++;
            }
        }
        return unterminated(Kind.COMMENT);
    }

    private Kind operator() {
        if (text.startsWith("||/", start) && !text.startsWith("||/*", start)) {
            return signOf(3);
        }
        String two = text.substring(start, Math.min(limit, start + 2));
        switch (two) {
            case "||", "<>", "!=", "<=", ">=", "=>", "==" -> {
                return signOf(2);
            }
            default -> {}
        }
        char first = at(0);
        if ("+*/%^=".indexOf(first) >= 0
                || (first == '-' && at(1) != '>')
                || ((first == '<' || first == '>') && "<>@&^|".indexOf(at(1)) < 0)) {
            return signOf(1);
        }
        int at = start + 1;
        while (at < limit
                && isOperator(text.charAt(at))
                && text.charAt(at) != '-'
                && !text.startsWith("/*", at)) {
            at++;
        }
        end = at;
        return Kind.SIGN;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isOperator(char c) {
        return "+-*/<>=~!@#%^&|`".indexOf(c) >= 0;
    }

    static boolean isNameStart(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || isLetter(c);
    }

    static boolean isNamePart(char c) {
        return isNameStart(c) || isDigit(c) || c == '$';
    }

    private static boolean isTagPart(char c) {
        return isNameStart(c) || isDigit(c);
    }

    /// As in PostgreSQL, all that is not ASCII may stand in names.
    private static boolean isLetter(char c) {
        return c >= 0x80;
    }
}
