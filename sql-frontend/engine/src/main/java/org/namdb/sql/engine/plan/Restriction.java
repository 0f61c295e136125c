package org.namdb.sql.engine.plan;

import java.util.List;
import org.namdb.sql.engine.expression.Scalar;

/// What a condition requires of one column, in a form that an access path can use.
sealed interface Restriction {
    /// The field that is restricted.
    int field();

    /// The condition that requires it.
    Scalar condition();

    /// The column has one of these values. One of them may be a [NullKey].
    ///
    /// @param isExact whether looking the values up leaves nothing of the condition to check
    record Equal(int field, List<Scalar> values, Scalar condition, boolean isExact)
            implements Restriction {}

    /// The column is not less than this.
    record Low(int field, Scalar value, Scalar condition) implements Restriction {}

    /// The column is not greater than this.
    record High(int field, Scalar value, Scalar condition) implements Restriction {}

    /// The column begins with this text, which is not empty if it is a constant.
    ///
    /// @param isExact whether nothing of the condition is left to check
    record Start(int field, Scalar text, Scalar condition, boolean isExact)
            implements Restriction {}

    /// The column is not NULL.
    record Present(int field, Scalar condition) implements Restriction {}
}
