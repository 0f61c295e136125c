package org.namdb.sql;

import org.namdb.sql.type.SqlType;

/// A column of a result.
///
/// @param name its name
/// @param type the type of its values
public record ResultColumn(String name, SqlType type) {}
