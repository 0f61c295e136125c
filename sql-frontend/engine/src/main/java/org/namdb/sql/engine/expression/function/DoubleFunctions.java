package org.namdb.sql.engine.expression.function;

import static org.namdb.sql.language.type.SqlType.DOUBLE;
import static org.namdb.sql.language.type.SqlType.REAL;

import java.util.function.DoubleUnaryOperator;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.engine.expression.number.Degrees;
import org.namdb.sql.engine.expression.number.FloatMath;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Functions of floating-point numbers.
final class DoubleFunctions {
    private DoubleFunctions() {}

    static void addTo(FunctionTable table) {
        table.add("abs", REAL, a -> Math.abs((Float) a[0]), REAL);
        add(table, "abs", Math::abs);
        add(table, "sign", Math::signum);
        add(table, "ceil", Math::ceil);
        add(table, "ceiling", Math::ceil);
        add(table, "floor", Math::floor);
        add(table, "round", Math::rint);
        add(table, "trunc", x -> x < 0 ? Math.ceil(x) : Math.floor(x));
        // The operators |/ and ||/ are dsqrt and dcbrt.
        for (String prefix : new String[] {"", "d"}) {
            add(table, prefix + "sqrt", DoubleFunctions::sqrt);
            add(table, prefix + "cbrt", Math::cbrt);
        }
        add(table, "exp", x -> FloatMath.finite(Math.exp(x), x));
        add(table, "ln", x -> Math.log(positive(x)));
        add(table, "log", x -> Math.log10(positive(x)));
        add(table, "log10", x -> Math.log10(positive(x)));
        add(table, "degrees", x -> FloatMath.finite(x / (Math.PI / 180), x));
        add(table, "radians", x -> x * (Math.PI / 180));
        add(table, "sin", x -> Math.sin(finite(x)));
        add(table, "cos", x -> Math.cos(finite(x)));
        add(table, "tan", x -> Math.tan(finite(x)));
        add(table, "cot", x -> 1 / Math.tan(finite(x)));
        add(table, "asin", x -> Math.asin(unit(x)));
        add(table, "acos", x -> Math.acos(unit(x)));
        add(table, "atan", Math::atan);
        add(table, "sinh", Math::sinh);
        add(table, "cosh", Math::cosh);
        add(table, "tanh", Math::tanh);
        add(table, "asinh", FloatMath::asinh);
        add(table, "acosh", x -> FloatMath.acosh(x < 1 ? outOfRange() : x));
        add(table, "atanh", x -> FloatMath.atanh(unit(x)));
        add(table, "sind", Degrees::sin);
        add(table, "cosd", Degrees::cos);
        add(table, "tand", Degrees::tan);
        add(table, "cotd", Degrees::cot);
        add(table, "asind", Degrees::asin);
        add(table, "acosd", Degrees::acos);
        add(table, "atand", Degrees::atan);
        table.add(
                "atan2d", DOUBLE, a -> Degrees.atan2((Double) a[0], (Double) a[1]), DOUBLE, DOUBLE);
        table.add("atan2", DOUBLE, a -> Math.atan2((Double) a[0], (Double) a[1]), DOUBLE, DOUBLE);
        table.add(
                "power",
                DOUBLE,
                a -> FloatMath.power((Double) a[0], (Double) a[1]),
                DOUBLE,
                DOUBLE);
        table.add(
                "pow", DOUBLE, a -> FloatMath.power((Double) a[0], (Double) a[1]), DOUBLE, DOUBLE);
        table.add("pi", DOUBLE, _ -> Math.PI);
        table.add(
                "random",
                DOUBLE,
                Volatility.VOLATILE,
                (frame, _) -> (frame.environment().nextRandom() >>> 11) * 0x1p-53);
    }

    private static void add(FunctionTable table, String name, DoubleUnaryOperator function) {
        table.add(name, DOUBLE, a -> function.applyAsDouble((Double) a[0]), DOUBLE);
    }

    private static double sqrt(double x) {
        if (x < 0) {
            throw new SqlException(
                    SqlState.INVALID_ARGUMENT_FOR_POWER,
                    "cannot take square root of a negative number");
        }
        return Math.sqrt(x);
    }

    private static double positive(double x) {
        if (x <= 0) {
            throw new SqlException(
                    SqlState.INVALID_ARGUMENT_FOR_LOGARITHM,
                    "cannot take logarithm of " + (x == 0 ? "zero" : "a negative number"));
        }
        return x;
    }

    private static double finite(double x) {
        return Double.isInfinite(x) ? outOfRange() : x;
    }

    private static double unit(double x) {
        return x < -1 || x > 1 ? outOfRange() : x;
    }

    private static double outOfRange() {
        throw new SqlException(SqlState.NUMERIC_OUT_OF_RANGE, "input is out of range");
    }
}
