package org.namdb.sql.language.ast;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What gives rows: SELECT, VALUES, or a union of them, with an order and a limit.
///
/// @param body the rows
/// @param orderBy the order; empty if there is none
/// @param limit the most rows
/// @param offset how many rows are skipped
/// @param isForUpdate whether the rows join the write set
/// @param lockedTables those whose rows do so, `FOR UPDATE OF a, b`; empty for all
/// @param position where it stands
public record Query(
        Body body,
        List<SortKey> orderBy,
        @Nullable Expression limit,
        @Nullable Expression offset,
        boolean isForUpdate,
        List<Name> lockedTables,
        Position position) {
    public Query {
        orderBy = List.copyOf(orderBy);
        lockedTables = List.copyOf(lockedTables);
    }

    /// A query that locks the rows of all its tables, or of none.
    public Query(
            Body body,
            List<SortKey> orderBy,
            @Nullable Expression limit,
            @Nullable Expression offset,
            boolean isForUpdate,
            Position position) {
        this(body, orderBy, limit, offset, isForUpdate, List.of(), position);
    }

    /// The rows before they are ordered.
    public sealed interface Body {
        Position position();
    }

    /// `SELECT [DISTINCT] items FROM sources WHERE .. GROUP BY .. HAVING ..`.
    ///
    /// @param from the sources that commas separate; empty if there is no FROM
    public record Select(
            boolean isDistinct,
            List<Item> items,
            List<Source> from,
            @Nullable Expression where,
            List<Expression> groupBy,
            @Nullable Expression having,
            Position position)
            implements Body {
        public Select {
            items = List.copyOf(items);
            from = List.copyOf(from);
            groupBy = List.copyOf(groupBy);
        }
    }

    /// `VALUES (..), (..)`.
    public record Values(List<List<Expression>> rows, Position position) implements Body {
        public Values {
            rows = List.copyOf(rows);
        }
    }

    /// `a UNION [ALL] b`, and EXCEPT and INTERSECT.
    public record SetOperation(
            Operator operator, boolean isAll, Query left, Query right, Position position)
            implements Body {
        /// Which.
        public enum Operator {
            UNION,
            EXCEPT,
            INTERSECT
        }
    }

    /// One of the things selected.
    public sealed interface Item {
        Position position();
    }

    /// `expression [AS alias]`.
    public record Value(Expression expression, @Nullable Name alias, Position position)
            implements Item {}

    /// `*` or `t.*`.
    public record Star(@Nullable Name qualifier, Position position) implements Item {}

    /// What rows come from.
    public sealed interface Source {
        Position position();
    }

    /// A table: `t [AS alias [(columns)]]`.
    public record TableSource(
            Name table, @Nullable Name alias, List<Name> columns, Position position)
            implements Source {
        public TableSource {
            columns = List.copyOf(columns);
        }
    }

    /// A derived table: `(query) AS alias [(columns)]`.
    public record QuerySource(
            Query query, @Nullable Name alias, List<Name> columns, Position position)
            implements Source {
        public QuerySource {
            columns = List.copyOf(columns);
        }
    }

    /// A function that gives rows: `f(arguments) [WITH ORDINALITY] [AS alias [(columns)]]`.
    ///
    /// @param withOrdinality whether the rows are numbered
    public record FunctionSource(
            Name function,
            List<Expression> arguments,
            boolean withOrdinality,
            @Nullable Name alias,
            List<Name> columns,
            Position position)
            implements Source {
        public FunctionSource {
            arguments = List.copyOf(arguments);
            columns = List.copyOf(columns);
        }
    }

    /// Two sources joined.
    ///
    /// @param on the condition; null with USING, NATURAL and CROSS
    /// @param using the columns of USING; empty without
    public record Join(
            Kind kind,
            Source left,
            Source right,
            @Nullable Expression on,
            List<Name> using,
            boolean isNatural,
            Position position)
            implements Source {
        public Join {
            using = List.copyOf(using);
        }

        /// Which rows without a partner are kept.
        public enum Kind {
            INNER,
            LEFT,
            RIGHT,
            FULL,
            CROSS
        }
    }

    /// One part of the order.
    ///
    /// @param nullsFirst as written; null if nothing was: then NULLs are the greatest values
    public record SortKey(
            Expression expression,
            boolean isDescending,
            @Nullable Boolean nullsFirst,
            Position position) {}
}
