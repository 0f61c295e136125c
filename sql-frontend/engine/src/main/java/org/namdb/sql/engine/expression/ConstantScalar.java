package org.namdb.sql.engine.expression;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextFormat;

/// A value that is known when the statement is planned.
public final class ConstantScalar extends Scalar {
    public static final ConstantScalar TRUE = new ConstantScalar(true, SqlType.BOOLEAN);
    public static final ConstantScalar FALSE = new ConstantScalar(false, SqlType.BOOLEAN);

    /// NULL before the context gives it a type.
    public static final ConstantScalar NULL = new ConstantScalar(null, SqlType.UNKNOWN);

    private final @Nullable Object value;

    /// @param value of the class that the type names; null for NULL
    public ConstantScalar(@Nullable Object value, SqlType type) {
        super(type);
        this.value = value;
    }

    /// The value; null for NULL.
    public @Nullable Object value() {
        return value;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        return value;
    }

    @Override
    public List<Scalar> operands() {
        return List.of();
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return this;
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return Optional.ofNullable(value);
    }

    @Override
    public String toString() {
        if (value == null) {
            return type().isUnknown() ? "NULL" : "NULL::" + type();
        }
        String text = TextFormat.format(value, type());
        String quoted = "'" + text.replace("'", "''") + "'";
        return switch (type().kind()) {
            case BOOLEAN -> value.toString();
            case INTEGER, DECIMAL -> text.startsWith("-") ? quoted + "::" + type() : text;
            case UNKNOWN -> quoted;
            case SMALLINT,
                    BIGINT,
                    REAL,
                    DOUBLE,
                    CHAR,
                    VARCHAR,
                    TEXT,
                    DATE,
                    TIME,
                    TIMESTAMP,
                    TIMESTAMPTZ,
                    INTERVAL,
                    BYTEA,
                    UUID,
                    ARRAY ->
                    quoted + "::" + type();
        };
    }
}
