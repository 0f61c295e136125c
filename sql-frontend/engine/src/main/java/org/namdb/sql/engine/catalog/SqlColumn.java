package org.namdb.sql.engine.catalog;

import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.schema.Column;
import org.namdb.sql.language.type.SqlType;

/// A column of a table, as SQL sees it.
///
/// @param name its name
/// @param type its type
/// @param isNullable whether it may be NULL
/// @param defaultText the expression of its DEFAULT as SQL; null if there is none
/// @param stored where the record keeps it
/// @param isHidden whether it is the row id of a table without a primary key, which no `*` shows
public record SqlColumn(
        String name,
        SqlType type,
        boolean isNullable,
        @Nullable String defaultText,
        Column stored,
        boolean isHidden) {}
