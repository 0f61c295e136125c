package org.namdb.sql.language.ast;

/// An identifier: folded to lower case unless it was quoted.
///
/// @param text the name
/// @param position where it stands
public record Name(String text, Position position) {
    @Override
    public String toString() {
        return text;
    }
}
