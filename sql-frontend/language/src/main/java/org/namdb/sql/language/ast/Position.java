package org.namdb.sql.language.ast;

/// A part of a statement's text.
///
/// @param offset index of its first character, from 0
/// @param length how many characters it has, at least 1
public record Position(int offset, int length) {
    /// Where nothing in the text stands for a thing.
    public static final Position NONE = new Position(0, 1);

    /// From the start of this part to the end of another.
    public Position to(Position end) {
        return new Position(offset, Math.max(length, end.offset() + end.length() - offset));
    }
}
