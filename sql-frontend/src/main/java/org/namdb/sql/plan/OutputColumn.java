package org.namdb.sql.plan;

import org.namdb.sql.type.SqlType;

/// A column of what an operator gives.
///
/// @param name its name, as a result shows it
/// @param type the type of its values
public record OutputColumn(String name, SqlType type) {}
