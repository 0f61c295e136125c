package org.namdb.sql.engine.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.sql.engine.expression.aggregate.Accumulator;
import org.namdb.sql.engine.expression.aggregate.Aggregate;
import org.namdb.sql.engine.expression.aggregate.Aggregates;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextFormat;
import org.namdb.sql.language.type.TextParser;

/// Aggregates, against what PostgreSQL 15 gives.
class AggregatesTest {
    @ParameterizedTest
    @CsvSource({
        "count, integer, 1 2 null 4, 3, bigint",
        "count, integer, null, 0, bigint",
        "sum, integer, 1 2 4, 7, bigint",
        "sum, integer, null, NULL, bigint",
        "sum, bigint, 9223372036854775807 9223372036854775807 -1, 18446744073709551613, numeric",
        "sum, numeric, 1.5 2 4, 7.5, numeric",
        "sum, real, 1.5 2.25, 3.75, real",
        "sum, double precision, 1.5 2.25, 3.75, double precision",
        "avg, integer, 1 2 4, 2.3333333333333333, numeric",
        "avg, bigint, 9223372036854775807 9223372036854775807, 9223372036854775807, numeric",
        "avg, numeric, 1.5 2 4, 2.5000000000000000, numeric",
        "avg, double precision, 1 2 4, 2.3333333333333335, double precision",
        "avg, integer, null, NULL, numeric",
        "min, integer, 3 1 2, 1, integer",
        "max, integer, 3 null 2, 3, integer",
        "max, varchar, a c b, c, text",
        "min, numeric, 1.50 1.5, 1.50, numeric",
        "max, double precision, 1 NaN 2, NaN, double precision",
        "min, date, 2026-01-31 2025-12-31, 2025-12-31, date",
        "bool_and, boolean, t null f, f, boolean",
        "bool_or, boolean, f null t, t, boolean",
        "every, boolean, t t, t, boolean",
        "stddev, integer, 1 2 4, 1.5275252316519467, numeric",
        "variance, integer, 1 2 4, 2.3333333333333333, numeric",
        "stddev_pop, integer, 1 2 4, 1.2472191289246471, numeric",
        "var_pop, integer, 1 2 4, 1.5555555555555556, numeric",
        "stddev, numeric, 1.5 2 4, 1.3228756555322953, numeric",
        "var_samp, numeric, 1.5 2 4, 1.7500000000000000, numeric",
        "stddev_samp, double precision, 1 2 4, 1.5275252316519468, double precision",
        "variance, integer, 1, NULL, numeric",
        "var_pop, integer, 1, 0, numeric",
    })
    void givesWhatPostgresGives(
            String name, String type, String values, String expected, String resultType) {
        Aggregate aggregate = aggregate(name, Evaluation.type(type), false);
        assertThat(aggregate.type()).hasToString(resultType);
        assertThat(result(aggregate, values)).isEqualTo(expected);
    }

    @Test
    void distinctCountsEqualValuesOnce() {
        Aggregate count = aggregate("count", SqlType.DECIMAL, true);
        assertThat(count).hasToString("count(DISTINCT a)");
        assertThat(result(count, "1.0 1.00 2 null 2.0 3")).isEqualTo("3");
        assertThat(result(aggregate("sum", SqlType.INTEGER, true), "1 1 2")).isEqualTo("3");
    }

    @Test
    void starCountsTuples() {
        Aggregate count = Aggregates.resolve("count", List.of(), true, false);
        Accumulator accumulator = count.newAccumulator();
        for (int i = 0; i < 3; i++) {
            accumulator.add(count.argument().evaluate(Evaluation.frame()));
        }
        assertThat(accumulator.result()).isEqualTo(3L);
        assertThat(count).hasToString("count(*)");
    }

    @Test
    void stringsAreJoinedWithTheirDelimiters() {
        Scalar column = new ColumnScalar(0, SqlType.TEXT, "a");
        Scalar comma = new ConstantScalar(",", SqlType.UNKNOWN);
        Aggregate joined = Aggregates.resolve("string_agg", List.of(column, comma), false, false);
        Accumulator accumulator = joined.newAccumulator();
        for (String value : new String[] {"x", null, "y", "x"}) {
            accumulator.add(joined.argument().evaluate(Evaluation.frame(value)));
        }
        assertThat(accumulator.result()).isEqualTo("x,y,x");
    }

    @Test
    void averagesOfIntervals() {
        Aggregate average = aggregate("avg", SqlType.INTERVAL, false);
        Accumulator accumulator = average.newAccumulator();
        accumulator.add(TextParser.parse("1 mon", SqlType.INTERVAL));
        accumulator.add(TextParser.parse("2 days", SqlType.INTERVAL));
        assertThat(String.valueOf(accumulator.result())).isEqualTo("16 days");
    }

    @Test
    void anAggregateThatTheTypeLacksIsReported() {
        assertThatThrownBy(() -> aggregate("sum", SqlType.TEXT, false))
                .hasMessage("function sum(text) does not exist");
        assertThat(Aggregates.isAggregate("sum")).isTrue();
        assertThat(Aggregates.isAggregate("upper")).isFalse();
    }

    private static Aggregate aggregate(String name, SqlType type, boolean isDistinct) {
        return Aggregates.resolve(name, List.of(new ColumnScalar(0, type, "a")), false, isDistinct);
    }

    private static String result(Aggregate aggregate, String values) {
        Accumulator accumulator = aggregate.newAccumulator();
        for (String value : values.split(" ", -1)) {
            Object parsed =
                    value.equals("null")
                            ? null
                            : TextParser.parse(value, aggregate.argument().type());
            accumulator.add(aggregate.argument().evaluate(Evaluation.frame(parsed)));
        }
        Object result = accumulator.result();
        return result == null ? "NULL" : TextFormat.format(result, aggregate.type());
    }
}
