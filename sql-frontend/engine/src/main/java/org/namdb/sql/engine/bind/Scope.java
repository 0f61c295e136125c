package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.NearestName;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.Keywords;

/// The names that an expression may use: tables by their aliases, and their columns. Immutable.
///
/// A scope made by [#of] and [#join] names columns by their position in a tuple: first those of the
/// first table, the hidden one too, then those of the second. An expression bound in it, if it has
/// no subquery, can be evaluated on such a tuple at once:
///
/// ```java
/// Scope scope = Scope.of(table, "t").join(Scope.of(table, "excluded"));
/// Scalar value = new ExpressionBinder(context).bind(expression, scope);
/// Object changed = value.evaluate(frame.on(bothRows));
/// ```
public final class Scope {
    /// Without any name.
    public static final Scope EMPTY = new Scope(List.of(), List.of(), null);

    /// A name and what it stands for.
    record Visible(String name, Scalar value, boolean isHidden) {}

    /// A table by its alias.
    ///
    /// @param table the table's own name; null of what is no table
    record Entry(String alias, List<Visible> columns, @Nullable String table) {
        Entry with(List<Visible> others) {
            return new Entry(alias, others, table);
        }
    }

    private final List<Entry> entries;

    /// What a name alone may mean, in the order of `*`.
    private final List<Visible> unqualified;

    private final @Nullable Arguments arguments;

    private Scope(List<Entry> entries, List<Visible> unqualified, @Nullable Arguments arguments) {
        this.entries = entries;
        this.unqualified = unqualified;
        this.arguments = arguments;
    }

    /// The columns of one table, named by their position in its row.
    ///
    /// @param alias what the table is called
    public static Scope of(SqlTable table, String alias) {
        List<Visible> columns = new ArrayList<>();
        for (int i = 0; i < table.columns().size(); i++) {
            SqlColumn column = table.columns().get(i);
            columns.add(
                    new Visible(
                            column.name(),
                            new ColumnScalar(i, column.type(), column.name()),
                            column.isHidden()));
        }
        return new Scope(List.of(new Entry(alias, columns, table.name())), columns, null);
    }

    /// Columns that belong to no table yet, named by their position in a tuple.
    ///
    /// @param alias what the table is called
    public static Scope ofColumns(String alias, List<ColumnScalar> columns) {
        List<Visible> visible =
                columns.stream().map(column -> new Visible(column.name(), column, false)).toList();
        return new Scope(List.of(new Entry(alias, visible, null)), visible, null);
    }

    /// The columns of a relation under an alias.
    static Scope of(String alias, List<Field> fields, List<Boolean> hidden) {
        List<Visible> columns = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++) {
            Field field = fields.get(i);
            columns.add(new Visible(field.name(), field.scalar(), hidden.get(i)));
        }
        return new Scope(List.of(new Entry(alias, columns, null)), columns, null);
    }

    /// The same names, of a scope of one table under an alias.
    ///
    /// @param table the table's own name
    Scope ofTable(String table) {
        List<Entry> named =
                entries.stream().map(e -> new Entry(e.alias(), e.columns(), table)).toList();
        return new Scope(named, unqualified, arguments);
    }

    /// Both scopes' names, for a tuple that is a row of this scope followed by one of the other.
    /// Both made by [#of] or this method.
    public Scope join(Scope other) {
        int shift = entries.stream().mapToInt(entry -> entry.columns().size()).sum();
        List<Entry> moved = new ArrayList<>();
        List<Visible> visible = new ArrayList<>();
        for (Entry entry : other.entries) {
            List<Visible> columns = entry.columns().stream().map(c -> moved(c, shift)).toList();
            moved.add(entry.with(columns));
            visible.addAll(columns);
        }
        return with(new Scope(moved, visible, null));
    }

    /// The same names, for tuples that hold these fields in this order.
    public Scope onTuplesOf(List<Field> fields) {
        List<Entry> moved = new ArrayList<>();
        for (Entry entry : entries) {
            moved.add(entry.with(entry.columns().stream().map(c -> placed(c, fields)).toList()));
        }
        return new Scope(
                moved, unqualified.stream().map(c -> placed(c, fields)).toList(), arguments);
    }

    /// The same names, and one more for an expression over what they stand for.
    ///
    /// @param alias what must be written before the name
    Scope with(String alias, String name, Scalar value) {
        List<Entry> more = new ArrayList<>(entries);
        more.add(new Entry(alias, List.of(new Visible(name, value, false)), null));
        return new Scope(more, unqualified, arguments);
    }

    /// Both scopes' names, numbers unchanged.
    Scope with(Scope other) {
        List<Visible> visible = new ArrayList<>(unqualified);
        visible.addAll(other.unqualified);
        return new Scope(allEntries(other), visible, arguments);
    }

    /// Both scopes' names, those of `merged` in place of both sides' columns of the same names.
    Scope with(Scope other, List<Visible> merged) {
        Set<String> names = new HashSet<>();
        merged.forEach(column -> names.add(column.name()));
        List<Visible> visible = new ArrayList<>(merged);
        unqualified.stream().filter(c -> !names.contains(c.name())).forEach(visible::add);
        other.unqualified.stream().filter(c -> !names.contains(c.name())).forEach(visible::add);
        return new Scope(allEntries(other), visible, arguments);
    }

    /// The same, of a subquery that takes what it doesn't know from the query around it.
    Scope within(@Nullable Arguments outerArguments) {
        return new Scope(entries, unqualified, outerArguments);
    }

    @Nullable Arguments arguments() {
        return arguments;
    }

    /// What `*` stands for.
    List<Visible> all() {
        return unqualified.stream().filter(column -> !column.isHidden()).toList();
    }

    /// What `alias.*` stands for.
    ///
    /// @throws SqlException 42P01 if there is no such alias
    List<Visible> all(Name alias) {
        for (Entry entry : entries) {
            if (entry.alias().equals(alias.text())) {
                return entry.columns().stream().filter(column -> !column.isHidden()).toList();
            }
        }
        throw missingTable(alias);
    }

    /// What `*` or `alias.*` stands for, written out.
    ///
    /// @param alias null for `*`
    List<String> written(@Nullable Name alias) {
        List<String> written = new ArrayList<>();
        for (Visible column : alias == null ? all() : all(alias)) {
            String before = "";
            for (Entry entry : entries) {
                boolean isMeant = alias == null || entry.alias().equals(alias.text());
                if (isMeant && entry.columns().contains(column)) {
                    before = Keywords.quoted(entry.alias()) + ".";
                    break;
                }
            }
            written.add(before + Keywords.quoted(column.name()));
        }
        return written;
    }

    /// The column of this name alone that is in this scope itself; null if there is none, or more
    /// than one.
    @Nullable Visible only(String column) {
        Visible found = null;
        for (Visible candidate : unqualified) {
            if (!candidate.isHidden() && candidate.name().equals(column)) {
                if (found != null) {
                    return null;
                }
                found = candidate;
            }
        }
        return found;
    }

    /// What a column's name stands for.
    ///
    /// @throws SqlException 42703, 42P01 or 42702 if it stands for nothing, or for more than one
    ///     thing; 0A000 if for a whole row
    Scalar resolve(@Nullable Name qualifier, Name column) {
        Scalar found = find(qualifier, column);
        if (found != null) {
            return found;
        }
        if (qualifier == null && knows(column.text())) {
            throw new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "a whole row as a value is not supported",
                            column.position())
                    .withHint("Name its columns: " + column.text() + ".*, or one of them.");
        }
        if (qualifier == null) {
            throw hinted(
                    new SqlException(
                            SqlState.UNDEFINED_COLUMN,
                            "column \"" + column.text() + "\" does not exist",
                            column.position()),
                    column,
                    unqualifiedNames());
        }
        if (!knows(qualifier.text())) {
            throw missingTable(qualifier);
        }
        throw hinted(
                new SqlException(
                        SqlState.UNDEFINED_COLUMN,
                        "column " + qualifier.text() + "." + column.text() + " does not exist",
                        qualifier.position().to(column.position())),
                column,
                namesOf(qualifier.text()));
    }

    /// The same; null if it stands for nothing.
    ///
    /// @throws SqlException 42702 if it stands for more than one thing
    @Nullable Scalar find(@Nullable Name qualifier, Name column) {
        Visible found = null;
        for (Visible candidate : candidates(qualifier)) {
            if (!candidate.isHidden() && candidate.name().equals(column.text())) {
                if (found != null) {
                    throw new SqlException(
                            SqlState.AMBIGUOUS_COLUMN,
                            "column reference \"" + column.text() + "\" is ambiguous",
                            column.position());
                }
                found = candidate;
            }
        }
        if (found != null) {
            return found.value();
        }
        if (arguments == null || qualifier != null && knowsItself(qualifier.text())) {
            return null;
        }
        Scalar outer = arguments.outer().find(qualifier, column);
        return outer == null ? null : arguments.take(outer);
    }

    private List<Visible> candidates(@Nullable Name qualifier) {
        if (qualifier == null) {
            return unqualified;
        }
        for (Entry entry : entries) {
            if (entry.alias().equals(qualifier.text())) {
                return entry.columns();
            }
        }
        return List.of();
    }

    private boolean knows(String alias) {
        return knowsItself(alias) || arguments != null && arguments.outer().knows(alias);
    }

    private boolean knowsItself(String alias) {
        return entries.stream().anyMatch(entry -> entry.alias().equals(alias));
    }

    private List<String> unqualifiedNames() {
        return unqualified.stream().filter(c -> !c.isHidden()).map(Visible::name).toList();
    }

    private List<String> namesOf(String alias) {
        return entries.stream()
                .filter(entry -> entry.alias().equals(alias))
                .flatMap(entry -> entry.columns().stream())
                .filter(column -> !column.isHidden())
                .map(Visible::name)
                .toList();
    }

    private List<Entry> allEntries(Scope other) {
        List<Entry> all = new ArrayList<>(entries);
        for (Entry entry : other.entries) {
            if (knowsItself(entry.alias())) {
                throw new SqlException(
                        SqlState.DUPLICATE_ALIAS,
                        "table name \"" + entry.alias() + "\" specified more than once");
            }
            all.add(entry);
        }
        return all;
    }

    private static Visible moved(Visible column, int shift) {
        ColumnScalar at = (ColumnScalar) column.value();
        return new Visible(
                column.name(),
                new ColumnScalar(at.index() + shift, at.type(), at.name()),
                column.isHidden());
    }

    private static Visible placed(Visible column, List<Field> fields) {
        Scalar value = Rewrite.toPositions(column.value(), fields);
        return new Visible(column.name(), value, column.isHidden());
    }

    private SqlException missingTable(Name alias) {
        String instead = aliasOf(alias.text());
        if (instead != null) {
            return new SqlException(
                            SqlState.UNDEFINED_TABLE,
                            "invalid reference to FROM-clause entry for table \""
                                    + alias.text()
                                    + "\"",
                            alias.position())
                    .withHint(
                            "Perhaps you meant to reference the table alias \"" + instead + "\".");
        }
        return hinted(
                new SqlException(
                        SqlState.UNDEFINED_TABLE,
                        "missing FROM-clause entry for table \"" + alias.text() + "\"",
                        alias.position()),
                alias,
                entries.stream().map(Entry::alias).toList());
    }

    /// What a table is called instead of its own name; null if it is not there.
    private @Nullable String aliasOf(String table) {
        for (Entry entry : entries) {
            if (table.equals(entry.table())) {
                return entry.alias();
            }
        }
        return arguments == null ? null : arguments.outer().aliasOf(table);
    }

    private static SqlException hinted(SqlException error, Name name, List<String> known) {
        String hint = NearestName.hint(name.text(), known);
        return hint == null ? error : error.withHint(hint);
    }
}
