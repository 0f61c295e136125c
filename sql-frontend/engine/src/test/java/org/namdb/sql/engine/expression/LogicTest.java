package org.namdb.sql.engine.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.namdb.sql.engine.expression.function.Functions;
import org.namdb.sql.engine.expression.operator.Logic;
import org.namdb.sql.engine.expression.operator.Operators;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.type.SqlType;

/// Three-valued logic, against truth tables.
class LogicTest {
    private static final @Nullable Boolean[] TRUTHS = {true, false, null};

    private static final Scalar A = new ColumnScalar(0, SqlType.BOOLEAN, "a");
    private static final Scalar B = new ColumnScalar(1, SqlType.BOOLEAN, "b");
    private static final Scalar N = new ColumnScalar(0, SqlType.INTEGER, "n");

    @Test
    void andIsTheLeastAndOrTheGreatestOfFalseUnknownTrue() {
        for (Boolean a : TRUTHS) {
            for (Boolean b : TRUTHS) {
                int least = Math.min(rank(a), rank(b));
                int greatest = Math.max(rank(a), rank(b));
                assertThat(rank(value(Logic.and(List.of(A, B)), a, b))).isEqualTo(least);
                assertThat(rank(value(Logic.or(List.of(A, B)), a, b))).isEqualTo(greatest);
            }
            assertThat(rank(value(Logic.not(A), a, null))).isEqualTo(2 - rank(a));
        }
    }

    private static int rank(@Nullable Object truth) {
        return truth == null ? 1 : (Boolean) truth ? 2 : 0;
    }

    @Test
    void testsOfTruthAreNeverUnknown() {
        for (Boolean a : TRUTHS) {
            for (Boolean truth : TRUTHS) {
                boolean is = Objects.equals(a, truth);
                assertThat(value(Logic.isTruth(A, truth, false), a, null)).isEqualTo(is);
                assertThat(value(Logic.isTruth(A, truth, true), a, null)).isEqualTo(!is);
            }
            assertThat(value(Logic.isNull(A, false), a, null)).isEqualTo(a == null);
            assertThat(value(Logic.isNull(A, true), a, null)).isEqualTo(a != null);
        }
    }

    @Test
    void isDistinctTakesNullForAValue() {
        Scalar distinct = Logic.isDistinct(A, B, false);
        assertThat(value(distinct, null, null)).isEqualTo(false);
        assertThat(value(distinct, null, true)).isEqualTo(true);
        assertThat(value(distinct, true, true)).isEqualTo(false);
        assertThat(value(Logic.isDistinct(A, B, true), true, false)).isEqualTo(false);
    }

    @Test
    void inIsUnknownIfNothingIsEqualButSomethingIsNull() {
        Scalar list = Logic.inList(N, List.of(number(1), number(2), ConstantScalar.NULL), false);
        Scalar not = Logic.inList(N, List.of(number(1), number(2), ConstantScalar.NULL), true);
        assertThat(value(list, 1L)).isEqualTo(true);
        assertThat(value(list, 3L)).isNull();
        assertThat(value(list, new Object[] {null})).isNull();
        assertThat(value(not, 1L)).isEqualTo(false);
        assertThat(value(not, 3L)).isNull();
        Scalar withoutNull = Logic.inList(N, List.of(number(1), number(2)), true);
        assertThat(value(withoutNull, 3L)).isEqualTo(true);
    }

    @Test
    void inComparesAcrossTypes() {
        Scalar half = new ConstantScalar(new BigDecimal("1.50"), SqlType.DECIMAL);
        Scalar decimal = new ColumnScalar(0, SqlType.DECIMAL, "d");
        Scalar list = Logic.inList(decimal, List.of(half, number(7)), false);
        assertThat(value(list, new BigDecimal("1.5"))).isEqualTo(true);
        assertThat(value(list, new BigDecimal("7.000"))).isEqualTo(true);
        assertThat(value(list, new BigDecimal("8"))).isEqualTo(false);
    }

    @Test
    void betweenAndItsOppositeCoverAllButNull() {
        Scalar between = Logic.between(N, number(2), number(4), false);
        Scalar outside = Logic.between(N, number(2), number(4), true);
        for (long n = 0; n < 6; n++) {
            assertThat(value(between, n)).isEqualTo(n >= 2 && n <= 4);
            assertThat(value(outside, n)).isEqualTo(n < 2 || n > 4);
        }
        Scalar open = Logic.between(N, ConstantScalar.NULL, number(4), false);
        assertThat(value(open, 5L)).isEqualTo(false);
        assertThat(value(open, 3L)).isNull();
    }

    @Test
    void caseEvaluatesNoBranchThatIsNotTaken() {
        Scalar fails = Operators.binary("/", number(1), number(0));
        Scalar chosen =
                Logic.caseWhen(
                        List.of(Operators.binary("=", N, number(0))), List.of(number(-1)), fails);
        Scalar folded = Constants.fold(chosen);
        assertThat(value(folded, 0L)).isEqualTo(-1L);
        assertThatThrownBy(() -> value(folded, 1L)).hasMessage("division by zero");
    }

    @Test
    void aConditionMustBeBoolean() {
        assertThatThrownBy(() -> Logic.and(List.of(A, N)))
                .isInstanceOf(SqlException.class)
                .hasMessage("argument of AND must be type boolean, not type integer");
        assertThatThrownBy(() -> Logic.caseWhen(List.of(A), List.of(N), A))
                .hasMessage("CASE types boolean and integer cannot be matched");
    }

    @Test
    void equalExpressionsAreEqualAndShowThemselves() {
        Scalar first = Operators.binary(">", N, number(5));
        Scalar second = Operators.binary(">", N, number(5));
        assertThat(first).isEqualTo(second).hasSameHashCodeAs(second);
        assertThat(first).isNotEqualTo(Operators.binary(">", N, number(6)));
        assertThat(Logic.and(List.of(first, Logic.isNull(A, true))))
                .hasToString("((n > 5) AND (a IS NOT NULL))");
        assertThat(Functions.call("random", List.of()))
                .isNotEqualTo(Functions.call("random", List.of()));
    }

    private static Scalar number(long value) {
        return new ConstantScalar(value, SqlType.INTEGER);
    }

    private static @Nullable Object value(Scalar scalar, @Nullable Object... tuple) {
        return scalar.evaluate(Evaluation.frame(Arrays.copyOf(tuple, tuple.length)));
    }
}
