package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.antlr.v4.runtime.ParserRuleContext;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The queries of WITH, and its changes, while what stands behind them is built.
final class CommonTables {
    private final QueryBuilder queries;

    /// The queries of WITH that can be referred to, by name.
    private Map<String, CommonReference> references = Map.of();

    /// Those that something refers to.
    private final Set<Query.CommonTable> read = new HashSet<>();

    /// The names of those that refer to themselves, as they are declared.
    private final Set<Name> recursions = new HashSet<>();

    /// What builds the changes of the WITH that is built next; null if it may have none.
    private @Nullable Function<ParserRuleContext, Statement> changeBuilder;

    /// The changes of the statement's WITH.
    private final List<Query.CommonTable> changes = new ArrayList<>();

    /// @param table null while it is being built, and refers to itself
    private record CommonReference(Name declared, Query.@Nullable CommonTable table) {}

    CommonTables(QueryBuilder queries) {
        this.queries = queries;
    }

    /// The WITH that is built next is the statement's own, which may have changes.
    ///
    /// @param builder builds them
    void allowChanges(Function<ParserRuleContext, Statement> builder) {
        changeBuilder = builder;
        changes.clear();
    }

    /// The changes of the statement's WITH, in their order.
    List<Query.CommonTable> changes() {
        return List.copyOf(changes);
    }

    /// Builds a query behind WITH.
    Query within(SqlGrammar.@Nullable WithClauseContext tree, SqlGrammar.PlainQueryContext plain) {
        Map<String, CommonReference> outer = references;
        List<Query.CommonTable> unread = new ArrayList<>();
        Query query =
                within(
                        tree,
                        () -> {
                            Query built = queries.plainQuery(plain);
                            references.forEach((name, own) -> {
                                Query.CommonTable table = own.table();
                                boolean isOwn = table != null && !own.equals(outer.get(name));
                                boolean runs =
                                        table != null
                                                && table.query().body() instanceof Query.Returned;
                                if (isOwn && !runs && !read.contains(table)) {
                                    unread.add(table);
                                }
                            });
                            return built;
                        });
        return query.withUnread(unread);
    }

    /// Builds what stands behind WITH, which may refer to its queries, as each may to those before
    /// it.
    <T> T within(SqlGrammar.@Nullable WithClauseContext tree, Supplier<T> builder) {
        Function<ParserRuleContext, Statement> ofChanges = changeBuilder;
        changeBuilder = null;
        if (tree == null) {
            return builder.get();
        }
        Map<String, CommonReference> outer = references;
        references = new HashMap<>(outer);
        try {
            boolean isRecursive = QueryBuilder.isWord(tree.recursive, "recursive");
            Set<String> names = new HashSet<>();
            for (SqlGrammar.CommonTableContext each : tree.commonTable()) {
                Query.CommonTable table = commonTable(each, isRecursive, ofChanges);
                String name = table.name().text();
                if (!names.add(name)) {
                    throw new SqlException(
                            SqlState.DUPLICATE_ALIAS,
                            "WITH query name \"" + name + "\" specified more than once",
                            table.name().position());
                }
                references.put(name, new CommonReference(table.name(), table));
            }
            return builder.get();
        } finally {
            references = outer;
        }
    }

    private Query.CommonTable commonTable(
            SqlGrammar.CommonTableContext tree,
            boolean isRecursive,
            @Nullable Function<ParserRuleContext, Statement> ofChanges) {
        boolean _ =
                QueryBuilder.isWord(
                        tree.materialized, "materialized"); // each is evaluated where it is read
        if (tree.queryInParentheses() == null) {
            return change(tree, ofChanges);
        }
        Name name = NameBuilder.name(tree.name());
        if (isRecursive) {
            references.put(name.text(), new CommonReference(name, null));
        }
        Query query = queries.inParentheses(tree.queryInParentheses());
        return new Query.CommonTable(
                name,
                tree.nameList() == null ? List.of() : NameBuilder.names(tree.nameList()),
                query,
                recursions.remove(name));
    }

    private Query.CommonTable change(
            SqlGrammar.CommonTableContext tree,
            @Nullable Function<ParserRuleContext, Statement> builder) {
        if (builder == null) {
            throw Unsupported.error(
                    "WITH clause containing a data-modifying statement must be at the top level",
                    NameBuilder.position(tree));
        }
        ParserRuleContext change =
                tree.insert() != null
                        ? tree.insert()
                        : tree.update() != null ? tree.update() : tree.delete();
        Query.Body rows =
                new Query.Returned(
                        (Statement.Plain) builder.apply(change), NameBuilder.position(change));
        Query.CommonTable table =
                new Query.CommonTable(
                        NameBuilder.name(tree.name()),
                        tree.nameList() == null ? List.of() : NameBuilder.names(tree.nameList()),
                        QueryBuilder.plain(rows, NameBuilder.position(change)),
                        false);
        changes.add(table);
        return table;
    }

    /// What a name in FROM refers to; null if that is nothing of WITH.
    Query.@Nullable Source source(
            Name name, @Nullable Name alias, List<Name> columns, Position position) {
        CommonReference common = references.get(name.text());
        if (common == null) {
            return null;
        }
        Query.CommonTable table = common.table();
        if (table == null) {
            recursions.add(common.declared());
            return new Query.RecursionSource(common.declared(), name, alias, columns, position);
        }
        read.add(table);
        return new Query.CommonTableSource(table, alias, columns, position);
    }
}
