package org.namdb.sql.engine.ddl;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.CheckConstraint;
import org.namdb.sql.engine.catalog.ForeignKeyConstraint;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.catalog.UniqueKey;
import org.namdb.sql.engine.ddl.TableDraft.DraftColumn;
import org.namdb.sql.language.ast.DdlStatement.Check;
import org.namdb.sql.language.ast.DdlStatement.Constraint;
import org.namdb.sql.language.ast.DdlStatement.ForeignKey;
import org.namdb.sql.language.ast.DdlStatement.PrimaryKey;
import org.namdb.sql.language.ast.DdlStatement.Unique;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// Adds constraints to a draft, with the names that PostgreSQL would choose.
final class ConstraintBuilder {
    private final DdlContext context;
    private final TableDraft draft;

    /// Names that this statement has given out already.
    private final Set<String> relationNames = new HashSet<>();

    private final Set<String> freedNames = new HashSet<>();

    ConstraintBuilder(DdlContext context, TableDraft draft) {
        this.context = context;
        this.draft = draft;
    }

    /// The name of a primary key that this statement drops.
    void freeName(String name) {
        freedNames.add(name);
    }

    void add(Constraint constraint) {
        switch (constraint) {
            case PrimaryKey key -> primaryKey(key);
            case Unique unique -> unique(unique);
            case Check check -> check(check);
            case ForeignKey key -> foreignKey(key);
        }
    }

    /// The name of a unique index or another one: the one given, or one that is free.
    String relationName(@Nullable Name given, List<String> columns, String label) {
        String name =
                given != null
                        ? Names.beside(draft.name, given)
                        : Names.chosen(draft.name, columns, label, this::isTaken);
        if (isTaken(name)) {
            throw new SqlException(
                    SqlState.DUPLICATE_TABLE,
                    "relation \"" + name + "\" already exists",
                    position(given));
        }
        relationNames.add(name);
        return name;
    }

    private boolean isTaken(String name) {
        return relationNames.contains(name)
                || name.equals(draft.name)
                || draft.hasConstraint(name)
                || !freedNames.contains(name) && context.catalog().hasRelation(name);
    }

    /// Gives a constraint or a unique index another name.
    ///
    /// @throws SqlException 42710 or 42P07 if it is taken
    void rename(String old, Name newName) {
        boolean isPrimaryKey = !draft.primaryKey.isEmpty() && draft.primaryKeyName.equals(old);
        boolean isUnique = draft.uniqueKeys.stream().anyMatch(key -> key.name().equals(old));
        String name;
        if (isPrimaryKey || isUnique) {
            name = relationName(newName, List.of(), "key");
        } else {
            name = Names.checked(newName);
            requireFree(newName);
        }
        draft.oldConstraintNames.put(name, old);
        if (isPrimaryKey) {
            draft.primaryKeyName = name;
        }
        draft.uniqueKeys.replaceAll(key ->
                key.name().equals(old)
                        ? new UniqueKey(
                                name,
                                key.columns(),
                                key.isConstraint(),
                                key.orderedIndex() == null ? null : name)
                        : key);
        draft.checks.replaceAll(check ->
                check.name().equals(old)
                        ? new CheckConstraint(name, check.condition(), check.isValid())
                        : check);
        draft.foreignKeys.replaceAll(key -> key.name().equals(old) ? key.named(name) : key);
    }

    private void primaryKey(PrimaryKey key) {
        if (!draft.primaryKey.isEmpty()) {
            throw new SqlException(
                    SqlState.INVALID_TABLE_DEFINITION,
                    "multiple primary keys for table \"" + draft.name + "\" are not allowed",
                    key.position());
        }
        List<String> columns = columns(key.columns(), "primary key constraint");
        draft.primaryKeyName =
                key.name() == null
                        ? Names.chosen(draft.name, List.of(), "pkey", this::isTaken)
                        : relationName(key.name(), columns, "pkey");
        relationNames.add(draft.primaryKeyName);
        draft.primaryKey = columns;
        for (String column : columns) {
            draftColumn(column).isNullable = false;
        }
    }

    private void unique(Unique unique) {
        List<String> columns = columns(unique.columns(), "unique constraint");
        String name = relationName(unique.name(), columns, "key");
        draft.uniqueTypes(columns, name);
        draft.uniqueKeys.add(new UniqueKey(name, columns, true, null));
    }

    private void check(Check check) {
        List<Name> named = ExpressionColumns.of(check.condition(), "check constraint");
        Set<String> columns = new HashSet<>();
        named.forEach(name -> columns.add(name.text()));
        context.checkCondition(check.condition(), draft.name, GeneratedColumns.visible(draft));
        List<String> single = columns.size() == 1 ? List.copyOf(columns) : List.of();
        draft.checks.add(
                new CheckConstraint(constraintName(check.name(), single, "check"), check.text()));
    }

    /// Whether the conditions fit columns that have got other types.
    void recheck() {
        for (CheckConstraint check : draft.checks) {
            context.checkCondition(
                    context.parse(check.condition()), draft.name, GeneratedColumns.visible(draft));
        }
    }

    private void foreignKey(ForeignKey key) {
        List<String> columns = columns(key.columns(), "foreign key constraint");
        GeneratedColumns.requireSettable(key, columns, draft);
        Referenced referenced = referenced(key);
        requireSameKind(referenced.table, key);
        if (referenced.columns.size() != columns.size()) {
            throw new SqlException(
                    SqlState.INVALID_FOREIGN_KEY,
                    "number of referencing and referenced columns for foreign key disagree",
                    key.position());
        }
        String name = constraintName(key.name(), columns, "fkey");
        for (int i = 0; i < columns.size(); i++) {
            checkTypes(name, columns.get(i), referenced, i, key.position());
        }
        draft.foreignKeys.add(
                new ForeignKeyConstraint(
                        name,
                        draft.name,
                        columns,
                        referenced.table,
                        referenced.columns,
                        key.onDelete(),
                        key.onUpdate(),
                        true));
    }

    /// @throws SqlException 42P16 if one table is temporary, and the other is not
    private void requireSameKind(String referenced, ForeignKey key) {
        boolean isTemporary = TemporaryNames.isTemporary(draft.name);
        if (isTemporary != TemporaryNames.isTemporary(referenced)) {
            String kind = isTemporary ? "temporary" : "permanent";
            throw new SqlException(
                    SqlState.INVALID_TABLE_DEFINITION,
                    "constraints on %s tables may reference only %s tables".formatted(kind, kind),
                    key.position());
        }
    }

    /// What a foreign key refers to.
    private record Referenced(String table, List<String> columns, List<SqlType> types) {}

    private Referenced referenced(ForeignKey key) {
        String name = key.referencedTable().text();
        if (name.equals(draft.name)) {
            return referenced(key, draft);
        }
        SqlTable table = context.catalog().find(name);
        if (table == null) {
            throw new SqlException(
                    SqlState.UNDEFINED_TABLE,
                    "relation \"" + name + "\" does not exist",
                    key.referencedTable().position());
        }
        RightsChecks.requireReferences(table, context);
        return referenced(key, TableDraft.of(table));
    }

    private static Referenced referenced(ForeignKey key, TableDraft table) {
        List<String> columns = key.referencedColumns().stream().map(Name::text).toList();
        if (columns.isEmpty()) {
            if (table.primaryKey.isEmpty()) {
                throw new SqlException(
                        SqlState.UNDEFINED_OBJECT,
                        "there is no primary key for referenced table \"" + table.name + "\"",
                        key.position());
            }
            columns = table.primaryKey;
        }
        List<SqlType> types = new ArrayList<>();
        for (String column : columns) {
            DraftColumn found = table.column(column);
            if (found == null) {
                throw missing(column, "foreign key constraint", key.position());
            }
            types.add(found.type);
        }
        Set<String> wanted = new HashSet<>(columns);
        boolean isUnique =
                wanted.equals(new HashSet<>(table.primaryKey))
                        || table.uniqueKeys.stream()
                                .anyMatch(k -> wanted.equals(new HashSet<>(k.columns())));
        if (!isUnique || wanted.size() != columns.size()) {
            throw new SqlException(
                    SqlState.INVALID_FOREIGN_KEY,
                    "there is no unique constraint matching given keys for referenced table \""
                            + table.name
                            + "\"",
                    key.position());
        }
        return new Referenced(table.name, columns, types);
    }

    private void checkTypes(
            String constraint, String column, Referenced referenced, int i, Position position) {
        SqlType type = draftColumn(column).type;
        SqlType other = referenced.types.get(i);
        if (!areComparable(type, other)) {
            throw new SqlException(
                            SqlState.DATATYPE_MISMATCH,
                            "foreign key constraint \"" + constraint + "\" cannot be implemented",
                            position)
                    .withDetail(
                            "Key columns \""
                                    + column
                                    + "\" and \""
                                    + referenced.columns.get(i)
                                    + "\" are of incompatible types: "
                                    + type
                                    + " and "
                                    + other
                                    + ".");
        }
    }

    /// Whether a value of one type can be written to a column of the other, and is equal to
    /// it there.
    private static boolean areComparable(SqlType a, SqlType b) {
        return a.kind() == b.kind() && a.scale() == b.scale()
                || a.isInteger() && b.isInteger()
                || a.isString() && b.isString();
    }

    private String constraintName(@Nullable Name given, List<String> columns, String label) {
        if (given == null) {
            String table = TemporaryNames.bare(draft.name);
            return Names.chosen(table, columns, label, draft::hasConstraint);
        }
        requireFree(given);
        return given.text();
    }

    private void requireFree(Name given) {
        String name = Names.checked(given);
        if (draft.hasConstraint(name)) {
            throw new SqlException(
                    SqlState.DUPLICATE_OBJECT,
                    "constraint \""
                            + name
                            + "\" for relation \""
                            + draft.name
                            + "\" already exists",
                    given.position());
        }
    }

    private List<String> columns(List<Name> names, String what) {
        List<String> columns = new ArrayList<>();
        for (Name name : names) {
            if (draft.column(name.text()) == null) {
                throw missing(name.text(), what, name.position());
            }
            if (columns.contains(name.text())) {
                throw new SqlException(
                        SqlState.DUPLICATE_COLUMN,
                        "column \"" + name.text() + "\" appears twice in " + what,
                        name.position());
            }
            columns.add(name.text());
        }
        return columns;
    }

    private static SqlException missing(String column, String what, Position position) {
        String text =
                what.startsWith("foreign")
                        ? "column \""
                                + column
                                + "\" referenced in foreign key constraint does not exist"
                        : "column \"" + column + "\" named in key does not exist";
        return new SqlException(SqlState.UNDEFINED_COLUMN, text, position);
    }

    private DraftColumn draftColumn(String column) {
        DraftColumn found = draft.column(column);
        if (found == null) {
            throw new IllegalStateException("no column " + column);
        }
        return found;
    }

    private static Position position(@Nullable Name name) {
        return name == null ? Position.NONE : name.position();
    }
}
