package org.namdb.sql.engine.ddl;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.bind.Field;
import org.namdb.sql.engine.bind.QueryBinder;
import org.namdb.sql.engine.bind.ViewNames;
import org.namdb.sql.engine.catalog.SqlView;
import org.namdb.sql.engine.catalog.ViewTable;
import org.namdb.sql.engine.expression.ParameterTypes;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.ast.ViewStatement;
import org.namdb.sql.language.ast.ViewStatement.AlterView;
import org.namdb.sql.language.ast.ViewStatement.CreateView;
import org.namdb.sql.language.ast.ViewStatement.DropView;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.SqlParser;

/// CREATE VIEW, ALTER VIEW and DROP VIEW, and what becomes of views when tables change.
final class ViewSteps {
    private final DdlContext context;
    private final NavigableMap<String, SqlView> views;

    ViewSteps(DdlContext context) {
        this.context = context;
        this.views = new TreeMap<>(context.catalog().views());
    }

    /// Runs a statement.
    ///
    /// @return its tag
    String run(ViewStatement statement) {
        return switch (statement) {
            case CreateView create -> {
                create(create);
                yield "CREATE VIEW";
            }
            case AlterView alter -> {
                alter(alter);
                yield "ALTER VIEW";
            }
            case DropView drop -> {
                drop(drop);
                yield "DROP VIEW";
            }
        };
    }

    private void create(CreateView create) {
        String name = Names.checked(create.view());
        SqlView old = views.get(name);
        if (old == null && create.isReplace() && context.catalog().hasRelation(name)) {
            throw new SqlException(
                    SqlState.WRONG_OBJECT_TYPE,
                    "\"" + name + "\" is not a view",
                    create.view().position());
        }
        if (!create.isReplace()) {
            requireFree(create.view());
        }
        List<Field> _ = bind(create.query(), null); // errors have their places in the statement
        ViewNames names = new ViewNames();
        List<Field> fields = bind(parse(create.text()), names);
        List<SqlView.Column> columns = columns(create, fields);
        Set<String> sources = names.sources();
        if (reads(sources, name)) {
            throw new SqlException(
                    SqlState.INVALID_OBJECT_DEFINITION,
                    "infinite recursion detected in rules for relation \"" + name + "\"",
                    create.view().position());
        }
        if (old != null) {
            requireSameColumns(old.columns(), columns);
        }
        Ownership ownership =
                old == null ? new Ownership(context.authority().role(), null) : old.ownership();
        String text = names.expanded(create.text());
        put(new SqlView(name, columns, text, sources, ownership));
    }

    /// A view is there, or as it is from now on; a change of the schema.
    void put(SqlView view) {
        views.put(view.name(), view);
        keep();
    }

    /// Keeps the views as they have become; a change of the schema.
    void keep() {
        if (!views.equals(context.catalog().views())) {
            ViewTable.store(context.db(), views);
        }
    }

    private void requireFree(Name name) {
        if (context.catalog().hasRelation(name.text())) {
            throw new SqlException(
                    SqlState.DUPLICATE_TABLE,
                    "relation \"" + name.text() + "\" already exists",
                    name.position());
        }
    }

    private List<Field> bind(Query query, @Nullable ViewNames names) {
        ParameterTypes parameters = new ParameterTypes();
        BindContext bind = new BindContext(context.catalog(), parameters);
        List<Field> fields =
                new QueryBinder(names == null ? bind : bind.collecting(names)).bind(query).fields();
        if (parameters.count() > 0) {
            throw new SqlException(
                    SqlState.UNDEFINED_PARAMETER, "there is no parameter $1", query.position());
        }
        return fields;
    }

    /// Collects the names in the query of a view, which temporary relations don't hide.
    private void collect(SqlView view, ViewNames names) {
        BindContext bind = BindContext.ofCatalog(context.catalog()).collecting(names);
        List<Field> _ = new QueryBinder(bind).bind(parse(view.text())).fields();
    }

    private static Query parse(String text) {
        if (SqlParser.parseOne(text) instanceof Statement.Select select) {
            return select.query();
        }
        throw new IllegalStateException("no query: " + text);
    }

    private static List<SqlView.Column> columns(CreateView create, List<Field> fields) {
        if (create.columns().size() > fields.size()) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "CREATE VIEW specifies more column names than columns",
                    create.columns().get(fields.size()).position());
        }
        List<SqlView.Column> columns = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < fields.size(); i++) {
            Field field = fields.get(i);
            String name =
                    i < create.columns().size()
                            ? Names.checked(create.columns().get(i))
                            : field.name();
            if (!seen.add(name)) {
                throw new SqlException(
                        SqlState.DUPLICATE_COLUMN,
                        "column \"" + name + "\" specified more than once",
                        create.position());
            }
            columns.add(new SqlView.Column(name, field.type()));
        }
        return columns;
    }

    /// The columns of a view that is replaced stay; more may come behind them.
    private static void requireSameColumns(List<SqlView.Column> old, List<SqlView.Column> columns) {
        if (columns.size() < old.size()) {
            throw new SqlException(
                    SqlState.INVALID_TABLE_DEFINITION, "cannot drop columns from view");
        }
        for (int i = 0; i < old.size(); i++) {
            SqlView.Column before = old.get(i);
            SqlView.Column after = columns.get(i);
            if (!before.name().equals(after.name())) {
                throw new SqlException(
                        SqlState.INVALID_TABLE_DEFINITION,
                        "cannot change name of view column \"%s\" to \"%s\""
                                .formatted(before.name(), after.name()));
            }
            if (!before.type().equals(after.type())) {
                throw new SqlException(
                        SqlState.INVALID_TABLE_DEFINITION,
                        "cannot change data type of view column \"%s\" from %s to %s"
                                .formatted(before.name(), before.type(), after.type()));
            }
        }
    }

    /// Whether one of the relations is a view, or reads it.
    private boolean reads(Collection<String> relations, String view) {
        for (String relation : relations) {
            SqlView known = views.get(relation);
            if (relation.equals(view) || known != null && reads(known.sources(), view)) {
                return true;
            }
        }
        return false;
    }

    private @Nullable SqlView find(Name name, boolean ifExists) {
        SqlView view = views.get(name.text());
        if (view != null) {
            return view;
        }
        if (context.catalog().hasRelation(name.text())) {
            SqlException error =
                    new SqlException(
                            SqlState.WRONG_OBJECT_TYPE,
                            "\"" + name.text() + "\" is not a view",
                            name.position());
            throw context.catalog().find(name.text()) == null
                    ? error
                    : error.withHint("Use DROP TABLE to remove a table.");
        }
        String text = "view \"" + name.text() + "\" does not exist";
        if (!ifExists) {
            throw new SqlException(SqlState.UNDEFINED_TABLE, text, name.position());
        }
        context.notice(text + ", skipping");
        return null;
    }

    private void alter(AlterView alter) {
        SqlView view = find(alter.view(), alter.ifExists());
        if (view == null) {
            return;
        }
        if (alter.owner() != null) {
            String owner = RoleSteps.newOwner(context, alter.owner(), view.ownership().owner());
            views.put(view.name(), view.with(view.ownership().ofOwner(owner)));
        } else if (alter.newName() != null) {
            String name = Names.checked(alter.newName());
            requireFree(alter.newName());
            views.remove(view.name());
            views.put(
                    name,
                    new SqlView(
                            name, view.columns(), view.text(), view.sources(), view.ownership()));
            rename(view.name(), name);
        }
        keep();
    }

    private void drop(DropView drop) {
        Set<String> names = new LinkedHashSet<>();
        for (Name name : drop.views()) {
            SqlView view = find(name, drop.ifExists());
            if (view != null) {
                names.add(view.name());
            }
        }
        dropReaders(names, "view", drop.isCascade());
        names.forEach(views::remove);
        keep();
    }

    /// Drops the views that read relations which are dropped, and those that read them.
    ///
    /// @param kind of the relations, for messages
    /// @throws SqlException 2BP01 if there are some, and this is no cascade
    void dropReaders(Set<String> relations, String kind, boolean isCascade) {
        List<String> next = new ArrayList<>(relations);
        while (!next.isEmpty()) {
            String dropped = next.removeFirst();
            String on = (relations.contains(dropped) ? kind : "view") + " " + dropped;
            for (SqlView view : List.copyOf(views.values())) {
                if (view.sources().contains(dropped) && !relations.contains(view.name())) {
                    drop(view, on, isCascade);
                    next.add(view.name());
                }
            }
        }
    }

    /// Drops the views that may read a column of a table, and those that read them.
    ///
    /// @throws SqlException 2BP01 if there are some, and this is no cascade
    void dropReadersOf(String table, String column, boolean isCascade) {
        for (SqlView view : List.copyOf(views.values())) {
            if (view.sources().contains(table) && view.mayUse(column)) {
                drop(view, "column " + column + " of table " + table, isCascade);
                dropReaders(Set.of(view.name()), "view", isCascade);
            }
        }
    }

    /// Drops the views that use sequences which are dropped, and those that read them.
    ///
    /// @throws SqlException 2BP01 if there are some, and this is no cascade
    void dropUsersOf(Set<String> sequences, boolean isCascade) {
        for (String sequence : sequences) {
            dropUsers(names -> names.usesSequence(sequence), "sequence " + sequence, isCascade);
        }
    }

    /// Drops the views whose queries use something, and those that read them.
    ///
    /// @param used as messages name it
    /// @throws SqlException 2BP01 if there are some, and this is no cascade
    void dropUsers(Predicate<ViewNames> isUsed, String used, boolean isCascade) {
        for (SqlView view : List.copyOf(views.values())) {
            if (isUsed.test(names(view))) {
                drop(view, used, isCascade);
                dropReaders(Set.of(view.name()), "view", isCascade);
            }
        }
    }

    /// What a view uses; nothing if that is there no more.
    private ViewNames names(SqlView view) {
        ViewNames names = new ViewNames();
        try {
            collect(view, names);
        } catch (SqlException _) {
            return new ViewNames();
        }
        return names;
    }

    /// @param on what it depends on, as messages name it
    private void drop(SqlView view, String on, boolean isCascade) {
        if (!isCascade) {
            throw new SqlException(
                            SqlState.DEPENDENT_OBJECTS,
                            "cannot drop " + on + " because other objects depend on it")
                    .withDetail("view " + view.name() + " depends on " + on)
                    .withHint("Use DROP ... CASCADE to drop the dependent objects too.");
        }
        if (views.remove(view.name()) != null) {
            context.notice("drop cascades to view " + view.name());
        }
    }

    /// Refuses another name or type for a column that a view may read: its text and its columns
    /// would have to follow.
    ///
    /// @param change what is refused, as `rename`
    /// @throws SqlException 0A000 if there is one
    void requireUnread(String table, Name column, String change) {
        for (SqlView view : views.values()) {
            if (view.sources().contains(table) && view.mayUse(column.text())) {
                throw new SqlException(
                                SqlState.FEATURE_NOT_SUPPORTED,
                                "cannot %s column \"%s\" of table \"%s\" while view \"%s\" reads it"
                                        .formatted(change, column.text(), table, view.name()),
                                column.position())
                        .withHint("Drop the view, and create it again afterwards.");
            }
        }
    }

    /// A relation gets another name: the views that read it follow.
    void rename(String old, String newName) {
        for (SqlView view : List.copyOf(views.values())) {
            if (view.sources().contains(old)) {
                ViewNames names = new ViewNames();
                collect(view, names);
                Set<String> sources = new LinkedHashSet<>(view.sources());
                sources.remove(old);
                sources.add(newName);
                views.put(
                        view.name(),
                        new SqlView(
                                view.name(),
                                view.columns(),
                                names.renamed(view.text(), old, newName),
                                sources,
                                view.ownership()));
            }
        }
    }
}
