package org.namdb.sql.language.parser;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Query;

/// Writes queries as SQL.
final class QueryWriter {
    private final StringBuilder text;
    private final ExpressionWriter expressions;

    QueryWriter(StringBuilder text, ExpressionWriter expressions) {
        this.text = text;
        this.expressions = expressions;
    }

    void writeInParentheses(Query query) {
        text.append('(');
        write(query);
        text.append(')');
    }

    void write(Query query) {
        body(query.body());
        if (!query.orderBy().isEmpty()) {
            text.append(" ORDER BY ");
            String separator = "";
            for (Query.SortKey key : query.orderBy()) {
                text.append(separator);
                sortKey(key);
                separator = ", ";
            }
        }
        clause(" LIMIT ", query.limit());
        clause(" OFFSET ", query.offset());
        if (query.isForUpdate()) {
            text.append(" FOR UPDATE");
            String separator = " OF ";
            for (Name table : query.lockedTables()) {
                text.append(separator).append(Keywords.quoted(table.text()));
                separator = ", ";
            }
        }
    }

    void sortKey(Query.SortKey key) {
        expressions.write(key.expression());
        if (key.isDescending()) {
            text.append(" DESC");
        }
        if (key.nullsFirst() != null) {
            text.append(key.nullsFirst() ? " NULLS FIRST" : " NULLS LAST");
        }
    }

    void clause(String word, @Nullable Expression expression) {
        if (expression != null) {
            text.append(word);
            expressions.write(expression);
        }
    }

    private void body(Query.Body body) {
        switch (body) {
            case Query.Select s -> select(s);
            case Query.Values v -> values(v);
            case Query.Returned r ->
                    throw new IllegalStateException("a change where it is read: " + r.position());
            case Query.SetOperation s -> setOperation(s);
        }
    }

    private void values(Query.Values values) {
        String separator = "VALUES (";
        for (List<Expression> row : values.rows()) {
            text.append(separator);
            expressions.list(row);
            separator = "), (";
        }
        text.append(')');
    }

    private void select(Query.Select select) {
        text.append(select.isDistinct() ? "SELECT DISTINCT" : "SELECT");
        if (!select.distinctOn().isEmpty()) {
            text.append(" DISTINCT ON (");
            expressions.list(select.distinctOn());
            text.append(')');
        }
        text.append(select.items().isEmpty() ? "" : " ");
        items(select.items());
        from(" FROM ", select.from());
        clause(" WHERE ", select.where());
        if (!select.groupingSets().isEmpty()) {
            groupingSets(select);
        } else if (!select.groupBy().isEmpty()) {
            text.append(" GROUP BY ");
            expressions.list(select.groupBy());
        }
        clause(" HAVING ", select.having());
    }

    private void groupingSets(Query.Select select) {
        String separator = " GROUP BY GROUPING SETS ((";
        for (List<Integer> set : select.groupingSets()) {
            text.append(separator);
            expressions.list(set.stream().map(select.groupBy()::get).toList());
            separator = "), (";
        }
        text.append("))");
    }

    void items(List<Query.Item> items) {
        String separator = "";
        for (Query.Item item : items) {
            text.append(separator);
            separator = ", ";
            switch (item) {
                case Query.Star s -> {
                    if (s.qualifier() != null) {
                        text.append(Keywords.quoted(s.qualifier().text())).append('.');
                    }
                    text.append('*');
                }
                case Query.Value v -> {
                    expressions.write(v.expression());
                    if (v.alias() != null) {
                        text.append(" AS ").append(Keywords.quoted(v.alias().text()));
                    }
                }
            }
        }
    }

    /// A chain of set operations is deep on the left.
    private void setOperation(Query.SetOperation outermost) {
        Deque<Query.SetOperation> chain = new ArrayDeque<>();
        Deque<Boolean> parentheses = new ArrayDeque<>();
        Query.SetOperation link = outermost;
        chain.push(link);
        while (isPlain(link.left()) && link.left().body() instanceof Query.SetOperation next) {
            boolean isInParentheses = tightness(next) < tightness(link);
            if (isInParentheses) {
                text.append('(');
            }
            parentheses.push(isInParentheses);
            chain.push(next);
            link = next;
        }
        operand(link.left(), 0);
        Iterator<Boolean> closing = parentheses.iterator();
        for (Query.SetOperation operation : chain) {
            text.append(' ').append(operation.operator()).append(operation.isAll() ? " ALL " : " ");
            operand(operation.right(), tightness(operation) + 1);
            if (closing.hasNext() && closing.next()) {
                text.append(')');
            }
        }
    }

    private void operand(Query query, int tightness) {
        boolean isBare =
                isPlain(query)
                        && switch (query.body()) {
                            case Query.SetOperation s -> tightness(s) >= tightness;
                            case Query.Select s -> true;
                            case Query.Values v -> true;
                            case Query.Returned r -> false;
                        };
        if (isBare) {
            body(query.body());
        } else {
            writeInParentheses(query);
        }
    }

    private static boolean isPlain(Query query) {
        return query.orderBy().isEmpty()
                && query.limit() == null
                && query.offset() == null
                && !query.isForUpdate();
    }

    private static int tightness(Query.SetOperation operation) {
        return operation.operator() == Query.SetOperation.Operator.INTERSECT ? 2 : 1;
    }

    void from(String word, List<Query.Source> sources) {
        String separator = word;
        for (Query.Source source : sources) {
            text.append(separator);
            source(source);
            separator = ", ";
        }
    }

    /// A chain of joins is deep on the left.
    private void source(Query.Source source) {
        Deque<Query.Join> chain = new ArrayDeque<>();
        Query.Source innermost = source;
        while (innermost instanceof Query.Join join) {
            chain.push(join);
            innermost = join.left();
        }
        sourcePrimary(innermost);
        for (Query.Join join : chain) {
            join(join);
        }
    }

    private void sourcePrimary(Query.Source source) {
        switch (source) {
            case Query.TableSource t -> {
                text.append(Keywords.quoted(t.table().text()));
                alias(t.alias(), t.columns());
            }
            case Query.CommonTableSource c
                    when c.table().query().body() instanceof Query.Returned -> {
                text.append(Keywords.quoted(c.table().name().text()));
                alias(c.alias(), c.columns());
            }
            case Query.CommonTableSource c -> {
                writeInParentheses(c.table().query());
                alias(c.alias() == null ? c.table().name() : c.alias(), c.names());
            }
            case Query.RecursionSource r -> {
                text.append(Keywords.quoted(r.table().text()));
                alias(r.alias(), r.columns());
            }
            case Query.FunctionSource f -> {
                expressions.functionName(f.function().text());
                text.append('(');
                expressions.list(f.arguments());
                text.append(f.withOrdinality() ? ") WITH ORDINALITY" : ")");
                alias(f.alias(), f.columns());
            }
            case Query.QuerySource q -> {
                text.append(q.isLateral() ? "LATERAL " : "");
                writeInParentheses(q.query());
                alias(q.alias(), q.columns());
            }
            case Query.Join j -> {
                text.append('(');
                source(j);
                text.append(')');
            }
        }
    }

    private void alias(@Nullable Name alias, List<Name> columns) {
        if (alias != null) {
            text.append(" AS ").append(Keywords.quoted(alias.text()));
        }
        if (!columns.isEmpty()) {
            text.append(' ');
            names(columns);
        }
    }

    /// Names in parentheses.
    void names(List<Name> names) {
        String separator = "(";
        for (Name name : names) {
            text.append(separator).append(Keywords.quoted(name.text()));
            separator = ", ";
        }
        text.append(')');
    }

    private void join(Query.Join join) {
        text.append(join.isNatural() ? " NATURAL " : " ");
        text.append(
                switch (join.kind()) {
                    case INNER -> "";
                    case LEFT -> "LEFT ";
                    case RIGHT -> "RIGHT ";
                    case FULL -> "FULL ";
                    case CROSS -> "CROSS ";
                });
        text.append("JOIN ");
        sourcePrimary(join.right());
        clause(" ON ", join.on());
        if (!join.using().isEmpty()) {
            text.append(" USING ");
            names(join.using());
        }
    }
}
