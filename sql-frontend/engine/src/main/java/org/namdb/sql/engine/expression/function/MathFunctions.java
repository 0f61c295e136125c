package org.namdb.sql.engine.expression.function;

import static org.namdb.sql.engine.expression.function.StringFunctions.number;
import static org.namdb.sql.language.type.SqlType.BIGINT;
import static org.namdb.sql.language.type.SqlType.DECIMAL;
import static org.namdb.sql.language.type.SqlType.DOUBLE;
import static org.namdb.sql.language.type.SqlType.INTEGER;
import static org.namdb.sql.language.type.SqlType.SMALLINT;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import org.namdb.sql.engine.expression.number.Buckets;
import org.namdb.sql.engine.expression.number.DecimalMath;
import org.namdb.sql.engine.expression.number.IntegerArithmetic;
import org.namdb.sql.engine.expression.number.Integers;
import org.namdb.sql.language.type.SqlType;

/// Functions of integers and decimals.
final class MathFunctions {
    private MathFunctions() {}

    static void addTo(FunctionTable table) {
        for (SqlType type : new SqlType[] {SMALLINT, INTEGER, BIGINT}) {
            table.add(
                    "abs",
                    type,
                    a -> number(a, 0) < 0 ? Integers.negated(number(a, 0), type.kind()) : a[0],
                    type);
        }
        for (SqlType type : new SqlType[] {SMALLINT, INTEGER, BIGINT}) {
            table.add("mod", type, a -> remainder(number(a, 0), number(a, 1)), type, type);
        }
        for (SqlType type : new SqlType[] {INTEGER, BIGINT}) {
            table.add("gcd", type, a -> gcd(number(a, 0), number(a, 1), type), type, type);
            table.add("lcm", type, a -> lcm(number(a, 0), number(a, 1), type), type, type);
        }
        table.add("abs", DECIMAL, a -> decimal(a, 0).abs(), DECIMAL);
        table.add("sign", DECIMAL, a -> BigDecimal.valueOf(decimal(a, 0).signum()), DECIMAL);
        table.add(
                "mod",
                DECIMAL,
                a -> DecimalMath.remainder(decimal(a, 0), decimal(a, 1)),
                DECIMAL,
                DECIMAL);
        table.add(
                "div",
                DECIMAL,
                a -> DecimalMath.wholeQuotient(decimal(a, 0), decimal(a, 1)),
                DECIMAL,
                DECIMAL);
        table.add("ceil", DECIMAL, a -> decimal(a, 0).setScale(0, RoundingMode.CEILING), DECIMAL);
        table.add(
                "ceiling", DECIMAL, a -> decimal(a, 0).setScale(0, RoundingMode.CEILING), DECIMAL);
        table.add("floor", DECIMAL, a -> decimal(a, 0).setScale(0, RoundingMode.FLOOR), DECIMAL);
        table.add("scale", INTEGER, a -> (long) decimal(a, 0).scale(), DECIMAL);
        table.add("min_scale", INTEGER, a -> (long) trimmed(decimal(a, 0)).scale(), DECIMAL);
        table.add("trim_scale", DECIMAL, a -> trimmed(decimal(a, 0)), DECIMAL);
        addBuckets(table);
        addRounding(table, "round", RoundingMode.HALF_UP);
        addRounding(table, "trunc", RoundingMode.DOWN);
        table.add("sqrt", DECIMAL, a -> DecimalMath.sqrt(decimal(a, 0)), DECIMAL);
        table.add("exp", DECIMAL, a -> DecimalMath.exp(decimal(a, 0)), DECIMAL);
        table.add("ln", DECIMAL, a -> DecimalMath.ln(decimal(a, 0)), DECIMAL);
        table.add("log", DECIMAL, a -> DecimalMath.log(BigDecimal.TEN, decimal(a, 0)), DECIMAL);
        table.add("log10", DECIMAL, a -> DecimalMath.log(BigDecimal.TEN, decimal(a, 0)), DECIMAL);
        table.add(
                "log",
                DECIMAL,
                a -> DecimalMath.log(decimal(a, 0), decimal(a, 1)),
                DECIMAL,
                DECIMAL);
        table.add(
                "power",
                DECIMAL,
                a -> DecimalMath.power(decimal(a, 0), decimal(a, 1)),
                DECIMAL,
                DECIMAL);
        table.add(
                "pow",
                DECIMAL,
                a -> DecimalMath.power(decimal(a, 0), decimal(a, 1)),
                DECIMAL,
                DECIMAL);
    }

    /// `width_bucket(operand, low, high, count)`: in which of as many equal parts of a range it is.
    private static void addBuckets(FunctionTable table) {
        table.add(
                "width_bucket",
                INTEGER,
                a -> Buckets.of((Double) a[0], (Double) a[1], (Double) a[2], number(a, 3)),
                DOUBLE,
                DOUBLE,
                DOUBLE,
                INTEGER);
        table.add(
                "width_bucket",
                INTEGER,
                a -> Buckets.of(decimal(a, 0), decimal(a, 1), decimal(a, 2), number(a, 3)),
                DECIMAL,
                DECIMAL,
                DECIMAL,
                INTEGER);
    }

    private static BigDecimal trimmed(BigDecimal value) {
        BigDecimal stripped = value.stripTrailingZeros();
        return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
    }

    private static void addRounding(FunctionTable table, String name, RoundingMode mode) {
        table.add(name, DECIMAL, a -> DecimalMath.round(decimal(a, 0), 0, mode), DECIMAL);
        table.add(
                name,
                DECIMAL,
                a -> DecimalMath.round(decimal(a, 0), number(a, 1), mode),
                DECIMAL,
                INTEGER);
    }

    private static BigDecimal decimal(Object[] arguments, int index) {
        return (BigDecimal) arguments[index];
    }

    private static Long remainder(long a, long b) {
        if (b == 0) {
            throw IntegerArithmetic.divisionByZero();
        }
        return a % b;
    }

    private static Long gcd(long a, long b, SqlType type) {
        return inRange(DecimalMath.gcd(a, b), type);
    }

    private static Long lcm(long a, long b, SqlType type) {
        if (a == 0 || b == 0) {
            return 0L;
        }
        BigInteger product = BigInteger.valueOf(a).multiply(BigInteger.valueOf(b)).abs();
        return inRange(product.divide(DecimalMath.gcd(a, b)), type);
    }

    private static Long inRange(BigInteger value, SqlType type) {
        if (value.bitLength() > 63) {
            throw Integers.outOfRange(type.kind());
        }
        return Integers.inRange(value.longValue(), type.kind());
    }
}
