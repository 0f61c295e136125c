package org.namdb.sql.language.ast;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A value expression.
public sealed interface Expression {
    /// Where it stands.
    Position position();

    /// A literal.
    ///
    /// @param kind what was written
    /// @param text its value: digits for numbers, the characters of a string without quotes, TRUE
    ///     or FALSE; empty for NULL
    record Literal(Kind kind, String text, Position position) implements Expression {
        /// What kind of literal.
        public enum Kind {
            NULL,
            BOOLEAN,
            /// Digits alone.
            INTEGER,
            /// Digits with a point.
            DECIMAL,
            /// With an exponent.
            FLOAT,
            STRING
        }
    }

    /// `DATE '2026-01-31'`: a string literal of a type.
    record TypedLiteral(TypeName type, String text, Position position) implements Expression {}

    /// `?` or `$1`.
    ///
    /// @param index from 0
    record Parameter(int index, Position position) implements Expression {}

    /// A column, `a` or `t.a`.
    record ColumnName(@Nullable Name qualifier, Name column, Position position)
            implements Expression {}

    /// An operator before its operand: `-`, `+`, `not`, `~`.
    record Unary(String operator, Expression operand, Position position) implements Expression {}

    /// An operator between its operands: `+ - * / % ^ || = <> < <= > >= and or`, those of bits,
    /// regular expressions and arrays, in lower case, `!=` as `<>`.
    record Binary(String operator, Expression left, Expression right, Position position)
            implements Expression {}

    /// `a IS [NOT] NULL`.
    record IsNull(Expression operand, boolean negated, Position position) implements Expression {}

    /// `a IS [NOT] TRUE | FALSE | UNKNOWN`.
    ///
    /// @param value null for UNKNOWN
    record IsTruth(Expression operand, @Nullable Boolean value, boolean negated, Position position)
            implements Expression {}

    /// `a IS [NOT] DISTINCT FROM b`.
    record IsDistinct(Expression left, Expression right, boolean negated, Position position)
            implements Expression {}

    /// `a [NOT] BETWEEN [SYMMETRIC] low AND high`.
    ///
    /// @param isSymmetric whether low and high may be in any order
    record Between(
            Expression operand,
            Expression low,
            Expression high,
            boolean negated,
            boolean isSymmetric,
            Position position)
            implements Expression {
        /// With low before high.
        public Between(
                Expression operand,
                Expression low,
                Expression high,
                boolean negated,
                Position position) {
            this(operand, low, high, negated, false, position);
        }
    }

    /// `a [NOT] LIKE pattern [ESCAPE c]`, or ILIKE.
    record Like(
            Expression operand,
            Expression pattern,
            @Nullable Expression escape,
            boolean negated,
            boolean ignoresCase,
            Position position)
            implements Expression {}

    /// `a [NOT] IN (1, 2)`.
    record InList(Expression operand, List<Expression> values, boolean negated, Position position)
            implements Expression {
        public InList {
            values = List.copyOf(values);
        }
    }

    /// `a [NOT] IN (SELECT ..)`.
    record InQuery(Expression operand, Query query, boolean negated, Position position)
            implements Expression {}

    /// `a < ANY (SELECT ..)`, and with ALL; equality with ANY is [InQuery].
    ///
    /// @param operator one of comparison or of regular expressions; `~~`, `~~*` for LIKE and ILIKE,
    ///     `!~~` and `!~~*` for their opposites
    record Quantified(
            String operator, Expression operand, boolean isAll, Query query, Position position)
            implements Expression {}

    /// `a < ANY (array)`, and with ALL.
    ///
    /// @param operator as of [Quantified]
    record QuantifiedArray(
            String operator, Expression operand, boolean isAll, Expression array, Position position)
            implements Expression {}

    /// `ARRAY[a, b]`.
    record Array(List<Expression> values, Position position) implements Expression {
        public Array {
            values = List.copyOf(values);
        }
    }

    /// `a[1]`.
    record Subscript(Expression operand, Expression index, Position position)
            implements Expression {}

    /// `a[1:2]`, `a[:2]`.
    ///
    /// @param lower null for the first element
    /// @param upper null for the last one
    record Slice(
            Expression operand,
            @Nullable Expression lower,
            @Nullable Expression upper,
            Position position)
            implements Expression {}

    /// `EXISTS (SELECT ..)`.
    record Exists(Query query, Position position) implements Expression {}

    /// `(SELECT ..)` as a value.
    record ScalarQuery(Query query, Position position) implements Expression {}

    /// `(a, b)`: several values, as in `(a, b) = (1, 2)` and `(a, b) IN (..)`.
    record Row(List<Expression> values, Position position) implements Expression {
        public Row {
            values = List.copyOf(values);
        }
    }

    /// `CASE [operand] WHEN .. THEN .. ELSE .. END`.
    record Case(
            @Nullable Expression operand,
            List<When> whens,
            @Nullable Expression otherwise,
            Position position)
            implements Expression {
        public Case {
            whens = List.copyOf(whens);
        }

        /// One branch.
        public record When(Expression condition, Expression result) {}
    }

    /// `CAST(a AS type)` or `a::type`.
    record Cast(Expression operand, TypeName type, Position position) implements Expression {}

    /// `EXTRACT(field FROM a)`; the field in lower case.
    record Extract(String field, Expression operand, Position position) implements Expression {}

    /// A function or aggregate by name. Calls with a syntax of their own come as ordinary ones:
    /// `SUBSTRING(a FROM b FOR c)` as `substring(a, b, c)`, `POSITION(a IN b)` as `position(b, a)`
    /// (the text first), `TRIM(BOTH a FROM b)` as `btrim(b, a)`, LEADING as `ltrim`, TRAILING as
    /// `rtrim`, `CURRENT_TIMESTAMP`, `CURRENT_DATE`, `LOCALTIMESTAMP`.. as functions without
    /// arguments.
    ///
    /// @param isStar whether the argument is `*`, as in `COUNT(*)`
    /// @param isDistinct whether the arguments are preceded by DISTINCT
    record Call(
            Name function,
            List<Expression> arguments,
            boolean isStar,
            boolean isDistinct,
            Position position)
            implements Expression {
        public Call {
            arguments = List.copyOf(arguments);
        }
    }

    /// A call of an aggregate that takes its rows in an order, or only some of them:
    /// `string_agg(a, ',' ORDER BY b) FILTER (WHERE c)`.
    ///
    /// @param orderBy empty if there is no order
    /// @param filter null for all rows
    record AggregateCall(
            Call call, List<Query.SortKey> orderBy, @Nullable Expression filter, Position position)
            implements Expression {
        public AggregateCall {
            orderBy = List.copyOf(orderBy);
        }
    }

    /// `f(a) FILTER (WHERE d) OVER (PARTITION BY b ORDER BY c ROWS 2 PRECEDING)`.
    ///
    /// @param filter null for all rows
    /// @param frame null if none is written
    record WindowCall(
            Call call,
            @Nullable Expression filter,
            List<Expression> partition,
            List<Query.SortKey> orderBy,
            @Nullable WindowFrame frame,
            Position position)
            implements Expression {
        public WindowCall {
            partition = List.copyOf(partition);
            orderBy = List.copyOf(orderBy);
        }
    }

    /// DEFAULT in VALUES or SET.
    record Default(Position position) implements Expression {}
}
