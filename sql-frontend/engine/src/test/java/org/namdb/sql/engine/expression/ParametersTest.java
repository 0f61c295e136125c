package org.namdb.sql.engine.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.expression.function.Functions;
import org.namdb.sql.engine.expression.operator.Operators;
import org.namdb.sql.language.type.SqlType;

/// The types that parameters take from where they stand, and assignment to columns.
class ParametersTest {
    private final ParameterTypes types = new ParameterTypes();
    private final Scalar first = new ParameterScalar(0, types);
    private final Scalar second = new ParameterScalar(1, types);

    @Test
    void aParameterTakesTheOtherSidesType() {
        Scalar column = new ColumnScalar(0, SqlType.BIGINT, "id");
        Scalar condition = Operators.binary("=", column, first);
        assertThat(condition).hasToString("(id = $1)");
        assertThat(types.type(0)).isEqualTo(SqlType.BIGINT);
        Scalar name = new ColumnScalar(1, SqlType.varchar(20), "name");
        Operators.binary("=", name, second);
        assertThat(types.resolved()).containsExactly(SqlType.BIGINT, SqlType.VARCHAR);
    }

    @Test
    void aParameterTakesTheTypeOfItsCastAndItsColumn() {
        Casts.explicit(first, SqlType.DATE);
        Casts.assignment(second, SqlType.decimal(12, 2), "amount");
        assertThat(types.resolved()).containsExactly(SqlType.DATE, SqlType.DECIMAL);
    }

    @Test
    void aParameterThatNothingGivesATypeIsAnError() {
        assertThat(first.type()).isEqualTo(SqlType.UNKNOWN);
        assertThatThrownBy(types::resolved)
                .hasMessage("could not determine data type of parameter $1");
        assertThatThrownBy(() -> Operators.binary("+", first, second))
                .hasMessage("operator is not unique: unknown + unknown");
    }

    @Test
    void assignmentRefusesWhatIsTooLongUnlessItIsBlank() {
        Scalar fits = Casts.assignment(text("abc   "), SqlType.varchar(4), "name");
        assertThat(fits.evaluate(Evaluation.frame())).isEqualTo("abc ");
        Scalar tooLong = Casts.assignment(text("abcde"), SqlType.varchar(4), "name");
        assertThatThrownBy(() -> tooLong.evaluate(Evaluation.frame()))
                .hasMessage("value too long for type character varying(4)");
        assertThatThrownBy(() -> Casts.fitted("héé", SqlType.varcharBytes(4)))
                .hasMessage("value too long for type character varying(4 bytes)");
        assertThat(Casts.fitted("h😀", SqlType.varchar(2))).isEqualTo("h😀");
        assertThat(Casts.fitted("ab   ", SqlType.character(3))).isEqualTo("ab");
    }

    @Test
    void assignmentConvertsNumbersAndNoText() {
        Scalar text = new ColumnScalar(0, SqlType.TEXT, "t");
        Scalar number = new ColumnScalar(0, SqlType.BIGINT, "n");
        assertThatThrownBy(() -> Casts.assignment(text, SqlType.INTEGER, "a"))
                .hasMessage("column \"a\" is of type integer but expression is of type text");
        Scalar narrowed = Casts.assignment(number, SqlType.SMALLINT, "a");
        assertThat(narrowed.evaluate(Evaluation.frame(7L))).isEqualTo(7L);
        assertThatThrownBy(() -> narrowed.evaluate(Evaluation.frame(70_000L)))
                .hasMessage("smallint out of range");
        assertThat(Casts.assignment(number, SqlType.TEXT, "a").evaluate(Evaluation.frame(7L)))
                .isEqualTo("7");
    }

    @Test
    void aCommonTypeHoldsAll() {
        Scalar small = new ColumnScalar(0, SqlType.SMALLINT, "s");
        Scalar big = new ColumnScalar(1, SqlType.BIGINT, "b");
        Scalar decimal = new ColumnScalar(2, SqlType.decimal(5, 2), "d");
        assertThat(Casts.commonType("UNION", List.of(small, big))).isEqualTo(SqlType.BIGINT);
        assertThat(Casts.commonType("UNION", List.of(big, decimal))).isEqualTo(SqlType.DECIMAL);
        assertThat(Casts.commonType("UNION", List.of(decimal, decimal)))
                .isEqualTo(SqlType.decimal(5, 2));
        assertThat(Casts.commonType("UNION", List.of(ConstantScalar.NULL))).isEqualTo(SqlType.TEXT);
        Scalar text = new ColumnScalar(3, SqlType.TEXT, "t");
        assertThatThrownBy(() -> Casts.commonType("UNION", List.of(small, text)))
                .hasMessage("UNION types smallint and text cannot be matched");
    }

    @Test
    void foldingKeepsWhatChanges() {
        Scalar now = Functions.call("now", List.of());
        assertThat(Constants.fold(now)).isSameAs(now);
        assertThat(Constants.fold(Evaluation.scalar("1 + 2"))).hasToString("3");
        Scalar fails = Evaluation.scalar("1 / 0");
        assertThat(Constants.fold(fails)).isSameAs(fails);
        assertThat(Constants.isConstant(fails)).isTrue();
        assertThat(Constants.isVolatile(Functions.call("random", List.of()))).isTrue();
        assertThat(Constants.fold(Evaluation.scalar("upper('a')"))).hasToString("'A'::text");
    }

    private static Scalar text(String value) {
        return new ConstantScalar(value, SqlType.TEXT);
    }
}
