package org.namdb.sql.language.ast;

import java.util.List;

/// A type as written.
///
/// @param name the type's name in lower case, words separated by one blank, as `double precision`;
///     synonyms are not resolved
/// @param arguments what stands in parentheses behind it
/// @param inBytes whether a length is in bytes, as in `VARCHAR(24 BYTES)`
/// @param position where it stands
public record TypeName(String name, List<Integer> arguments, boolean inBytes, Position position) {
    public TypeName {
        arguments = List.copyOf(arguments);
    }
}
