package org.namdb.sql.language.parser;

import org.antlr.v4.runtime.CharStream;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.TokenSource;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Position;

/// A token of a statement: a part of the text that was parsed.
final class SqlToken implements Token {
    private final String source;
    private final int start;
    private final int end;
    private final int index;
    private final int parameter;
    private int type;

    /// @param source the whole text
    /// @param start index of the first character
    /// @param end index behind the last one
    /// @param index the token's number in its statement
    /// @param parameter which parameter it is, from 0; -1 for other tokens
    SqlToken(String source, int type, int start, int end, int index, int parameter) {
        this.source = source;
        this.type = type;
        this.start = start;
        this.end = end;
        this.index = index;
        this.parameter = parameter;
    }

    /// The same at another place among the tokens of its statement.
    SqlToken at(int newIndex) {
        return newIndex == index
                ? this
                : new SqlToken(source, type, start, end, newIndex, parameter);
    }

    Position position() {
        return new Position(start, Math.max(1, end - start));
    }

    int start() {
        return start;
    }

    int end() {
        return end;
    }

    int parameter() {
        return parameter;
    }

    /// Gives it the type that its context requires.
    void retype(int newType) {
        type = newType;
    }

    @Override
    public String getText() {
        return source.substring(start, end);
    }

    @Override
    public int getType() {
        return type;
    }

    @Override
    public int getLine() {
        return 0;
    }

    @Override
    public int getCharPositionInLine() {
        return start;
    }

    @Override
    public int getChannel() {
        return DEFAULT_CHANNEL;
    }

    @Override
    public int getTokenIndex() {
        return index;
    }

    @Override
    public int getStartIndex() {
        return start;
    }

    @Override
    public int getStopIndex() {
        return end - 1;
    }

    @Override
    public @Nullable TokenSource getTokenSource() {
        return null;
    }

    @Override
    public @Nullable CharStream getInputStream() {
        return null;
    }

    @Override
    public String toString() {
        return getText();
    }
}
