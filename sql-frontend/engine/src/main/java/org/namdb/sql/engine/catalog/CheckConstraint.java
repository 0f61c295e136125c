package org.namdb.sql.engine.catalog;

/// A CHECK constraint.
///
/// @param name its name
/// @param condition the condition, as SQL
/// @param isValid whether all rows fulfil it; if not, those that were there before it may not
public record CheckConstraint(String name, String condition, boolean isValid) {
    /// One that all rows fulfil.
    public CheckConstraint(String name, String condition) {
        this(name, condition, true);
    }

    /// The same with another condition.
    public CheckConstraint withCondition(String other) {
        return new CheckConstraint(name, other, isValid);
    }
}
