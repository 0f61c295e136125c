package org.namdb.sql.language.ast;

import java.util.ArrayList;
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
/// @param unread queries of its WITH that nothing reads, which must have a meaning all the same
/// @param position where it stands
public record Query(
        Body body,
        List<SortKey> orderBy,
        @Nullable Expression limit,
        @Nullable Expression offset,
        boolean isForUpdate,
        List<Name> lockedTables,
        List<CommonTable> unread,
        Position position) {
    public Query {
        orderBy = List.copyOf(orderBy);
        lockedTables = List.copyOf(lockedTables);
        unread = List.copyOf(unread);
    }

    /// A query that reads all queries of its WITH.
    public Query(
            Body body,
            List<SortKey> orderBy,
            @Nullable Expression limit,
            @Nullable Expression offset,
            boolean isForUpdate,
            List<Name> lockedTables,
            Position position) {
        this(body, orderBy, limit, offset, isForUpdate, lockedTables, List.of(), position);
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

    /// The same with another body.
    public Query withBody(Body other) {
        return new Query(
                other, orderBy, limit, offset, isForUpdate, lockedTables, unread, position);
    }

    /// The same with more queries of WITH that nothing reads.
    public Query withUnread(List<CommonTable> more) {
        if (more.isEmpty()) {
            return this;
        }
        List<CommonTable> all = new ArrayList<>(unread);
        all.addAll(more);
        return new Query(body, orderBy, limit, offset, isForUpdate, lockedTables, all, position);
    }

    /// The rows before they are ordered.
    public sealed interface Body {
        Position position();
    }

    /// `SELECT [DISTINCT [ON (..)]] items FROM sources WHERE .. GROUP BY .. HAVING ..`.
    ///
    /// @param isDistinct whether each different row is given once
    /// @param distinctOn of the rows that agree in these only the first is given; empty for all
    /// @param from the sources that commas separate; empty if there is no FROM
    /// @param groupBy all expressions that rows are grouped by
    /// @param groupingSets the numbers of those that each grouping takes; empty if there is one
    ///     grouping, by all of them
    public record Select(
            boolean isDistinct,
            List<Expression> distinctOn,
            List<Item> items,
            List<Source> from,
            @Nullable Expression where,
            List<Expression> groupBy,
            List<List<Integer>> groupingSets,
            @Nullable Expression having,
            Position position)
            implements Body {
        public Select {
            distinctOn = List.copyOf(distinctOn);
            items = List.copyOf(items);
            from = List.copyOf(from);
            groupBy = List.copyOf(groupBy);
            groupingSets = List.copyOf(groupingSets);
        }

        /// One without DISTINCT ON, and with one grouping.
        public Select(
                boolean isDistinct,
                List<Item> items,
                List<Source> from,
                @Nullable Expression where,
                List<Expression> groupBy,
                @Nullable Expression having,
                Position position) {
            this(isDistinct, List.of(), items, from, where, groupBy, List.of(), having, position);
        }

        /// The same with something else selected.
        public Select withItems(List<Item> others) {
            return new Select(
                    isDistinct,
                    distinctOn,
                    others,
                    from,
                    where,
                    groupBy,
                    groupingSets,
                    having,
                    position);
        }
    }

    /// `VALUES (..), (..)`.
    public record Values(List<List<Expression>> rows, Position position) implements Body {
        public Values {
            rows = List.copyOf(rows);
        }
    }

    /// What RETURNING gives of a change in WITH.
    ///
    /// @param change an INSERT, UPDATE or DELETE
    public record Returned(Statement.Plain change, Position position) implements Body {}

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

    /// A query that WITH names. Several sources may refer to it.
    ///
    /// @param columns the names of its columns, as far as they are given
    /// @param isRecursive whether it reads itself
    public record CommonTable(Name name, List<Name> columns, Query query, boolean isRecursive) {
        public CommonTable {
            columns = List.copyOf(columns);
        }

        /// The same one, not one that says the same.
        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /// A query of WITH: `name [AS alias [(columns)]]`.
    public record CommonTableSource(
            CommonTable table, @Nullable Name alias, List<Name> columns, Position position)
            implements Source {
        public CommonTableSource {
            columns = List.copyOf(columns);
        }

        /// The names of its columns, as far as they are given: WITH's where the alias has none.
        public List<Name> names() {
            List<Name> names = new ArrayList<>(columns);
            List<Name> ofTable = table.columns();
            names.addAll(ofTable.subList(Math.min(names.size(), ofTable.size()), ofTable.size()));
            return names;
        }
    }

    /// What a query of WITH RECURSIVE has last given to itself: `name [AS alias [(columns)]]`.
    ///
    /// @param declared the name where WITH gives it: a nested one may give the same name again
    public record RecursionSource(
            Name declared, Name table, @Nullable Name alias, List<Name> columns, Position position)
            implements Source {
        public RecursionSource {
            columns = List.copyOf(columns);
        }
    }

    /// A derived table: `[LATERAL] (query) AS alias [(columns)]`.
    ///
    /// @param isLateral whether it may use the sources before it
    public record QuerySource(
            Query query,
            boolean isLateral,
            @Nullable Name alias,
            List<Name> columns,
            Position position)
            implements Source {
        /// One that stands by itself.
        public QuerySource(
                Query query, @Nullable Name alias, List<Name> columns, Position position) {
            this(query, false, alias, columns, position);
        }

        public QuerySource {
            columns = List.copyOf(columns);
        }
    }

    /// A function that gives rows, and may use the sources before it:
    /// `f(arguments) [WITH ORDINALITY] [AS alias [(columns)]]`.
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
