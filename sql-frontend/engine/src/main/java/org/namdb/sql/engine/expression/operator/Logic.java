package org.namdb.sql.engine.expression.operator;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.UnaryOperation;
import org.namdb.sql.engine.expression.array.ArrayQuantifier;
import org.namdb.sql.engine.expression.array.ArrayScalar;
import org.namdb.sql.engine.expression.array.ElementTest;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.expression.condition.CaseScalar;
import org.namdb.sql.engine.expression.condition.CoalesceScalar;
import org.namdb.sql.engine.expression.condition.Comparison;
import org.namdb.sql.engine.expression.condition.ComparisonOperator;
import org.namdb.sql.engine.expression.condition.Conjunction;
import org.namdb.sql.engine.expression.condition.Disjunction;
import org.namdb.sql.engine.expression.condition.DistinctTest;
import org.namdb.sql.engine.expression.condition.ExtremeScalar;
import org.namdb.sql.engine.expression.condition.InList;
import org.namdb.sql.engine.expression.condition.Negation;
import org.namdb.sql.engine.expression.condition.NullIfScalar;
import org.namdb.sql.engine.expression.condition.NullTest;
import org.namdb.sql.engine.expression.condition.TruthTest;
import org.namdb.sql.engine.expression.text.LikeScalar;
import org.namdb.sql.engine.expression.text.PaddedScalar;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.ByteString;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.SqlType.Kind;
import org.namdb.sql.language.type.ValueOrder;

/// Three-valued logic, and the expressions that choose between values. TRUE and FALSE are
/// [Boolean]s, UNKNOWN is null.
public final class Logic {
    private Logic() {}

    /// True if all are, false if one is. One operand is returned itself; none is TRUE. Nested
    /// conjunctions become one.
    public static Scalar and(List<Scalar> operands) {
        List<Scalar> flat = new ArrayList<>();
        for (Scalar operand : operands) {
            Scalar condition = Casts.condition(operand, "AND");
            if (condition instanceof Conjunction conjunction) {
                flat.addAll(conjunction.operands());
            } else {
                flat.add(condition);
            }
        }
        return flat.isEmpty()
                ? ConstantScalar.TRUE
                : flat.size() == 1 ? flat.getFirst() : new Conjunction(flat);
    }

    /// True if one is, false if all are. One operand is returned itself; none is FALSE. Nested
    /// disjunctions become one.
    public static Scalar or(List<Scalar> operands) {
        List<Scalar> flat = new ArrayList<>();
        for (Scalar operand : operands) {
            Scalar condition = Casts.condition(operand, "OR");
            if (condition instanceof Disjunction disjunction) {
                flat.addAll(disjunction.operands());
            } else {
                flat.add(condition);
            }
        }
        return flat.isEmpty()
                ? ConstantScalar.FALSE
                : flat.size() == 1 ? flat.getFirst() : new Disjunction(flat);
    }

    /// NOT. Of a comparison or a test it is the opposite one.
    public static Scalar not(Scalar operand) {
        Scalar condition = Casts.condition(operand, "NOT");
        return switch (condition) {
            case Comparison comparison -> comparison.negated();
            case NullTest test -> new NullTest(test.operand(), !test.isNegated());
            default -> new Negation(condition);
        };
    }

    /// `a IS [NOT] NULL`.
    public static Scalar isNull(Scalar operand, boolean isNegated) {
        return new NullTest(typed(operand), isNegated);
    }

    /// `a IS [NOT] TRUE`, FALSE or, with null, UNKNOWN.
    public static Scalar isTruth(Scalar operand, @Nullable Boolean value, boolean isNegated) {
        String name = value == null ? "UNKNOWN" : value ? "TRUE" : "FALSE";
        return new TruthTest(
                Casts.condition(operand, "IS " + (isNegated ? "NOT " : "") + name),
                value,
                isNegated);
    }

    /// `a IS [NOT] DISTINCT FROM b`: a comparison to which NULL is a value. Without NOT it is true
    /// if they differ.
    public static Scalar isDistinct(Scalar left, Scalar right, boolean isNegated) {
        Comparison equal = Operators.comparison(ComparisonOperator.EQUAL, left, right);
        return new DistinctTest(equal.left(), equal.right(), equal.order(), isNegated);
    }

    /// `a [NOT] BETWEEN low AND high`: two comparisons.
    public static Scalar between(Scalar operand, Scalar low, Scalar high, boolean isNegated) {
        if (isNegated) {
            return or(
                    List.of(
                            Operators.comparison(ComparisonOperator.LESS, operand, low),
                            Operators.comparison(ComparisonOperator.GREATER, operand, high)));
        }
        return and(
                List.of(
                        Operators.comparison(ComparisonOperator.GREATER_OR_EQUAL, operand, low),
                        Operators.comparison(ComparisonOperator.LESS_OR_EQUAL, operand, high)));
    }

    /// `a [NOT] IN (b, c)`: NULL if nothing is equal, but something is NULL.
    ///
    /// @param values at least one
    public static Scalar inList(Scalar operand, List<Scalar> values, boolean isNegated) {
        if (values.size() == 1) {
            ComparisonOperator operator =
                    isNegated ? ComparisonOperator.NOT_EQUAL : ComparisonOperator.EQUAL;
            return Operators.comparison(operator, operand, values.getFirst());
        }
        List<Scalar> all = new ArrayList<>(values);
        all.addFirst(operand);
        SqlType type = comparisonType(all);
        if (type == null) {
            return comparisons(operand, values, isNegated);
        }
        Scalar first = Casts.implicit(operand, type);
        List<Scalar> others = values.stream().map(v -> Casts.implicit(v, type)).toList();
        ValueOrder order = type.isString() ? ValueOrder.STRING : ValueOrder.of(type);
        return InList.of(first, others, order, isNegated);
    }

    /// The comparison of an operand with the elements of an array. With one whose elements are
    /// written out, `= ANY` is IN, and `<> ALL` is NOT IN.
    ///
    /// @throws SqlException 42809 if it is none, 42883 if the types can't be compared
    public static Scalar quantified(String operator, Scalar operand, boolean isAll, Scalar array) {
        Scalar elements = array;
        if (array.type().isUnknown()) {
            SqlType type = operand.type().isUnknown() ? SqlType.TEXT : operand.type().unbounded();
            elements = Casts.implicit(array, SqlType.arrayOf(type));
        }
        if (!elements.type().isArray()) {
            throw new SqlException(
                    SqlState.WRONG_OBJECT_TYPE, "op ANY/ALL (array) requires array on right side");
        }
        if (operator.contains("~")) {
            return matched(operator, operand, isAll, elements);
        }
        List<Scalar> written = ArrayScalar.elements(elements);
        boolean isIn = operator.equals(isAll ? "<>" : "=");
        if (written != null && isIn && !written.isEmpty()) {
            return inList(operand, written, isAll);
        }
        Scalar element = new ConstantScalar(null, elements.type().element());
        if (!(Operators.binary(operator, operand, element) instanceof Comparison comparison)) {
            throw new IllegalStateException("no comparison: " + operator);
        }
        return new ArrayQuantifier(
                new ElementTest.Compared(comparison.operator(), comparison.order()),
                comparison.left(),
                Casts.implicit(elements, SqlType.arrayOf(comparison.right().type())),
                isAll);
    }

    private static Scalar matched(String operator, Scalar operand, boolean isAll, Scalar array) {
        Scalar text = matchedText(operand, operator, array.type().element());
        Scalar patterns = Casts.implicit(array, SqlType.arrayOf(SqlType.TEXT));
        return new ArrayQuantifier(new ElementTest.Matched(operator), text, patterns, isAll);
    }

    /// The type in which all are compared; null if they have none in common.
    private static @Nullable SqlType comparisonType(List<Scalar> operands) {
        SqlType common = SqlType.UNKNOWN;
        for (Scalar operand : operands) {
            boolean knowsNothing = common.isUnknown() && operand.type().isUnknown();
            SqlType next =
                    knowsNothing ? SqlType.UNKNOWN : Operators.comparedAs(common, operand.type());
            if (next == null) {
                return null;
            }
            common = next;
        }
        return common.isUnknown() ? SqlType.TEXT : common;
    }

    private static Scalar comparisons(Scalar operand, List<Scalar> values, boolean isNegated) {
        ComparisonOperator operator =
                isNegated ? ComparisonOperator.NOT_EQUAL : ComparisonOperator.EQUAL;
        List<Scalar> comparisons = new ArrayList<>();
        for (Scalar value : values) {
            comparisons.add(Operators.comparison(operator, operand, value));
        }
        return isNegated ? and(comparisons) : or(comparisons);
    }

    /// `a [NOT] LIKE pattern [ESCAPE c]`, or ILIKE.
    ///
    /// @param escape null for the backslash
    /// @throws SqlException 42883 if the operands are no strings
    public static Scalar like(
            Scalar operand,
            Scalar pattern,
            @Nullable Scalar escape,
            boolean isNegated,
            boolean ignoresCase) {
        boolean areBytes = isBytes(operand, pattern) || isBytes(pattern, operand);
        if (areBytes && !ignoresCase && escape == null) {
            return new LikeScalar(
                    List.of(characters(operand), characters(pattern)), isNegated, false);
        }
        String operator = (isNegated ? "!" : "") + (ignoresCase ? "~~*" : "~~");
        List<Scalar> operands = new ArrayList<>();
        operands.add(matchedText(operand, operator, pattern.type()));
        operands.add(Casts.implicit(pattern, SqlType.TEXT));
        if (escape != null) {
            operands.add(Casts.implicit(escape, SqlType.TEXT));
        }
        return new LikeScalar(operands, isNegated, ignoresCase);
    }

    private static boolean isBytes(Scalar operand, Scalar other) {
        return operand.type().kind() == Kind.BYTEA
                && (other.type().kind() == Kind.BYTEA || other.type().isUnknown());
    }

    /// Bytes as a text that has a character for each.
    private static Scalar characters(Scalar bytes) {
        return new UnaryOperation(
                "latin1",
                Casts.implicit(bytes, SqlType.BYTEA),
                SqlType.TEXT,
                v -> new String(((ByteString) v).toByteArray(), StandardCharsets.ISO_8859_1));
    }

    /// What is matched with a pattern of a type: of CHAR with the blanks at its end.
    private static Scalar matchedText(Scalar operand, String operator, SqlType pattern) {
        boolean areStrings =
                Casts.isImplicit(operand.type(), SqlType.TEXT)
                        && Casts.isImplicit(pattern, SqlType.TEXT);
        if (!areStrings) {
            throw new SqlException(
                            SqlState.UNDEFINED_FUNCTION,
                            "operator does not exist: "
                                    + operand.type().name()
                                    + " "
                                    + operator
                                    + " "
                                    + pattern.name())
                    .withHint(
                            "No operator matches the given name and argument types. You might need to add explicit type casts.");
        }
        return operand.type().kind() == SqlType.Kind.CHAR
                ? new PaddedScalar(operand)
                : Casts.implicit(operand, SqlType.TEXT);
    }

    /// `CASE WHEN condition THEN result .. ELSE otherwise END`. The form with an operand is one
    /// with comparisons as conditions.
    ///
    /// @param conditions as many as results
    /// @param otherwise null without ELSE
    public static Scalar caseWhen(
            List<Scalar> conditions, List<Scalar> results, @Nullable Scalar otherwise) {
        List<Scalar> values = new ArrayList<>(results);
        values.addFirst(otherwise == null ? ConstantScalar.NULL : otherwise);
        SqlType type = Casts.commonType("CASE", values);
        List<Scalar> operands = new ArrayList<>();
        for (int i = 0; i < conditions.size(); i++) {
            operands.add(Casts.condition(conditions.get(i), "CASE/WHEN"));
            operands.add(Casts.implicit(results.get(i), type));
        }
        operands.add(Casts.implicit(values.getFirst(), type));
        return new CaseScalar(operands, type);
    }

    /// The first that is not NULL.
    public static Scalar coalesce(List<Scalar> operands) {
        SqlType type = Casts.commonType("COALESCE", operands);
        return new CoalesceScalar(cast(operands, type), type);
    }

    /// NULL if both are equal, else the first, as the operator `=` between them takes it: an
    /// integer beside a NUMERIC becomes one.
    public static Scalar nullIf(Scalar left, Scalar right) {
        Comparison equal = Operators.comparison(ComparisonOperator.EQUAL, left, right);
        Scalar value = left;
        if (left.type().isUnknown() && !right.type().isUnknown()) {
            value = Casts.implicit(left, right.type());
        } else if (left.type().isInteger() && right.type().isNumeric() && !right.type().isInteger()
                || left.type().kind() == Kind.DECIMAL && right.type().isFloat()) {
            value = Casts.implicit(left, right.type().isFloat() ? SqlType.DOUBLE : SqlType.DECIMAL);
        }
        return new NullIfScalar(typed(value), equal);
    }

    /// The greatest that is not NULL.
    public static Scalar greatest(List<Scalar> operands) {
        SqlType type = Casts.commonType("GREATEST", operands);
        return new ExtremeScalar(cast(operands, type), type, true);
    }

    /// The least that is not NULL.
    public static Scalar least(List<Scalar> operands) {
        SqlType type = Casts.commonType("LEAST", operands);
        return new ExtremeScalar(cast(operands, type), type, false);
    }

    private static List<Scalar> cast(List<Scalar> operands, SqlType type) {
        return operands.stream().map(o -> Casts.implicit(o, type)).toList();
    }

    /// What has no type is text.
    private static Scalar typed(Scalar operand) {
        return operand.type().isUnknown() ? Casts.implicit(operand, SqlType.TEXT) : operand;
    }
}
