package org.namdb.sql.shell;

/// What is open at the end of a line, and so what has to come before a statement can end.
public enum OpenText {
    /// A statement may begin.
    NOTHING("="),
    /// A statement has begun.
    STATEMENT("-"),
    /// A text in quotes.
    STRING("'"),
    /// A name in quotes.
    NAME("\""),
    /// A text in dollar quotes.
    DOLLAR_STRING("$"),
    /// A comment.
    COMMENT("*"),
    /// A parenthesis.
    PARENTHESIS("("),
    /// The data of a COPY, up to a line of `\.`.
    COPY_DATA(">");

    private final String sign;

    OpenText(String sign) {
        this.sign = sign;
    }

    /// The sign that stands for it in a prompt.
    public String sign() {
        return sign;
    }
}
