package org.namdb.sql.engine.expression.number;

import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Trigonometric functions of degrees, exact where their value is: `sind(30)` is 0.5. They are put
/// together from parts of the first quadrant, each divided by its value at a known angle.
public final class Degrees {
    private static final double PER_DEGREE = Math.PI / 180;
    private static final double SIN_30 = Math.sin(30 * PER_DEGREE);
    private static final double ONE_MINUS_COS_60 = 1 - Math.cos(60 * PER_DEGREE);
    private static final double TAN_45 = sinOfQuadrant(45) / cosOfQuadrant(45);
    private static final double COT_45 = cosOfQuadrant(45) / sinOfQuadrant(45);

    private Degrees() {}

    /// The sine.
    public static double sin(double degrees) {
        double x = reduced(degrees);
        double sign = Math.signum(x) == 0 ? 1 : Math.signum(x);
        x = Math.abs(x);
        if (x > 180) {
            x = 360 - x;
            sign = -sign;
        }
        return sign * sinOfQuadrant(x > 90 ? 180 - x : x);
    }

    /// The cosine.
    public static double cos(double degrees) {
        double x = Math.abs(reduced(degrees));
        x = x > 180 ? 360 - x : x;
        return x > 90 ? -cosOfQuadrant(180 - x) : cosOfQuadrant(x);
    }

    /// The tangent.
    public static double tan(double degrees) {
        double x = Math.abs(reduced(degrees));
        boolean isNegative = degrees < 0;
        if (x > 180) {
            x = 360 - x;
            isNegative = !isNegative;
        }
        if (x > 90) {
            x = 180 - x;
            isNegative = !isNegative;
        }
        double tangent = sinOfQuadrant(x) / cosOfQuadrant(x) / TAN_45;
        return tangent == 0 || !isNegative ? tangent : -tangent;
    }

    /// The cotangent.
    public static double cot(double degrees) {
        double x = Math.abs(reduced(degrees));
        boolean isNegative = degrees < 0;
        if (x > 180) {
            x = 360 - x;
            isNegative = !isNegative;
        }
        if (x > 90) {
            x = 180 - x;
            isNegative = !isNegative;
        }
        double cotangent = cosOfQuadrant(x) / sinOfQuadrant(x) / COT_45;
        return cotangent == 0 || !isNegative ? cotangent : -cotangent;
    }

    /// The angle of a sine, from -90 to 90.
    public static double asin(double sine) {
        requireUnit(sine);
        return sine >= 0 ? asinOfQuadrant(sine) : -asinOfQuadrant(-sine);
    }

    /// The angle of a cosine, from 0 to 180.
    public static double acos(double cosine) {
        requireUnit(cosine);
        return cosine >= 0 ? acosOfQuadrant(cosine) : 90 + asinOfQuadrant(-cosine);
    }

    /// The angle of a tangent, from -90 to 90.
    public static double atan(double tangent) {
        return Math.atan(tangent) / Math.atan(1) * 45;
    }

    /// The angle of the point (x, y), from -180 to 180.
    public static double atan2(double y, double x) {
        return Math.atan2(y, x) / Math.atan(1) * 45;
    }

    private static double reduced(double degrees) {
        if (Double.isInfinite(degrees)) {
            throw outOfRange();
        }
        return degrees % 360;
    }

    private static void requireUnit(double x) {
        if (x < -1 || x > 1) {
            throw outOfRange();
        }
    }

    private static SqlException outOfRange() {
        return new SqlException(SqlState.NUMERIC_OUT_OF_RANGE, "input is out of range");
    }

    private static double sinOfQuadrant(double x) {
        return x <= 30 ? sinTo30(x) : cosTo60(90 - x);
    }

    private static double cosOfQuadrant(double x) {
        return x <= 60 ? cosTo60(x) : sinTo30(90 - x);
    }

    private static double sinTo30(double x) {
        return Math.sin(x * PER_DEGREE) / SIN_30 / 2;
    }

    private static double cosTo60(double x) {
        return 1 - (1 - Math.cos(x * PER_DEGREE)) / ONE_MINUS_COS_60 / 2;
    }

    private static double asinOfQuadrant(double x) {
        return x <= 0.5
                ? Math.asin(x) / Math.asin(0.5) * 30
                : 90 - Math.acos(x) / Math.acos(0.5) * 60;
    }

    private static double acosOfQuadrant(double x) {
        return x <= 0.5
                ? 90 - Math.asin(x) / Math.asin(0.5) * 30
                : Math.acos(x) / Math.acos(0.5) * 60;
    }
}
