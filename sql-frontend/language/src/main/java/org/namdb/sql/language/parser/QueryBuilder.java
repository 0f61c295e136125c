package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.tree.TerminalNode;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Makes queries out of their parses.
final class QueryBuilder {
    /// A name that no query gives to a column.
    private static final String POSITION = "place in an array";

    /// How many columns PostgreSQL lets a key have.
    private static final String MAX_KEY_COLUMNS = "32";

    /// The arrays that the SELECT which is being built expands to rows.
    private List<Expression> expandedArrays = new ArrayList<>();

    /// What its WINDOW clause names.
    private Map<String, SqlGrammar.WindowDefinitionContext> windows = new HashMap<>();

    private final CommonTables commonTables = new CommonTables(this);
    private final ExpressionBuilder expressions;

    QueryBuilder(ExpressionBuilder expressions) {
        this.expressions = expressions;
    }

    private static Position position(ParserRuleContext tree) {
        return NameBuilder.position(tree);
    }

    /// The queries of WITH.
    CommonTables commonTables() {
        return commonTables;
    }

    Query inParentheses(SqlGrammar.QueryInParenthesesContext tree) {
        return query(tree.query());
    }

    Query query(SqlGrammar.QueryContext tree) {
        return commonTables.within(tree.withClause(), tree.plainQuery());
    }

    static boolean isWord(@Nullable TerminalNode node, String word) {
        return node != null && isWord(node.getSymbol(), word);
    }

    /// Whether a word that is no keyword is there.
    static boolean isWord(@Nullable Token token, String word) {
        if (token != null && !Keywords.folded(token.getText()).equals(word)) {
            throw SyntaxErrors.at(token);
        }
        return token != null;
    }

    /// What stands behind a query in parentheses is added to it, as in PostgreSQL:
    /// `(SELECT .. LIMIT 2) ORDER BY a` first orders.
    Query plainQuery(SqlGrammar.PlainQueryContext tree) {
        Query inner = body(tree.queryBody());
        List<Query.SortKey> orderBy = new ArrayList<>();
        for (SqlGrammar.SortKeyContext key : tree.sortKey()) {
            orderBy.add(sortKey(key));
        }
        if (!orderBy.isEmpty() && !inner.orderBy().isEmpty()) {
            throw multiple("ORDER BY", tree.ORDER().getSymbol());
        }
        End end = new End(inner);
        for (SqlGrammar.QueryEndContext part : tree.queryEnd()) {
            end.add(part);
        }
        return new Query(
                inner.body(),
                orderBy.isEmpty() ? inner.orderBy() : orderBy,
                end.limit,
                end.offset,
                end.isForUpdate,
                end.lockedTables,
                inner.unread(),
                position(tree));
    }

    /// The clauses behind ORDER BY, which come in any order.
    private final class End {
        private @Nullable Expression limit;
        private @Nullable Expression offset;
        private boolean hasLimit;
        private boolean isForUpdate;
        private List<Name> lockedTables;

        End(Query inner) {
            limit = inner.limit();
            hasLimit = limit != null;
            offset = inner.offset();
            isForUpdate = inner.isForUpdate();
            lockedTables = inner.lockedTables();
        }

        void add(SqlGrammar.QueryEndContext part) {
            switch (part) {
                case SqlGrammar.LimitContext l -> limit(expressions.optional(l.expression()), part);
                case SqlGrammar.FetchContext f ->
                        limit(
                                f.expression() == null
                                        ? new Expression.Literal(
                                                Expression.Literal.Kind.INTEGER,
                                                "1",
                                                position(part))
                                        : expressions.expression(f.expression()),
                                part);
                case SqlGrammar.OffsetContext o -> {
                    if (offset != null) {
                        throw multiple("OFFSET", part.getStart());
                    }
                    offset = expressions.expression(o.expression());
                }
                case SqlGrammar.ForUpdateContext u -> lock(u);
                default -> throw new IllegalStateException("no clause: " + part.getClass());
            }
        }

        /// All strengths of locks are one here. No session waits for a lock, so NOWAIT and SKIP
        /// LOCKED have no effect.
        private void lock(SqlGrammar.ForUpdateContext part) {
            List<Name> tables = part.tableName().stream().map(NameBuilder::tableName).toList();
            boolean isOfAll = tables.isEmpty() || (isForUpdate && lockedTables.isEmpty());
            List<Name> all = new ArrayList<>(lockedTables);
            all.addAll(tables);
            lockedTables = isOfAll ? List.of() : all;
            isForUpdate = true;
        }

        private void limit(@Nullable Expression value, ParserRuleContext part) {
            if (hasLimit) {
                throw multiple("LIMIT", part.getStart());
            }
            hasLimit = true;
            limit = value;
        }
    }

    private static SqlException multiple(String clause, Token token) {
        return new SqlException(
                SqlState.SYNTAX_ERROR,
                "multiple " + clause + " clauses not allowed",
                NameBuilder.position(token));
    }

    static Query plain(Query.Body body, Position position) {
        return new Query(body, List.of(), null, null, false, position);
    }

    private Query body(SqlGrammar.QueryBodyContext tree) {
        List<SqlGrammar.QueryTermContext> terms = tree.queryTerm();
        Query left = term(terms.getFirst());
        int i = 0;
        for (SqlGrammar.SetOperatorContext operator : tree.setOperator()) {
            i++;
            left =
                    combined(
                            operator.UNION() != null
                                    ? Query.SetOperation.Operator.UNION
                                    : Query.SetOperation.Operator.EXCEPT,
                            operator.ALL() != null,
                            left,
                            term(terms.get(i)));
        }
        return left;
    }

    private Query term(SqlGrammar.QueryTermContext tree) {
        List<SqlGrammar.QueryPrimaryContext> primaries = tree.queryPrimary();
        Query left = primary(primaries.getFirst());
        int i = 0;
        for (SqlGrammar.IntersectContext operator : tree.intersect()) {
            i++;
            left =
                    combined(
                            Query.SetOperation.Operator.INTERSECT,
                            operator.ALL() != null,
                            left,
                            primary(primaries.get(i)));
        }
        return left;
    }

    private static Query combined(
            Query.SetOperation.Operator operator, boolean isAll, Query left, Query right) {
        Position position = left.position().to(right.position());
        return plain(new Query.SetOperation(operator, isAll, left, right, position), position);
    }

    private Query primary(SqlGrammar.QueryPrimaryContext tree) {
        if (tree.queryInParentheses() != null) {
            return inParentheses(tree.queryInParentheses());
        }
        if (tree.tableName() != null) {
            return plain(everythingOf(tree), position(tree));
        }
        return plain(
                tree.select() == null ? values(tree.values()) : select(tree.select()),
                position(tree));
    }

    /// `TABLE t` is `SELECT * FROM t`; where the star would stand is `TABLE`.
    private Query.Select everythingOf(SqlGrammar.QueryPrimaryContext tree) {
        Position at = position(tree);
        Query.Source table = tableSource(tree.tableName(), null, position(tree.tableName()));
        return new Query.Select(
                false,
                List.of(new Query.Star(null, NameBuilder.position(tree.TABLE().getSymbol()))),
                List.of(table),
                null,
                List.of(),
                null,
                at);
    }

    private Query.Values values(SqlGrammar.ValuesContext tree) {
        List<List<Expression>> rows = new ArrayList<>();
        for (SqlGrammar.ValuesRowContext row : tree.valuesRow()) {
            rows.add(
                    row.queryInParentheses() == null
                            ? List.copyOf(expressions.expressions(row.expression()))
                            : List.of(scalarQuery(row.queryInParentheses())));
        }
        return new Query.Values(rows, position(tree));
    }

    private Expression scalarQuery(SqlGrammar.QueryInParenthesesContext tree) {
        return new Expression.ScalarQuery(inParentheses(tree), position(tree));
    }

    private Query.Select select(SqlGrammar.SelectContext tree) {
        List<Expression> outer = expandedArrays;
        Map<String, SqlGrammar.WindowDefinitionContext> outerWindows = windows;
        expandedArrays = new ArrayList<>();
        windows = new HashMap<>();
        try {
            tree.namedWindow().forEach(this::define);
            List<Query.Item> items = items(tree.selectItem());
            List<Expression> arrays = expandedArrays;
            Position at = position(tree);
            List<Query.Source> from = new ArrayList<>(from(tree.fromClause()));
            Expression where = where(tree.whereClause());
            if (!arrays.isEmpty()) {
                from.add(positions(at));
                Expression isElement =
                        new Expression.Binary(
                                "<=",
                                position(at, POSITION),
                                PrimaryBuilder.call(at, "cardinality", arrays.getFirst()),
                                at);
                where =
                        where == null
                                ? isElement
                                : new Expression.Binary("and", where, isElement, at);
            }
            GroupBuilder groups = new GroupBuilder(expressions, tree.groupItem());
            return new Query.Select(
                    tree.DISTINCT() != null && tree.distinctOn() == null,
                    tree.distinctOn() == null
                            ? List.of()
                            : expressions.expressions(tree.distinctOn().expression()),
                    items,
                    from,
                    where,
                    groups.keys(),
                    groups.sets(),
                    expressions.optional(tree.having),
                    at);
        } finally {
            expandedArrays = outer;
            windows = outerWindows;
        }
    }

    private void define(SqlGrammar.NamedWindowContext tree) {
        Name name = NameBuilder.name(tree.name());
        if (windows.put(name.text(), tree.windowDefinition()) != null) {
            throw new SqlException(
                    SqlState.WINDOWING_ERROR,
                    "window \"" + name.text() + "\" is already defined",
                    name.position());
        }
    }

    /// What WINDOW says of a name.
    ///
    /// @throws SqlException 42704 if it says nothing
    SqlGrammar.WindowDefinitionContext window(SqlGrammar.NameContext tree) {
        Name name = NameBuilder.name(tree);
        SqlGrammar.WindowDefinitionContext found = windows.get(name.text());
        if (found == null) {
            throw new SqlException(
                    SqlState.UNDEFINED_OBJECT,
                    "window \"" + name.text() + "\" does not exist",
                    name.position());
        }
        return found;
    }

    /// `_pg_expandarray(array)` gives a row for each element of an array, with the element x and
    /// its place n: the rows are joined with all places that an array of key columns may have.
    Expression expanded(Expression array, Position at) {
        expandedArrays.add(array);
        return PrimaryBuilder.call(at, "array_pair", array, position(at, POSITION));
    }

    private static Expression position(Position at, String name) {
        return new Expression.ColumnName(new Name(name, at), new Name(name, at), at);
    }

    private static Query.Source positions(Position at) {
        return new Query.FunctionSource(
                new Name("generate_series", at),
                List.of(integer("1", at), integer(MAX_KEY_COLUMNS, at)),
                false,
                new Name(POSITION, at),
                List.of(new Name(POSITION, at)),
                at);
    }

    private static Expression integer(String digits, Position at) {
        return new Expression.Literal(Expression.Literal.Kind.INTEGER, digits, at);
    }

    private static boolean isNumbered(SqlGrammar.@Nullable OrdinalityContext tree) {
        return tree != null && isWord(tree.getStop(), "ordinality");
    }

    List<Query.Item> items(List<SqlGrammar.SelectItemContext> trees) {
        List<Query.Item> items = new ArrayList<>();
        for (SqlGrammar.SelectItemContext tree : trees) {
            items.add(item(tree));
        }
        return items;
    }

    private Query.Item item(SqlGrammar.SelectItemContext tree) {
        return switch (tree) {
            case SqlGrammar.SelectValueContext v ->
                    new Query.Value(expressions.expression(v.expression()), label(v), position(v));
            case SqlGrammar.EverythingOfContext e ->
                    new Query.Star(NameBuilder.name(e.name()), position(e));
            default -> new Query.Star(null, position(tree));
        };
    }

    private static @Nullable Name label(SqlGrammar.SelectValueContext tree) {
        if (tree.label() != null) {
            return NameBuilder.name(tree.label());
        }
        return tree.bareLabel() == null ? null : NameBuilder.name(tree.bareLabel());
    }

    List<Query.Source> from(SqlGrammar.@Nullable FromClauseContext tree) {
        return tree == null ? List.of() : sources(tree.source());
    }

    List<Query.Source> sources(List<SqlGrammar.SourceContext> trees) {
        List<Query.Source> sources = new ArrayList<>();
        for (SqlGrammar.SourceContext tree : trees) {
            sources.add(source(tree));
        }
        return sources;
    }

    @Nullable Expression where(SqlGrammar.@Nullable WhereClauseContext tree) {
        return tree == null ? null : expressions.expression(tree.expression());
    }

    private Query.Source source(SqlGrammar.SourceContext tree) {
        Query.Source left = sourcePrimary(tree.sourcePrimary());
        for (SqlGrammar.JoinedContext joined : tree.joined()) {
            left = joined(joined, left);
        }
        return left;
    }

    private Query.Source joined(SqlGrammar.JoinedContext tree, Query.Source left) {
        Position position = position(tree);
        return switch (tree) {
            case SqlGrammar.CrossJoinContext c ->
                    new Query.Join(
                            Query.Join.Kind.CROSS,
                            left,
                            sourcePrimary(c.sourcePrimary()),
                            null,
                            List.of(),
                            false,
                            position);
            case SqlGrammar.NaturalJoinContext n ->
                    new Query.Join(
                            kind(n.joinKind()),
                            left,
                            sourcePrimary(n.sourcePrimary()),
                            null,
                            List.of(),
                            true,
                            position);
            case SqlGrammar.ConditionalJoinContext c ->
                    new Query.Join(
                            kind(c.joinKind()),
                            left,
                            source(c.source()),
                            expressions.optional(c.expression()),
                            c.nameList() == null ? List.of() : NameBuilder.names(c.nameList()),
                            false,
                            position);
            default -> throw new IllegalStateException("no join: " + tree.getClass());
        };
    }

    private static Query.Join.Kind kind(SqlGrammar.@Nullable JoinKindContext tree) {
        return tree == null
                ? Query.Join.Kind.INNER
                : Query.Join.Kind.valueOf(
                        SqlGrammar.VOCABULARY.getSymbolicName(tree.getStart().getType()));
    }

    private Query.Source sourcePrimary(SqlGrammar.SourcePrimaryContext tree) {
        return switch (tree) {
            case SqlGrammar.TableSourceContext t ->
                    tableSource(t.tableName(), t.sourceAlias(), position(t));
            case SqlGrammar.FunctionSourceContext f ->
                    new Query.FunctionSource(
                            NameBuilder.functionName(f.functionName()),
                            expressions.expressions(f.expression()),
                            isNumbered(f.ordinality()),
                            alias(f.sourceAlias()),
                            columns(f.sourceAlias()),
                            position(f));
            case SqlGrammar.QuerySourceContext q ->
                    new Query.QuerySource(
                            inParentheses(q.queryInParentheses()),
                            q.LATERAL() != null,
                            alias(q.sourceAlias()),
                            columns(q.sourceAlias()),
                            position(q));
            case SqlGrammar.SourceInParenthesesContext s -> source(s.source());
            default -> throw new IllegalStateException("no source: " + tree.getClass());
        };
    }

    private Query.Source tableSource(
            SqlGrammar.TableNameContext tree,
            SqlGrammar.@Nullable SourceAliasContext aliases,
            Position position) {
        Name name = NameBuilder.tableName(tree);
        Name alias = alias(aliases);
        List<Name> columns = columns(aliases);
        boolean isQualified = tree.name().size() > 1;
        Query.Source common =
                isQualified ? null : commonTables.source(name, alias, columns, position);
        return common == null ? new Query.TableSource(name, alias, columns, position) : common;
    }

    private static @Nullable Name alias(SqlGrammar.@Nullable SourceAliasContext tree) {
        if (tree == null) {
            return null;
        }
        return NameBuilder.name(tree.name() == null ? tree.bareLabel() : tree.name());
    }

    private static List<Name> columns(SqlGrammar.@Nullable SourceAliasContext tree) {
        return tree == null || tree.nameList() == null
                ? List.of()
                : NameBuilder.names(tree.nameList());
    }

    Query.SortKey sortKey(SqlGrammar.SortKeyContext tree) {
        return new Query.SortKey(
                expressions.expression(tree.expression()),
                tree.DESC() != null,
                tree.NULLS() == null ? null : tree.FIRST() != null,
                position(tree));
    }
}
