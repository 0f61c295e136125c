package org.namdb.sql.language.result;

import org.namdb.sql.language.type.SqlType;

/// A column of a result.
///
/// @param name its name
/// @param type the type of its values
public record ResultColumn(String name, SqlType type) {}
