package org.namdb.sql.engine.ddl;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.namdb.sql.engine.catalog.CheckConstraint;
import org.namdb.sql.engine.catalog.ForeignKeyConstraint;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.StoredTypes;
import org.namdb.sql.engine.catalog.UniqueKey;
import org.namdb.sql.engine.ddl.TableDraft.DraftColumn;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.language.ast.DdlStatement.AlterTable.AddColumn;
import org.namdb.sql.language.ast.DdlStatement.AlterTable.AddConstraint;
import org.namdb.sql.language.ast.DdlStatement.AlterTable.AddIdentity;
import org.namdb.sql.language.ast.DdlStatement.AlterTable.Change;
import org.namdb.sql.language.ast.DdlStatement.AlterTable.ChangeIdentity;
import org.namdb.sql.language.ast.DdlStatement.AlterTable.ChangeOwner;
import org.namdb.sql.language.ast.DdlStatement.AlterTable.ChangeType;
import org.namdb.sql.language.ast.DdlStatement.AlterTable.DropColumn;
import org.namdb.sql.language.ast.DdlStatement.AlterTable.DropConstraint;
import org.namdb.sql.language.ast.DdlStatement.AlterTable.DropIdentity;
import org.namdb.sql.language.ast.DdlStatement.AlterTable.RenameColumn;
import org.namdb.sql.language.ast.DdlStatement.AlterTable.RenameConstraint;
import org.namdb.sql.language.ast.DdlStatement.AlterTable.RenameTable;
import org.namdb.sql.language.ast.DdlStatement.AlterTable.SetDefault;
import org.namdb.sql.language.ast.DdlStatement.AlterTable.SetNotNull;
import org.namdb.sql.language.ast.DdlStatement.AlterTable.SetOptions;
import org.namdb.sql.language.ast.DdlStatement.AlterTable.ValidateConstraint;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// The changes of ALTER TABLE, made on a draft.
final class DraftChanges {
    private final DdlContext context;
    private final SqlTable table;
    private final TableDraft draft;
    private final ConstraintBuilder constraints;
    private final List<ForeignKeyConstraint> droppedReferences = new ArrayList<>();
    private final GeneratedColumns generated;
    private final SequenceChanges sequences;
    private final ViewSteps views;
    private final Set<String> droppedSequences = new LinkedHashSet<>();

    DraftChanges(DdlContext context, SqlTable table) {
        this.context = context;
        this.table = table;
        this.draft = TableDraft.of(table);
        this.constraints = new ConstraintBuilder(context, draft);
        this.generated = new GeneratedColumns(context, draft);
        this.sequences = new SequenceChanges(context);
        this.views = new ViewSteps(context);
    }

    TableDraft draft() {
        return draft;
    }

    /// The foreign keys of other tables that go with what they refer to.
    List<ForeignKeyConstraint> droppedReferences() {
        return droppedReferences;
    }

    /// The sequences with those of new columns, and without those of dropped ones.
    SequenceChanges sequences() {
        return sequences;
    }

    /// The views that are left, and follow the table's name.
    ViewSteps views() {
        return views;
    }

    /// The sequences of dropped columns.
    Set<String> droppedSequences() {
        return droppedSequences;
    }

    void apply(Change change) {
        switch (change) {
            case AddColumn add -> addColumn(add);
            case DropColumn drop -> dropColumn(drop);
            case RenameColumn rename -> renameColumn(rename);
            case RenameTable rename -> renameTable(rename);
            case AddConstraint add -> addConstraint(add);
            case ValidateConstraint validate -> validate(validate.name());
            case RenameConstraint rename -> renameConstraint(rename);
            case DropConstraint drop -> dropConstraint(drop);
            case AddIdentity add -> addIdentity(add);
            case ChangeIdentity identity -> changeIdentity(identity);
            case DropIdentity drop -> dropIdentity(drop);
            case SetDefault set -> {
                DraftColumn column = column(set.column());
                requireNoIdentity(column, set.column());
                generated.requireNone(column, set.column());
                column.defaultText =
                        set.value() == null
                                ? null
                                : CreateTableStep.defaultText(
                                        context, draft.name, set.value(), column.name, column.type);
            }
            case ChangeType type -> changeType(type);
            case SetNotNull set -> setNotNull(set);
            case ChangeOwner owner -> changeOwner(owner);
            case SetOptions set -> draft.cached = TableOptions.cached(set.options(), draft.cached);
        }
    }

    private void changeType(ChangeType change) {
        DraftColumn column = column(change.column());
        SqlType type;
        try {
            type = StoredTypes.columnType(context.type(change.type()));
            StoredTypes.stored(type);
        } catch (SqlException e) {
            throw e.at(change.type().position());
        }
        if (column.oldNumber < 0 || column.conversion != null) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "cannot alter type of column \"" + column.name + "\" twice",
                    change.column().position());
        }
        if (type.equals(column.type) && change.using() == null) {
            return;
        }
        views.requireUnread(table.name(), change.column(), "alter type of");
        requireNoReference(column, change.column());
        generated.requireTypeFree(column, change.column());
        if (column.identity != null && !type.isInteger()) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "identity column type must be smallint, integer, or bigint",
                    change.column().position());
        }
        String old = table.columns().get(column.oldNumber).name();
        Name name = new Name(old, change.column().position());
        Expression conversion =
                change.using() == null
                        ? new Expression.ColumnName(null, name, name.position())
                        : change.using();
        List<Name> _ = ExpressionColumns.of(conversion, "transform expression");
        try {
            Object _ = context.conversion(conversion, table, column.name, type);
        } catch (SqlException e) {
            boolean isMismatch = e.state() == SqlState.DATATYPE_MISMATCH;
            throw isMismatch && change.using() == null
                    ? new SqlException(
                                    SqlState.DATATYPE_MISMATCH,
                                    "column \"%s\" cannot be cast automatically to type %s"
                                            .formatted(column.name, type.name()),
                                    change.column().position())
                            .withHint(
                                    "You might need to specify \"USING %s::%s\"."
                                            .formatted(Names.quoted(column.name), type))
                    : e;
        }
        column.type = type;
        column.conversion = conversion;
        for (SqlIndex index : table.indexes()) {
            if (index.columns().contains(column.oldNumber)) {
                draft.requireOrdered(column.name);
            }
        }
        if (column.defaultText != null) {
            context.checkDefault(context.parse(column.defaultText), column.name, type);
        }
        constraints.recheck();
    }

    /// A foreign key compares values of one type.
    private void requireNoReference(DraftColumn column, Name name) {
        for (ForeignKeyConstraint key : draft.foreignKeys) {
            if (key.columns().contains(column.name)) {
                throw typeUsedBy(key, column, name);
            }
        }
        for (ForeignKeyConstraint key : table.referencedBy()) {
            boolean isDropped =
                    key.table().equals(table.name())
                            && draft.foreignKeys.stream()
                                    .noneMatch(k -> k.name().equals(key.name()));
            if (key.referencedColumns().contains(column.name) && !isDropped) {
                throw typeUsedBy(key, column, name);
            }
        }
    }

    private static SqlException typeUsedBy(
            ForeignKeyConstraint key, DraftColumn column, Name name) {
        return new SqlException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "cannot alter type of column \"%s\" while foreign key \"%s\" of table \"%s\" uses it"
                                .formatted(column.name, key.name(), key.table()),
                        name.position())
                .withHint("Drop the foreign key, and add it again afterwards.");
    }

    private void changeOwner(ChangeOwner change) {
        String owner = RoleSteps.newOwner(context, change.owner(), draft.ownership.owner());
        draft.ownership = draft.ownership.ofOwner(owner);
    }

    private void addIdentity(AddIdentity add) {
        DraftColumn column = column(add.column());
        SequenceChanges.requireInteger(column, add.identity());
        String of = "column \"%s\" of relation \"%s\"".formatted(column.name, draft.name);
        String refusal = null;
        if (column.isNullable) {
            refusal = of + " must be declared NOT NULL before identity can be added";
        } else if (column.identity != null) {
            refusal = of + " is already an identity column";
        } else if (column.defaultText != null) {
            refusal = of + " already has a default value";
        }
        if (refusal != null) {
            throw new SqlException(
                    SqlState.NOT_IN_PREREQUISITE_STATE, refusal, add.column().position());
        }
        sequences.identity(draft, column, add.identity());
    }

    private void changeIdentity(ChangeIdentity change) {
        DraftColumn column = column(change.column());
        SqlColumn.Identity identity = column.identity;
        if (identity == null) {
            throw noIdentity(column, change.column());
        }
        if (change.isAlways() != null) {
            column.identity = new SqlColumn.Identity(change.isAlways(), identity.sequence());
        }
        Sequence sequence = sequences.find(identity.sequence());
        if (!change.options().isEmpty() && sequence != null) {
            sequences.alter(sequence, new SequenceOptions(context, change.options()));
        }
    }

    private void dropIdentity(DropIdentity drop) {
        DraftColumn column = column(drop.column());
        SqlColumn.Identity identity = column.identity;
        if (identity == null) {
            SqlException error = noIdentity(column, drop.column());
            if (!drop.ifExists()) {
                throw error;
            }
            context.notice(error.getMessage() + ", skipping");
            return;
        }
        column.identity = null;
        sequences.remove(identity.sequence());
    }

    private SqlException noIdentity(DraftColumn column, Name name) {
        return new SqlException(
                SqlState.NOT_IN_PREREQUISITE_STATE,
                "column \"%s\" of relation \"%s\" is not an identity column"
                        .formatted(column.name, draft.name),
                name.position());
    }

    private void requireNoIdentity(DraftColumn column, Name name) {
        if (column.identity != null) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "column \"%s\" of relation \"%s\" is an identity column"
                            .formatted(column.name, draft.name),
                    name.position());
        }
    }

    private void addColumn(AddColumn add) {
        String name = add.column().name().text();
        if (draft.column(name) != null) {
            String text =
                    "column \"" + name + "\" of relation \"" + draft.name + "\" already exists";
            if (!add.ifNotExists()) {
                throw new SqlException(
                        SqlState.DUPLICATE_COLUMN, text, add.column().name().position());
            }
            context.notice(text + ", skipping");
            return;
        }
        draft.columns.add(CreateTableStep.column(context, draft, add.column(), sequences));
        generated.check();
        add.column().constraints().forEach(constraints::add);
    }

    private void dropColumn(DropColumn drop) {
        String name = drop.column().text();
        DraftColumn column = draft.column(name);
        if (column == null) {
            String text =
                    "column \"" + name + "\" of relation \"" + draft.name + "\" does not exist";
            if (!drop.ifExists()) {
                throw new SqlException(SqlState.UNDEFINED_COLUMN, text, drop.column().position());
            }
            context.notice(text + ", skipping");
            return;
        }
        if (draft.columns.size() == 1) {
            throw new SqlException(
                    SqlState.INVALID_TABLE_DEFINITION,
                    "cannot drop the only column of table \"" + draft.name + "\"",
                    drop.column().position());
        }
        for (ForeignKeyConstraint key : table.referencedBy()) {
            if (key.referencedColumns().contains(name) && !key.table().equals(table.name())) {
                if (!drop.isCascade()) {
                    throw dependentObjects("column " + name, key).at(drop.column().position());
                }
                droppedReferences.add(key);
            }
        }
        for (Name reader : generated.droppedWith(drop.column(), drop.isCascade())) {
            dropColumn(new DropColumn(reader, false, true, drop.position()));
        }
        views.dropReadersOf(table.name(), column.name, drop.isCascade());
        draft.columns.remove(column);
        dropSequences(column, drop.isCascade());
        if (draft.primaryKey.contains(name)) {
            draft.primaryKey = List.of();
        }
        draft.uniqueKeys.removeIf(key -> key.columns().contains(name));
        draft.foreignKeys.removeIf(key ->
                key.columns().contains(name)
                        || key.referencedTable().equals(table.name())
                                && key.referencedColumns().contains(name));
        draft.checks.removeIf(check -> names(check).contains(name));
    }

    private void dropSequences(DraftColumn column, boolean isCascade) {
        Set<String> owned = new LinkedHashSet<>();
        if (column.oldNumber >= 0) {
            String old = table.columns().get(column.oldNumber).name();
            for (Sequence sequence : sequences.ownedBy(table.name())) {
                if (sequence.owner() != null && sequence.owner().column().equals(old)) {
                    owned.add(sequence.name());
                }
            }
        }
        String dropped = column.name + " of table " + table.name();
        SequenceSteps.requireUnused(
                context, owned, Set.of(table.name()), "column", Set.of(dropped), isCascade);
        views.dropUsersOf(owned, isCascade);
        owned.forEach(sequences::remove);
        droppedSequences.addAll(owned);
    }

    private Set<String> names(CheckConstraint check) {
        Set<String> names = new HashSet<>();
        for (Name name :
                ExpressionColumns.of(context.parse(check.condition()), "check constraint")) {
            names.add(name.text());
        }
        return names;
    }

    private void renameColumn(RenameColumn rename) {
        DraftColumn column = column(rename.column());
        views.requireUnread(table.name(), rename.column(), "rename");
        String old = column.name;
        String name = Names.checked(rename.newName());
        if (draft.column(name) != null) {
            throw new SqlException(
                    SqlState.DUPLICATE_COLUMN,
                    "column \"" + name + "\" of relation \"" + draft.name + "\" already exists",
                    rename.newName().position());
        }
        generated.rename(old, name);
        column.name = name;
        Map<String, String> names = Map.of(old, name);
        draft.primaryKey = renamed(draft.primaryKey, names);
        draft.uniqueKeys.replaceAll(key ->
                new UniqueKey(
                        key.name(),
                        renamed(key.columns(), names),
                        key.isConstraint(),
                        key.orderedIndex()));
        draft.checks.replaceAll(check ->
                check.withCondition(
                        ExpressionColumns.renamed(
                                check.condition(), context.parse(check.condition()), old, name)));
        draft.foreignKeys.replaceAll(key -> {
            ForeignKeyConstraint changed =
                    new ForeignKeyConstraint(
                            key.name(),
                            key.table(),
                            renamed(key.columns(), names),
                            key.referencedTable(),
                            key.referencedColumns(),
                            key.onDelete(),
                            key.onUpdate(),
                            key.isValid());
            return key.referencedTable().equals(table.name())
                    ? retargeted(changed, key.referencedTable(), names)
                    : changed;
        });
    }

    private void renameTable(RenameTable rename) {
        String name = Names.beside(table.name(), rename.newName());
        if (context.catalog().hasRelation(name)) {
            throw new SqlException(
                    SqlState.DUPLICATE_TABLE,
                    "relation \"" + name + "\" already exists",
                    rename.newName().position());
        }
        views.rename(draft.name, name);
        draft.name = name;
        generated.unqualify();
        draft.checks.replaceAll(check ->
                check.withCondition(
                        ExpressionColumns.unqualified(
                                check.condition(), context.parse(check.condition()))));
        draft.foreignKeys.replaceAll(key -> {
            ForeignKeyConstraint own =
                    new ForeignKeyConstraint(
                            key.name(),
                            name,
                            key.columns(),
                            key.referencedTable(),
                            key.referencedColumns(),
                            key.onDelete(),
                            key.onUpdate(),
                            key.isValid());
            return key.referencedTable().equals(table.name())
                    ? retargeted(own, name, Map.of())
                    : own;
        });
    }

    /// A foreign key to a table that has got other names.
    static ForeignKeyConstraint retargeted(
            ForeignKeyConstraint key, String referencedTable, Map<String, String> names) {
        return new ForeignKeyConstraint(
                key.name(),
                key.table(),
                key.columns(),
                referencedTable,
                renamed(key.referencedColumns(), names),
                key.onDelete(),
                key.onUpdate(),
                key.isValid());
    }

    private static List<String> renamed(List<String> columns, Map<String, String> names) {
        return columns.stream().map(column -> names.getOrDefault(column, column)).toList();
    }

    private void dropConstraint(DropConstraint drop) {
        String name = drop.name().text();
        if (!draft.hasConstraint(name)) {
            SqlException error = undefined(drop.name(), "of relation");
            if (!drop.ifExists()) {
                throw error;
            }
            context.notice(error.getMessage() + ", skipping");
            return;
        }
        boolean isPrimaryKey = !draft.primaryKey.isEmpty() && draft.primaryKeyName.equals(name);
        List<String> keyColumns = isPrimaryKey ? draft.primaryKey : List.of();
        for (UniqueKey key : draft.uniqueKeys) {
            if (key.name().equals(name)) {
                keyColumns = key.columns();
            }
        }
        for (ForeignKeyConstraint key : table.referencedBy()) {
            if (!keyColumns.isEmpty()
                    && new HashSet<>(keyColumns).equals(new HashSet<>(key.referencedColumns()))) {
                if (!drop.isCascade()) {
                    throw dependentObjects("constraint " + name + " on table " + draft.name, key)
                            .at(drop.name().position());
                }
                droppedReferences.add(key);
                if (key.table().equals(table.name())) {
                    draft.foreignKeys.removeIf(k -> k.name().equals(key.name()));
                }
            }
        }
        if (isPrimaryKey) {
            draft.primaryKey = List.of();
            constraints.freeName(name);
        }
        draft.uniqueKeys.removeIf(key -> key.name().equals(name));
        draft.checks.removeIf(check -> check.name().equals(name));
        draft.foreignKeys.removeIf(key -> key.name().equals(name));
    }

    private void addConstraint(AddConstraint add) {
        int checks = draft.checks.size();
        int keys = draft.foreignKeys.size();
        constraints.add(add.constraint());
        if (add.isNotValid() && draft.checks.size() > checks) {
            CheckConstraint check = draft.checks.removeLast();
            draft.checks.add(new CheckConstraint(check.name(), check.condition(), false));
        }
        if (add.isNotValid() && draft.foreignKeys.size() > keys) {
            draft.foreignKeys.add(draft.foreignKeys.removeLast().valid(false));
        }
    }

    /// Has the rows checked that a constraint has left out.
    private void validate(Name constraint) {
        String name = constraint.text();
        if (!draft.hasConstraint(name)) {
            throw undefined(constraint, "of relation");
        }
        boolean isOther =
                draft.checks.stream().noneMatch(check -> check.name().equals(name))
                        && draft.foreignKeys.stream().noneMatch(key -> key.name().equals(name));
        if (isOther) {
            throw new SqlException(
                    SqlState.WRONG_OBJECT_TYPE,
                    "constraint \"%s\" of relation \"%s\" is not a foreign key or check constraint"
                            .formatted(name, draft.name),
                    constraint.position());
        }
        draft.checks.replaceAll(check ->
                check.name().equals(name)
                        ? new CheckConstraint(name, check.condition(), true)
                        : check);
        draft.foreignKeys.replaceAll(key -> key.name().equals(name) ? key.valid(true) : key);
    }

    /// @param where before the table's name
    private SqlException undefined(Name constraint, String where) {
        return new SqlException(
                SqlState.UNDEFINED_OBJECT,
                "constraint \"%s\" %s \"%s\" does not exist"
                        .formatted(constraint.text(), where, draft.name),
                constraint.position());
    }

    private void renameConstraint(RenameConstraint rename) {
        String old = rename.constraint().text();
        if (!draft.hasConstraint(old)
                || draft.uniqueKeys.stream()
                        .anyMatch(key -> key.name().equals(old) && !key.isConstraint())) {
            throw undefined(rename.constraint(), "for table");
        }
        constraints.rename(old, rename.newName());
    }

    /// Gives a unique index, or the constraint that it is of, another name.
    void renameUnique(String old, Name newName) {
        constraints.rename(old, newName);
    }

    private void setNotNull(SetNotNull set) {
        DraftColumn column = column(set.column());
        if (!set.isNotNull()) {
            requireNoIdentity(column, set.column());
        }
        if (!set.isNotNull() && draft.primaryKey.contains(column.name)) {
            throw new SqlException(
                    SqlState.INVALID_TABLE_DEFINITION,
                    "column \"" + column.name + "\" is in a primary key",
                    set.column().position());
        }
        column.isNullable = !set.isNotNull();
    }

    private static SqlException dependentObjects(String what, ForeignKeyConstraint key) {
        return new SqlException(
                        SqlState.DEPENDENT_OBJECTS,
                        "cannot drop " + what + " because other objects depend on it")
                .withDetail(
                        "constraint "
                                + key.name()
                                + " on table "
                                + key.table()
                                + " depends on "
                                + what)
                .withHint("Drop that constraint first, or use CASCADE where it is allowed.");
    }

    private DraftColumn column(Name name) {
        DraftColumn column = draft.column(name.text());
        if (column == null) {
            throw new SqlException(
                    SqlState.UNDEFINED_COLUMN,
                    "column \""
                            + name.text()
                            + "\" of relation \""
                            + draft.name
                            + "\" does not exist",
                    name.position());
        }
        return column;
    }
}
