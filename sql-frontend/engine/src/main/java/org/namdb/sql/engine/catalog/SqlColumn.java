package org.namdb.sql.engine.catalog;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.schema.Column;
import org.namdb.sql.language.type.SqlType;

/// A column of a table, as SQL sees it.
///
/// @param name its name
/// @param type its type
/// @param isNullable whether it may be NULL
/// @param defaultText the expression of its DEFAULT as SQL, or what its values are made of if it is
///     a generated column; null if there is none
/// @param identity null if it is no identity column
/// @param stored where the record keeps it
/// @param isHidden whether it is the row id of a table without a primary key, which no `*` shows
/// @param isGenerated whether its values are made of those of other columns
public record SqlColumn(
        String name,
        SqlType type,
        boolean isNullable,
        @Nullable String defaultText,
        @Nullable Identity identity,
        Column stored,
        boolean isHidden,
        boolean isGenerated) {
    /// One that is no generated column.
    public SqlColumn(
            String name,
            SqlType type,
            boolean isNullable,
            @Nullable String defaultText,
            @Nullable Identity identity,
            Column stored,
            boolean isHidden) {
        this(name, type, isNullable, defaultText, identity, stored, isHidden, false);
    }

    /// What makes a column an identity column.
    ///
    /// @param isAlways whether values that are given are refused
    /// @param sequence the name of the sequence that its values come from
    public record Identity(boolean isAlways, String sequence) {}

    private static final Pattern STRING_CONSTANT = Pattern.compile("'(?:[^']|'')*'");

    /// The default as the catalogs show it: where it is a string constant, with its type. Null if
    /// there is none.
    public @Nullable String shownDefault() {
        boolean isTyped =
                defaultText != null
                        && (type.category() == SqlType.Category.STRING
                                || type.category() == SqlType.Category.DATETIME)
                        && STRING_CONSTANT.matcher(defaultText).matches();
        String typeName = type.kind() == SqlType.Kind.CHAR ? "bpchar" : type.name();
        return isTyped ? defaultText + "::" + typeName : defaultText;
    }
}
