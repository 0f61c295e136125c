package org.namdb.sql.engine.bind;

import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.type.SqlType;

/// Constants as they are written.
final class Literals {
    private Literals() {}

    static Scalar of(Expression.Literal literal) {
        return switch (literal.kind()) {
            case NULL -> new ConstantScalar(null, SqlType.UNKNOWN);
            case BOOLEAN -> new ConstantScalar(Boolean.valueOf(literal.text()), SqlType.BOOLEAN);
            case STRING -> new ConstantScalar(literal.text(), SqlType.UNKNOWN);
            case INTEGER -> integer(literal.text());
            case DECIMAL, FLOAT ->
                    new ConstantScalar(new java.math.BigDecimal(literal.text()), SqlType.DECIMAL);
        };
    }

    /// An integer is of the least of the types integer, bigint and numeric that holds it.
    private static Scalar integer(String digits) {
        java.math.BigInteger value = new java.math.BigInteger(digits);
        if (value.bitLength() < Integer.SIZE) {
            return new ConstantScalar(value.longValue(), SqlType.INTEGER);
        }
        return value.bitLength() < Long.SIZE
                ? new ConstantScalar(value.longValue(), SqlType.BIGINT)
                : new ConstantScalar(new java.math.BigDecimal(value), SqlType.DECIMAL);
    }

    /// The sign belongs to the literal: -2147483648 is an integer.
    static Scalar negated(Expression.Literal literal) {
        return integer("-" + literal.text());
    }
}
