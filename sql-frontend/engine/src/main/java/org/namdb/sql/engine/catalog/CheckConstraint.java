package org.namdb.sql.engine.catalog;

/// A CHECK constraint.
///
/// @param name its name
/// @param condition the condition, as SQL
public record CheckConstraint(String name, String condition) {}
