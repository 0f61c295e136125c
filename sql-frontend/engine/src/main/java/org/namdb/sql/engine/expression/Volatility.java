package org.namdb.sql.engine.expression;

/// How long an expression keeps its value if its operands keep theirs.
public enum Volatility {
    /// For ever: it can be computed when the statement is planned.
    IMMUTABLE,
    /// For one execution of the statement: `current_date`, a parameter, a column of the
    /// current tuple.
    STABLE,
    /// It may change with every evaluation: `random()`.
    VOLATILE
}
