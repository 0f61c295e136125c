package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.Routine;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.SqlView;
import org.namdb.sql.engine.catalog.SystemCatalog;
import org.namdb.sql.engine.catalog.SystemRelation;
import org.namdb.sql.engine.catalog.Tables;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.ParameterTypes;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.engine.role.Privilege;
import org.namdb.sql.engine.statistics.TableStatistics;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// What is known while the names of one statement are given their meaning: the tables, the
/// parameters, and which numbers of columns are taken. Belongs to one thread and one statement.
public final class BindContext {
    /// Numbers below are the positions of scopes that were made by hand ([Scope#of]).
    private static final int FIRST_FIELD = 1 << 20;

    /// How often queries of WITH may be read by one statement.
    private static final int MAX_COMMON_REFERENCES = 1000;

    private final Tables tables;
    private final ParameterTypes parameters;
    private final Variables variables;
    private final Set<SqlTable> used = new LinkedHashSet<>();
    private final Map<NeededKey, NeededPrivileges> needed = new LinkedHashMap<>();
    private @Nullable ViewNames viewNames;

    /// The views whose queries are being bound, from the outermost on.
    private final List<SqlView> views = new ArrayList<>();

    private final Map<Query.CommonTable, Integer> references = new HashMap<>();
    private final Map<Query.CommonTable, Change> changes = new HashMap<>();
    private int commonReferences;
    private final List<CommonTableBinder.Recursion> recursions = new ArrayList<>();
    private final Set<CommonTableBinder.Recursion> readRecursions = new HashSet<>();

    private final Map<Integer, Position> places = new HashMap<>();
    private final Map<Scalar, Position> aggregates = new HashMap<>();
    private @Nullable SystemCatalog system;
    private @Nullable String secret;
    private int nextField = FIRST_FIELD;
    private boolean callsRoutine;
    private boolean hasEffect;
    private boolean changesSession;
    private boolean hasQuery;
    private boolean isOfCatalog;

    /// The start of a statement.
    ///
    /// @param tables gives tables by name
    /// @param parameters collects the types of the statement's parameters
    public BindContext(Tables tables, ParameterTypes parameters) {
        this(tables, parameters, Variables.NONE);
    }

    /// The start of a statement of a routine.
    ///
    /// @param variables those that it may use
    public BindContext(Tables tables, ParameterTypes parameters, Variables variables) {
        this.tables = tables;
        this.parameters = parameters;
        this.variables = variables;
    }

    /// The start of an expression that the catalog keeps: no temporary relation hides those that it
    /// names.
    public static BindContext ofCatalog(Tables tables) {
        BindContext context = new BindContext(tables, new ParameterTypes());
        context.isOfCatalog = true;
        return context;
    }

    /// The variables that the statement may use in addition to columns; none in the query of a
    /// view.
    Variables variables() {
        return views.isEmpty() ? variables : Variables.NONE;
    }

    /// The function or procedure of this name whose source the database holds; null if there is
    /// none.
    @Nullable Routine routine(String name) {
        Routine routine = tables.routine(name);
        callsRoutine |= routine != null;
        ViewNames names = viewNames();
        if (routine != null && names != null) {
            names.routine(name);
        }
        return routine;
    }

    /// The procedure in Java of this name; null if there is none.
    @Nullable Routine javaProcedure(String name) {
        return tables.javaProcedure(name);
    }

    /// Records that a query of WITH is read.
    ///
    /// @return how many times, this one included
    /// @throws SqlException 54001 if all of them are read too often: each may read another one
    ///     several times
    int refer(Query.CommonTable table, Position position) {
        if (++commonReferences > MAX_COMMON_REFERENCES) {
            throw new SqlException(
                    SqlState.STATEMENT_TOO_COMPLEX,
                    "WITH queries are read more than " + MAX_COMMON_REFERENCES + " times",
                    position);
        }
        return references.merge(table, 1, Integer::sum);
    }

    /// Gives the recursive part of a query of WITH its meaning.
    <T> T within(CommonTableBinder.Recursion recursion, Supplier<T> binder) {
        recursions.add(recursion);
        try {
            return binder.get();
        } finally {
            recursions.removeLast();
            readRecursions.remove(recursion);
        }
    }

    /// The recursive query whose recursive part is being given its meaning; null if it is not.
    ///
    /// @param name where WITH declares it
    CommonTableBinder.@Nullable Recursion recursion(Name name) {
        for (CommonTableBinder.Recursion each : recursions.reversed()) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        return null;
    }

    /// Records that a recursive query reads itself.
    ///
    /// @return false if it does so already
    boolean read(CommonTableBinder.Recursion recursion) {
        return readRecursions.add(recursion);
    }

    /// Records that the statement calls a function whose effect a rollback does not undo.
    void noteEffect() {
        hasEffect = true;
    }

    /// Whether the statement calls a function whose effect a rollback does not undo, and that is
    /// another one when it is called again: `setval` overwrites what others have taken meanwhile.
    public boolean hasEffect() {
        return hasEffect;
    }

    /// Records that the statement calls a function of advisory locks, or one that sets a setting.
    void noteSessionChange() {
        changesSession = true;
    }

    /// Whether the statement changes the session's locks or settings by functions.
    public boolean changesSession() {
        return changesSession;
    }

    /// Records that there is a query in the statement, or that it is one.
    void noteQuery() {
        hasQuery = true;
    }

    /// Whether the statement is a query, or has one in it.
    public boolean hasQuery() {
        return hasQuery;
    }

    /// Whether the statement calls functions that users have made.
    public boolean callsRoutine() {
        return callsRoutine;
    }

    /// The types of the statement's parameters, as far as they are known.
    public ParameterTypes parameters() {
        return parameters;
    }

    /// The tables that the statement has named so far.
    public Set<SqlTable> usedTables() {
        return used;
    }

    /// Gives a part of the statement its meaning.
    ///
    /// @param named gets the tables that it names
    public <T> T part(Supplier<T> binder, Set<SqlTable> named) {
        Set<SqlTable> before = new LinkedHashSet<>(used);
        used.clear();
        T bound = binder.get();
        named.addAll(used);
        used.addAll(before);
        return bound;
    }

    /// A change in WITH.
    ///
    /// @param number by which its rows are known
    /// @param columns those of its RETURNING
    /// @param rows how many are expected
    record Change(int number, List<Field> columns, double rows) {}

    /// Adds a change in WITH, which the parts behind it may read.
    ///
    /// @param columns those of its RETURNING
    /// @param rows how many are expected
    /// @return the number by which its rows are known
    public int addChange(Query.CommonTable table, List<Field> columns, double rows) {
        changes.put(table, new Change(changes.size(), columns, rows));
        return changes.size() - 1;
    }

    Change change(Query.CommonTable table) {
        return Objects.requireNonNull(changes.get(table), "a change that was not added");
    }

    /// Privileges that the statement needs on a table or a view.
    ///
    /// @param role who needs them: the owner of the view that reads it; null for the statement's
    ///     role
    /// @param kind as messages name it
    /// @param privileges a set of [Privilege]s
    public record NeededPrivileges(
            @Nullable String role, String kind, String name, Ownership ownership, int privileges) {}

    private record NeededKey(@Nullable String role, String name) {}

    /// The privileges that the statement needs on what it has named so far.
    public Collection<NeededPrivileges> neededPrivileges() {
        return needed.values();
    }

    /// The query that is bound next is a view's, and its names are collected.
    public BindContext collecting(ViewNames names) {
        viewNames = names;
        return this;
    }

    /// Where the names of a view's query are collected; null if it is another query.
    @Nullable ViewNames viewNames() {
        return views.isEmpty() ? viewNames : null;
    }

    /// The relation of the system's catalog that the statement reads and superusers alone may read;
    /// null if there is none.
    public @Nullable String secretRelation() {
        return secret;
    }

    /// The statement needs another privilege on a table.
    public void need(SqlTable table, Privilege privilege) {
        used.add(table);
        need("table", table.name(), table.ownership(), privilege);
    }

    private void need(String kind, String name, Ownership ownership, Privilege privilege) {
        String role = views.isEmpty() ? null : views.getLast().ownership().owner();
        needed.merge(
                new NeededKey(role, name),
                new NeededPrivileges(role, kind, name, ownership, privilege.bit()),
                (a, b) ->
                        new NeededPrivileges(
                                role, kind, name, ownership, a.privileges | b.privileges));
    }

    /// The view of this name; null if there is none.
    @Nullable SqlView view(Name name) {
        String meant = resolve(name.text());
        return tables.find(meant) == null ? tables.findView(meant) : null;
    }

    /// The name of the relation that the statement means. A view's query means permanent ones.
    ///
    /// @throws SqlException 0A000 if a view is made that reads a temporary table
    String resolve(String name) {
        if (isOfCatalog || !views.isEmpty()) {
            return name;
        }
        String resolved = tables.resolve(name);
        if (viewNames != null && TemporaryNames.isTemporary(resolved)) {
            throw new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "views of temporary tables are not supported")
                    .withHint("Use a WITH query, or make the table permanent.");
        }
        return resolved;
    }

    /// Binds a view's query: what that reads is read with the rights of the view's owner.
    ///
    /// @throws SqlException 42P17 if the view reads itself
    <T> T within(SqlView view, Supplier<T> bind) {
        if (views.stream().anyMatch(each -> each.name().equals(view.name()))) {
            throw new SqlException(
                    SqlState.INVALID_OBJECT_DEFINITION,
                    "infinite recursion detected in rules for relation \"" + view.name() + "\"");
        }
        need("view", view.name(), view.ownership(), Privilege.SELECT);
        views.add(view);
        try {
            return bind.get();
        } finally {
            views.removeLast();
        }
    }

    /// The table of this name.
    ///
    /// @param privilege what the statement does with it
    /// @throws SqlException 42P01 if there is none, 42501 if it is of the system's catalog
    public SqlTable table(Name name, Privilege privilege) {
        String meant = resolve(name.text());
        SqlTable table = tables.find(meant);
        if (table == null && tables.findSequence(meant) != null) {
            throw new SqlException(
                    SqlState.WRONG_OBJECT_TYPE,
                    "cannot change sequence \"" + name.text() + "\"",
                    name.position());
        }
        boolean isView = table == null && tables.findView(meant) != null;
        if (isView && privilege == Privilege.SELECT) {
            throw new SqlException(
                            SqlState.WRONG_OBJECT_TYPE,
                            "cannot copy from view \"" + name.text() + "\"",
                            name.position())
                    .withHint("Try the COPY (SELECT ...) TO variant.");
        }
        if (isView) {
            throw new SqlException(
                            SqlState.NOT_IN_PREREQUISITE_STATE,
                            "cannot change view \"" + name.text() + "\"",
                            name.position())
                    .withDetail("Views are not updatable.")
                    .withHint("Change the tables that the view reads.");
        }
        if (table == null && system().relation(name.text()) != null) {
            throw new SqlException(
                    SqlState.INSUFFICIENT_PRIVILEGE,
                    "permission denied: \"" + name.text() + "\" is a system catalog",
                    name.position());
        }
        if (table == null) {
            throw new SqlException(
                    SqlState.UNDEFINED_TABLE,
                    "relation \"" + name.text() + "\" does not exist",
                    name.position());
        }
        need(table, privilege);
        return table;
    }

    /// Whether a name is a sequence's.
    boolean isSequence(Name name) {
        String meant = resolve(name.text());
        return tables.find(meant) == null && tables.findSequence(meant) != null;
    }

    /// The table whose rows a function returns; no privilege on it is needed.
    ///
    /// @throws SqlException 42P01 if there is none
    SqlTable rowType(String name) {
        SqlTable table = tables.find(resolve(name));
        if (table == null) {
            throw new SqlException(
                    SqlState.UNDEFINED_TABLE, "relation \"" + name + "\" does not exist");
        }
        return table;
    }

    /// What ANALYZE has learned of a table; null if that is nothing.
    public @Nullable TableStatistics statistics(SqlTable table) {
        return tables.statistics(table);
    }

    /// The relation of the system's catalog of this name; null if there is none, or a table has the
    /// name.
    @Nullable SystemRelation systemRelation(Name name) {
        SystemRelation relation =
                tables.find(resolve(name.text())) == null ? system().relation(name.text()) : null;
        if (relation != null && relation.isSecret()) {
            secret = name.text();
        }
        return relation;
    }

    /// What clients look up in the system's catalog.
    SystemCatalog system() {
        SystemCatalog known = system;
        if (known == null) {
            known = tables.system();
            system = known;
        }
        return known;
    }

    /// Whether the statement depends on all tables, and not on those alone that it names.
    public boolean usesSystem() {
        return system != null;
    }

    /// Records where a column is named, for errors that are found later.
    void noteColumn(Scalar column, Position place) {
        if (column instanceof ColumnScalar named) {
            places.putIfAbsent(named.index(), place);
        }
    }

    /// Where a column is named first.
    Position placeOf(ColumnScalar column) {
        return places.getOrDefault(column.index(), Position.NONE);
    }

    /// Records where an aggregate is called, for errors that are found later.
    void noteAggregate(Scalar aggregate, Position place) {
        aggregates.putIfAbsent(aggregate, place);
    }

    /// Where an aggregate is called first.
    Position placeOfAggregate(Scalar aggregate) {
        return aggregates.getOrDefault(aggregate, Position.NONE);
    }

    /// A new column.
    Field field(String name, SqlType type) {
        return new Field(nextField++, name, type);
    }
}
