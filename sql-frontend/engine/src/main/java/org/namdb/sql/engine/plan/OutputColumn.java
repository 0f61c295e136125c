package org.namdb.sql.engine.plan;

import org.namdb.sql.language.type.SqlType;

/// A column of what an operator gives.
///
/// @param name its name, as a result shows it
/// @param type the type of its values
public record OutputColumn(String name, SqlType type) {}
