package org.namdb.sql.language.parser;

import java.util.List;
import org.antlr.v4.runtime.RuleContext;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.TokenSource;
import org.antlr.v4.runtime.TokenStream;
import org.antlr.v4.runtime.misc.Interval;
import org.jspecify.annotations.Nullable;

/// The tokens of one statement, as ANTLR needs them. The last one is a semicolon or the end of the
/// text.
final class StatementTokens implements TokenStream {
    private final String source;
    private final List<SqlToken> tokens;
    private int next;

    StatementTokens(String source, List<SqlToken> tokens) {
        this.source = source;
        this.tokens = tokens;
    }

    /// The text that the tokens are parts of.
    String source() {
        return source;
    }

    /// Whether there is nothing but the end.
    boolean isEmpty() {
        return tokens.size() == 1;
    }

    /// Whether the statement is the last of its text.
    boolean isLast() {
        return tokens.getLast().getType() == EOF;
    }

    @Override
    public SqlToken get(int index) {
        return tokens.get(index);
    }

    @Override
    public int LA(int offset) {
        return LT(offset).getType();
    }

    @Override
    public SqlToken LT(int offset) {
        int wanted = offset < 0 ? next + offset : next + offset - 1;
        return tokens.get(Math.clamp(wanted, 0, tokens.size() - 1));
    }

    @Override
    public void consume() {
        if (next < tokens.size() - 1) {
            next++;
        }
    }

    @Override
    public int mark() {
        return 0;
    }

    @Override
    public void release(int marker) {}

    @Override
    public int index() {
        return next;
    }

    @Override
    public void seek(int index) {
        next = Math.min(index, tokens.size() - 1);
    }

    @Override
    public int size() {
        return tokens.size();
    }

    @Override
    public String getSourceName() {
        return UNKNOWN_SOURCE_NAME;
    }

    @Override
    public @Nullable TokenSource getTokenSource() {
        return null;
    }

    @Override
    public String getText() {
        return source;
    }

    @Override
    public String getText(Interval interval) {
        return source.substring(get(interval.a).start(), get(interval.b).end());
    }

    @Override
    public String getText(RuleContext context) {
        return getText(context.getSourceInterval());
    }

    @Override
    public String getText(Token start, Token stop) {
        return source.substring(start.getStartIndex(), stop.getStopIndex() + 1);
    }
}
