package org.namdb.sql.engine.ddl;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.namdb.compute.TransactionException;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.SchemaTable;
import org.namdb.compute.schema.Table;
import org.namdb.compute.schema.TableReplacement;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.KeyTooLongException;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.engine.catalog.ForeignKeyConstraint;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.TableProperties;
import org.namdb.sql.engine.catalog.UniqueKey;
import org.namdb.sql.engine.ddl.TableDraft.DraftColumn;
import org.namdb.sql.engine.record.KeyLengths;
import org.namdb.sql.language.ast.DdlStatement.AlterTable;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.SequenceStatement;
import org.namdb.sql.language.ast.ViewStatement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// ALTER TABLE: makes a draft of the table as it should become, checks whether its rows fulfil the
/// new constraints, and then changes it: its definition alone, if records stay as they are, else by
/// a new table in its place.
final class AlterTableStep {
    private final DdlContext context;
    private final AlterTable statement;

    AlterTableStep(DdlContext context, AlterTable statement) {
        this.context = context;
        this.statement = statement;
    }

    void run() {
        SqlTable table = context.catalog().find(statement.table().text());
        if (table == null) {
            boolean isView = context.catalog().findView(statement.table().text()) != null;
            if (isView || context.catalog().findSequence(statement.table().text()) != null) {
                alterOther(isView);
                return;
            }
            String text = "relation \"" + statement.table().text() + "\" does not exist";
            if (!statement.ifExists()) {
                throw new SqlException(
                        SqlState.UNDEFINED_TABLE, text, statement.table().position());
            }
            context.notice(text + ", skipping");
            return;
        }
        DraftChanges changes = new DraftChanges(context, table);
        statement.changes().forEach(changes::apply);
        run(table, changes);
    }

    /// Gives a unique index, or the constraint that it is of, another name.
    static void renameUnique(DdlContext context, SqlTable table, String old, Name newName) {
        DraftChanges changes = new DraftChanges(context, table);
        changes.renameUnique(old, newName);
        AlterTable nothing = new AlterTable(newName, false, List.of(), newName.position());
        new AlterTableStep(context, nothing).run(table, changes);
    }

    private void run(SqlTable table, DraftChanges changes) {
        TableDraft draft = changes.draft();
        boolean isReplaced = isReplaced(table, draft);
        SequenceChanges sequences = changes.sequences();
        sequences.follow(table, draft);
        sequences.run(() -> {
            new RowChecks(context, table, draft).run(isReplaced);
            if (isReplaced) {
                replace(table, draft);
            } else {
                redefine(table, draft);
            }
            changes.views().keep();
            SequenceSteps.dropDefaults(context, changes.droppedSequences(), Set.of(draft.name));
        });
        for (ForeignKeyConstraint key : changes.droppedReferences()) {
            if (!key.table().equals(table.name())) {
                dropForeignKey(key);
            }
            context.notice(
                    "drop cascades to constraint " + key.name() + " on table " + key.table());
            dropAutomaticIndex(context, key);
        }
        renameReferences(table, draft);
        if (!draft.name.equals(table.name())) {
            context.changeStatistics(statistics -> statistics.renamed(table.name(), draft.name));
        }
        finish(table, draft);
    }

    /// Views and sequences get another name or owner as tables do, as PostgreSQL's dumps have it.
    private void alterOther(boolean isView) {
        for (AlterTable.Change change : statement.changes()) {
            Name newName =
                    change instanceof AlterTable.RenameTable rename ? rename.newName() : null;
            Name owner = change instanceof AlterTable.ChangeOwner to ? to.owner() : null;
            if (newName == null && owner == null) {
                throw new SqlException(
                        SqlState.WRONG_OBJECT_TYPE,
                        "\"" + statement.table().text() + "\" is not a table",
                        statement.table().position());
            }
            Name name = statement.table();
            String _ =
                    isView
                            ? new ViewSteps(context)
                                    .run(
                                            new ViewStatement.AlterView(
                                                    name, false, newName, owner, name.position()))
                            : new SequenceSteps(context)
                                    .run(
                                            new SequenceStatement.AlterSequence(
                                                    name,
                                                    false,
                                                    List.of(),
                                                    newName,
                                                    owner,
                                                    name.position()));
        }
    }

    /// Whether records get another layout.
    private static boolean isReplaced(SqlTable table, TableDraft draft) {
        if (draft.columns.size() + (draft.primaryKey.isEmpty() ? 1 : 0) != table.columns().size()) {
            return true;
        }
        for (int i = 0; i < draft.columns.size(); i++) {
            DraftColumn column = draft.columns.get(i);
            SqlColumn old = table.columns().get(i);
            if (column.oldNumber != i
                    || column.isNullable != old.isNullable()
                    || column.conversion != null) {
                return true;
            }
        }
        return keyChanges(table, draft);
    }

    private static boolean keyChanges(SqlTable table, TableDraft draft) {
        if (draft.primaryKey.isEmpty() || table.hasHiddenKey()) {
            return draft.primaryKey.isEmpty() != table.hasHiddenKey();
        }
        List<Integer> key = new ArrayList<>();
        for (String name : draft.primaryKey) {
            DraftColumn column = draft.column(name);
            key.add(column == null ? -1 : column.oldNumber);
        }
        return !key.equals(table.primaryKey()) || draft.changesType(draft.primaryKey);
    }

    private void redefine(SqlTable table, TableDraft draft) {
        TableMaker maker = new TableMaker(context);
        maker.run(() -> {
            for (UniqueKey key : draft.uniqueKeys) {
                if (isNew(table, key)) {
                    Table _ = maker.table(TableMaker.uniqueTable(table.definition(), key));
                    UniqueBuild.run(context, table, key);
                    makeOrderedAgain(maker, table, key, draft);
                }
            }
            addReferencingIndexes(maker, table, draft);
            TableDefinition definition = redefined(table, draft, draft.name);
            boolean isOrderRenamed = table.keyOrder() != null && isKeyRenamed(table, draft);
            if (isOrderRenamed) {
                dropKeyOrder(maker, table);
            }
            context.db().redefine(table.name(), definition);
            if (isOrderRenamed) {
                maker.index(TableMaker.keyOrder(definition, draft.primaryKeyName));
            }
        });
    }

    /// Makes the ordered index beside a unique one that has got another name.
    private static void makeOrderedAgain(
            TableMaker maker, SqlTable table, UniqueKey key, TableDraft draft) {
        String old = draft.oldConstraintNames.get(key.name());
        for (SqlIndex index : table.indexes()) {
            if (index.name().equals(old) && index.index() != null) {
                Index _ = maker.index(Indexes.named(index.index().definition(), key.name()));
            }
        }
    }

    private static boolean isKeyRenamed(SqlTable table, TableDraft draft) {
        return !draft.primaryKeyName.equals(table.primaryKeyName());
    }

    private static void dropKeyOrder(TableMaker maker, SqlTable table) {
        SqlIndex order = table.keyOrder();
        if (order != null) {
            maker.dropIndex(Objects.requireNonNull(order.index()).definition());
        }
    }

    private void replace(SqlTable table, TableDraft draft) {
        TableDefinition old = table.definition();
        boolean keyChanges = keyChanges(table, draft);
        TableDefinition.Builder design = old.withoutColumns(draft.name);
        if (keyChanges) {
            design.neighbours(0);
        }
        TableProperties.others(old.properties()).forEach(design::property);
        if (draft.cached != null) {
            design.cached(draft.cached);
        }
        TableDefinition longValues = draft.newLongValues(context.db());
        TableDefinition definition = draft.definition(design);
        List<TableDefinition> beside = new ArrayList<>();
        List<UniqueKey> remade = new ArrayList<>();
        for (UniqueKey key : draft.uniqueKeys) {
            if (isNew(table, key) || keyChanges || draft.changesType(key.columns())) {
                beside.add(TableMaker.uniqueTable(definition, key));
                remade.add(key);
            }
        }
        if (longValues != null) {
            beside.add(longValues);
        }
        TableMaker maker = new TableMaker(context);
        maker.run(() -> {
            addReferencingIndexes(maker, table, draft);
            try (TupleMapping mapping = new TupleMapping(context, table, draft, remade)) {
                replace(
                        table,
                        replaced ->
                                new TableReplacement(
                                        definition,
                                        indexes(replaced, table, definition, draft),
                                        beside),
                        mapping,
                        draft);
            }
        });
    }

    /// The indexes of the new table: those of the old one whose columns are left, with another one
    /// that serves ranges of the primary key if that is another one.
    private static List<IndexDefinition> indexes(
            SchemaTable replaced, SqlTable table, TableDefinition definition, TableDraft draft) {
        List<IndexDefinition> indexes =
                new ArrayList<>(TableReplacement.of(replaced, definition).indexes());
        if (keyChanges(table, draft) || isKeyRenamed(table, draft)) {
            SqlIndex order = table.keyOrder();
            if (order != null) {
                String name = Objects.requireNonNull(order.index()).name();
                indexes.removeIf(index -> index.name().equals(name));
            }
            if (!draft.primaryKey.isEmpty() && (order != null || table.hasHiddenKey())) {
                indexes.add(TableMaker.keyOrder(definition, draft.primaryKeyName));
            }
        }
        return indexes;
    }

    private void replace(
            SqlTable table,
            Function<SchemaTable, TableReplacement> replacement,
            TupleMapping mapping,
            TableDraft draft) {
        try {
            context.db().replaceTable(table.name(), replacement, mapping);
        } catch (TransactionException e) {
            throw e.outcome() instanceof CommitOutcome.DuplicateKey
                    ? new SqlException(
                            SqlState.UNIQUE_VIOLATION,
                            "could not create unique index \"" + draft.primaryKeyName + "\"")
                    : e;
        } catch (KeyTooLongException e) {
            throw KeyLengths.tooLong(e, draft.primaryKeyName);
        } catch (IllegalArgumentException e) {
            // A longer primary key leaves no space to its indexes.
            throw TableMaker.outOfMemory(draft.primaryKeyName, e);
        }
    }

    /// Makes the indexes of new foreign keys on columns that are there already: they stay when the
    /// table is replaced.
    private void addReferencingIndexes(TableMaker maker, SqlTable table, TableDraft draft) {
        for (ForeignKeyConstraint key : draft.foreignKeys) {
            if (key.table().equals(table.name())
                    && key.columns().stream().allMatch(c -> table.columnNumber(c) >= 0)) {
                CreateTableStep.addReferencingIndex(context, maker, key);
            }
        }
    }

    private static boolean isNew(SqlTable table, UniqueKey key) {
        return table.indexes().stream().noneMatch(index -> index.name().equals(key.name()));
    }

    /// Drops what belonged to dropped constraints, and makes the indexes of new foreign keys.
    private void finish(SqlTable old, TableDraft draft) {
        for (SqlIndex index : old.indexes()) {
            if (index.isUnique()
                    && draft.uniqueKeys.stream().noneMatch(k -> k.name().equals(index.name()))) {
                if (index.index() != null && context.db().findIndex(index.name()) != null) {
                    context.db().dropIndex(index.name());
                }
                context.db().dropTable(UniqueKey.tableName(index.name()));
            }
        }
        for (ForeignKeyConstraint key : old.foreignKeys()) {
            if (draft.foreignKeys.stream().noneMatch(k -> k.name().equals(key.name()))) {
                dropAutomaticIndex(context, key);
            }
        }
        TableMaker maker = new TableMaker(context);
        for (ForeignKeyConstraint key : draft.foreignKeys) {
            try {
                CreateTableStep.addReferencingIndex(context, maker, key);
            } catch (RuntimeException e) {
                // Without its index a foreign key can't be kept: its values are too long for one,
                // or there is no memory.
                withoutIndex(draft).forEach(this::dropForeignKey);
                throw e;
            }
        }
    }

    private List<ForeignKeyConstraint> withoutIndex(TableDraft draft) {
        SqlTable table = Indexes.known(context, draft.name);
        return draft.foreignKeys.stream()
                .filter(key -> !Indexes.serves(table, key.columns()))
                .toList();
    }

    private void dropForeignKey(ForeignKeyConstraint key) {
        SqlTable table = Indexes.known(context, key.table());
        TableDraft draft = TableDraft.of(table);
        draft.foreignKeys.removeIf(k -> k.name().equals(key.name()));
        context.db().redefine(table.name(), redefined(table, draft, table.name()));
    }

    /// Updates the tables that refer to this one with its new name, and those of its columns.
    private void renameReferences(SqlTable old, TableDraft draft) {
        Map<String, String> names = new LinkedHashMap<>();
        for (DraftColumn column : draft.columns) {
            if (column.oldNumber >= 0) {
                names.put(old.columns().get(column.oldNumber).name(), column.name);
            }
        }
        boolean isRenamed = !old.name().equals(draft.name);
        if (!isRenamed
                && names.entrySet().stream().allMatch(e -> e.getKey().equals(e.getValue()))) {
            return;
        }
        Set<String> tables = new HashSet<>();
        old.referencedBy().forEach(key -> tables.add(key.table()));
        tables.remove(old.name());
        for (String name : tables) {
            SqlTable table = Indexes.known(context, name);
            TableDraft other = TableDraft.of(table);
            other.foreignKeys.replaceAll(key ->
                    key.referencedTable().equals(old.name())
                            ? DraftChanges.retargeted(key, draft.name, names)
                            : key);
            context.db().redefine(name, redefined(table, other, name));
        }
    }

    /// The definition of a table that is stored as it was, with the names and properties of
    /// a draft.
    static TableDefinition redefined(SqlTable table, TableDraft draft, String newName) {
        TableDefinition old = table.definition();
        TableDefinition.Builder changed = old.withoutColumns(newName);
        List<String> key = new ArrayList<>(old.primaryKey());
        for (int i = 0; i < old.columns().size(); i++) {
            TableDefinition.ColumnDefinition column = old.columns().get(i);
            String name = i < draft.columns.size() ? draft.columns.get(i).name : draft.rowIdName();
            if (column.nullable()) {
                changed.nullable(name, column.type());
            } else {
                changed.column(name, column.type());
            }
            key.replaceAll(keyName -> keyName.equals(column.name()) ? name : keyName);
        }
        TableProperties.others(old.properties()).forEach(changed::property);
        if (draft.cached != null) {
            changed.cached(draft.cached);
        }
        draft.properties().encode().forEach(changed::property);
        return changed.primaryKey(key.toArray(String[]::new)).build();
    }

    /// Drops the index that was made for a foreign key, if it was.
    static void dropAutomaticIndex(DdlContext context, ForeignKeyConstraint key) {
        SqlTable table = context.catalog().find(key.table());
        if (table == null) {
            return;
        }
        for (SqlIndex index : table.indexes()) {
            if (key.name().equals(index.foreignKey())) {
                context.db().dropIndex(index.name());
            }
        }
    }
}
