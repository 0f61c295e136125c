package org.namdb.sql.engine.expression.cast;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Constants;
import org.namdb.sql.engine.expression.ParameterScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Unary;
import org.namdb.sql.engine.expression.cast.Conversion.Level;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlArray;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.SqlType.Kind;
import org.namdb.sql.language.type.TextParser;

/// Makes expressions of one type those of another. A parameter without a type takes the one that it
/// is cast to; a string literal is read as a value of it at once. A cast that changes no value
/// leaves the expression as it is.
public final class Casts {
    private Casts() {}

    /// `CAST(a AS type)`. Strings that are too long are cut.
    ///
    /// @throws SqlException 42846 if there is no such cast; 22P02 and others if a literal is none
    ///     of the type
    public static Scalar explicit(Scalar operand, SqlType type) {
        Scalar result = convert(operand, type, Level.EXPLICIT);
        if (result == null) {
            throw impossible(operand.type(), type);
        }
        boolean shows = !result.type().equals(type) && !(result instanceof ParameterScalar);
        return shows ? relabelled(result, type) : result;
    }

    /// The error of a cast between types that have none.
    public static SqlException impossible(SqlType from, SqlType to) {
        return new SqlException(
                SqlState.CANNOT_COERCE, "cannot cast type " + from.name() + " to " + to.name());
    }

    /// The value as a column of this type takes it. Strings that are too long are an error.
    ///
    /// @throws SqlException 42804 if the types don't go together
    public static Scalar assignment(Scalar operand, SqlType type, String column) {
        Scalar result = convert(operand, type, Level.ASSIGNMENT);
        if (result == null) {
            throw new SqlException(
                            SqlState.DATATYPE_MISMATCH,
                            "column \""
                                    + column
                                    + "\" is of type "
                                    + type.name()
                                    + " but expression is of type "
                                    + operand.type().name())
                    .withHint("You will need to rewrite or cast the expression.");
        }
        return result;
    }

    /// The value as one of this type, where the context requires it and no value is lost.
    ///
    /// @throws SqlException 42804 if the types don't go together
    public static Scalar implicit(Scalar operand, SqlType type) {
        Scalar result = convert(operand, type, Level.IMPLICIT);
        if (result == null) {
            throw new SqlException(
                    SqlState.DATATYPE_MISMATCH,
                    "expression is of type "
                            + operand.type().name()
                            + " but type "
                            + type.name()
                            + " is needed");
        }
        return result;
    }

    /// The column of dates or timestamps that a scalar casts to a timestamp or a moment; null if it
    /// does something else.
    public static @Nullable ColumnScalar datetimeColumn(Scalar scalar) {
        return scalar instanceof CastScalar cast
                        && (cast.type().kind() == Kind.TIMESTAMP
                                || cast.type().kind() == Kind.TIMESTAMPTZ)
                        && cast.operands().getFirst() instanceof ColumnScalar column
                        && (column.type().kind() == Kind.DATE
                                || column.type().kind() == Kind.TIMESTAMP)
                ? column
                : null;
    }

    /// A condition: the operand as BOOLEAN.
    ///
    /// @param construct what requires it, as `WHERE` or `AND`
    /// @throws SqlException 42804 if it is none
    public static Scalar condition(Scalar operand, String construct) {
        Scalar result = convert(operand, SqlType.BOOLEAN, Level.IMPLICIT);
        if (result == null) {
            throw new SqlException(
                    SqlState.DATATYPE_MISMATCH,
                    "argument of "
                            + construct
                            + " must be type boolean, not type "
                            + operand.type().name());
        }
        return result;
    }

    /// Whether values of one type are converted to another implicitly.
    public static boolean isImplicit(SqlType from, SqlType to) {
        return isAllowed(from, to, Level.IMPLICIT);
    }

    private static boolean isAllowed(SqlType from, SqlType to, Level level) {
        if (from.isArray() && to.isArray()) {
            return isAllowed(from.element(), to.element(), level);
        }
        if (from.kind() == to.kind() || from.isUnknown()) {
            return true;
        }
        Conversion conversion = Conversion.find(from, to);
        return conversion != null && conversion.level().compareTo(level) <= 0;
    }

    /// The type that all of these can be: of the branches of CASE, the rows of VALUES, the sides of
    /// UNION. TEXT if all are UNKNOWN. What has no type has no length either, so that it isn't
    /// filled up.
    ///
    /// @param construct what requires it, as `UNION` or `CASE`
    /// @throws SqlException 42804 if there is none
    public static SqlType commonType(String construct, List<Scalar> operands) {
        SqlType common = null;
        boolean areKnown = true;
        for (Scalar operand : operands) {
            SqlType type = operand.type();
            if (type.isUnknown()) {
                areKnown = false;
                continue;
            }
            common = common == null ? type : wider(construct, common, type);
        }
        if (common == null) {
            return SqlType.TEXT;
        }
        return common.kind() == Kind.CHAR && !areKnown ? SqlType.BPCHAR : common;
    }

    /// The type that both can be.
    ///
    /// @throws SqlException 42804 if there is none
    public static SqlType wider(String construct, SqlType a, SqlType b) {
        if (a.equals(b)) {
            return a;
        }
        // Of strings the first one decides, as each is the others' equal.
        if (a.isString() && b.isString()) {
            return a.kind() == Kind.CHAR ? SqlType.BPCHAR : a.unbounded();
        }
        if (a.isArray() && b.isArray()) {
            boolean isWider = isImplicit(a, b);
            if (!isWider && !isImplicit(b, a)) {
                throw unmatched(construct, a, b);
            }
            return (isWider ? b : a).unbounded();
        }
        if (a.kind() == b.kind()) {
            return a.unbounded();
        }
        if (a.category() != b.category() || a.category() == SqlType.Category.OTHER) {
            throw unmatched(construct, a, b);
        }
        if (isImplicit(a, b)) {
            return b.unbounded();
        }
        if (isImplicit(b, a)) {
            return a.unbounded();
        }
        throw unmatched(construct, a, b);
    }

    private static SqlException unmatched(String construct, SqlType a, SqlType b) {
        return new SqlException(
                SqlState.DATATYPE_MISMATCH,
                construct + " types " + a.name() + " and " + b.name() + " cannot be matched");
    }

    /// A value of the type's kind, which has come from outside, with the type's length and scale:
    /// as a column takes it.
    ///
    /// @throws SqlException 22001 or 22003 if it doesn't fit
    public static Object fitted(Object value, SqlType type) {
        Unary fit = Bounds.fit(type.unbounded(), type, false);
        Object result = fit == null ? value : fit.apply(value);
        return Objects.requireNonNull(result);
    }

    /// The operand as one of the type; null if there is no way that this level allows.
    private static @Nullable Scalar convert(Scalar operand, SqlType to, Level level) {
        if (operand instanceof ParameterScalar parameter && parameter.type().isUnknown()) {
            parameter.infer(to);
        }
        SqlType from = operand.type();
        boolean truncates = level == Level.EXPLICIT;
        if (from.isUnknown() && operand instanceof ConstantScalar constant) {
            return literal(constant, to, truncates);
        }
        if (from.isArray() && to.isArray()) {
            return arrays(operand, to, level);
        }
        Unary change = null;
        ZonedUnary zoned = null;
        if (from.kind() != to.kind()) {
            Conversion conversion = Conversion.find(from, to);
            boolean isAllowed =
                    conversion != null
                            && (from.isUnknown() || conversion.level().compareTo(level) <= 0);
            if (conversion == null || !isAllowed) {
                return null;
            }
            change = conversion.function();
            zoned = conversion.zoned();
        }
        Unary fit = Bounds.fit(from, to, truncates);
        if (zoned != null) {
            return new CastScalar(operand, to, zoned, fit == null ? v -> v : fit, truncates);
        }
        return with(operand, both(change, fit), to, truncates);
    }

    /// Each element is converted as it would be by itself.
    private static @Nullable Scalar arrays(Scalar operand, SqlType to, Level level) {
        SqlType from = operand.type().element();
        SqlType element = to.element();
        boolean truncates = level == Level.EXPLICIT;
        if (operand.type().equals(to)) {
            return operand;
        }
        Conversion conversion =
                from.kind() == element.kind() ? null : Conversion.find(from, element);
        if (from.kind() != element.kind()
                && (conversion == null || conversion.level().compareTo(level) > 0)) {
            return null;
        }
        Unary change = conversion == null ? null : conversion.function();
        ZonedUnary zoned = conversion == null ? null : conversion.zoned();
        Unary each = both(change, Bounds.fit(from, element, truncates));
        Unary all = each == null ? v -> v : each;
        if (zoned != null) {
            ZonedUnary ofArray =
                    (v, zone) -> mapped((SqlArray) v, element, x -> zoned.apply(x, zone));
            return new CastScalar(
                    operand, to, ofArray, v -> mapped((SqlArray) v, element, all), truncates);
        }
        return with(operand, v -> mapped((SqlArray) v, element, all), to, truncates);
    }

    /// The array with another value for each that is not NULL.
    static SqlArray mapped(SqlArray array, SqlType element, Unary change) {
        List<@Nullable Object> values = new ArrayList<>(array.values().size());
        for (Object value : array.values()) {
            values.add(value == null ? null : change.apply(value));
        }
        return new SqlArray(element, values);
    }

    private static Scalar with(
            Scalar operand, @Nullable Unary change, SqlType to, boolean truncates) {
        if (change == null) {
            return operand;
        }
        return Constants.fold(new CastScalar(operand, to, null, change, truncates));
    }

    private static @Nullable Unary both(@Nullable Unary first, @Nullable Unary second) {
        if (first == null || second == null) {
            return first == null ? second : first;
        }
        return v -> {
            Object between = first.apply(v);
            return between == null ? null : second.apply(between);
        };
    }

    private static Scalar literal(ConstantScalar constant, SqlType to, boolean truncates) {
        Object value = constant.value();
        if (value != null && TextParser.isZoned((String) value, to)) {
            ZonedUnary parse = (text, zone) -> TextParser.parse((String) text, to, zone);
            return new CastScalar(constant, to, parse, v -> v, truncates);
        }
        if (value != null) {
            value = TextParser.parse((String) value, to);
            Unary fit = Bounds.fit(to.unbounded(), to, truncates);
            value = fit == null ? value : fit.apply(value);
        }
        return new ConstantScalar(value, to);
    }

    private static Scalar relabelled(Scalar operand, SqlType type) {
        if (operand instanceof ConstantScalar constant) {
            return new ConstantScalar(constant.value(), type);
        }
        return new CastScalar(operand, type, null, v -> v, true);
    }
}
