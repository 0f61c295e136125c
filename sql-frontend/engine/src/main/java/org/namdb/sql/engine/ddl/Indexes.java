package org.namdb.sql.engine.ddl;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.engine.catalog.ForeignKeyConstraint;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.UniqueKey;
import org.namdb.sql.engine.change.ForeignKeyIndexes;
import org.namdb.sql.language.ast.DdlStatement.AlterIndex;
import org.namdb.sql.language.ast.DdlStatement.AlterTable;
import org.namdb.sql.language.ast.DdlStatement.CreateIndex;
import org.namdb.sql.language.ast.DdlStatement.DropIndex;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// CREATE INDEX and DROP INDEX.
final class Indexes {
    private final DdlContext context;

    Indexes(DdlContext context) {
        this.context = context;
    }

    void create(CreateIndex statement) {
        SqlTable table = table(context, statement.table());
        TableDraft draft = TableDraft.of(table);
        List<String> columns = columns(draft, statement.columns());
        boolean isHash = isHash(statement);
        if (statement.name() != null && context.catalog().hasRelation(statement.name().text())) {
            String text = "relation \"" + statement.name().text() + "\" already exists";
            if (!statement.ifNotExists()) {
                throw new SqlException(SqlState.DUPLICATE_TABLE, text, statement.name().position());
            }
            context.notice(text + ", skipping");
            return;
        }
        String name =
                new ConstraintBuilder(context, draft)
                        .relationName(statement.name(), columns, "idx");
        IndexDefinition definition =
                IndexOptions.apply(statement.options(), definition(name, table, columns, isHash));
        if (statement.isUnique()) {
            String ordered = isHash ? null : name;
            unique(table, draft, new UniqueKey(name, columns, false, ordered), definition);
        } else {
            TableMaker maker = new TableMaker(context);
            context.expect(table, 1);
            maker.run(() -> report(maker.index(definition), table));
        }
        dropSuperfluous(known(context, table.name()));
    }

    /// Drops the indexes that were made for foreign keys which an index of a user serves now.
    private void dropSuperfluous(SqlTable table) {
        for (SqlIndex own : table.indexes()) {
            if (own.isAutomatic()
                    && table.indexes().stream()
                            .anyMatch(other ->
                                    !other.isAutomatic()
                                            && ForeignKeyIndexes.serves(other, own.columns()))) {
                context.db().dropIndex(own.name());
            }
        }
    }

    /// @param ordered the ordered index beside its table; ignored if there is none
    private void unique(SqlTable table, TableDraft draft, UniqueKey key, IndexDefinition ordered) {
        TableDefinition definition = table.definition();
        context.expect(table, key.orderedIndex() == null ? 1 : 2);
        draft.uniqueKeys.add(key);
        TableMaker maker = new TableMaker(context);
        maker.run(() -> {
            Table _ = maker.table(TableMaker.uniqueTable(definition, key));
            UniqueBuild.run(context, table, key);
            if (key.orderedIndex() != null) {
                report(maker.index(ordered), table);
            }
            context.db()
                    .redefine(table.name(), AlterTableStep.redefined(table, draft, table.name()));
        });
    }

    /// Reports where an index is not divided by ranges as it was wanted.
    private void report(Index made, SqlTable table) {
        IndexDefinition definition = made.definition();
        int servers = table.stored().records().ranges();
        int shares = definition.shares().size();
        if (Index.lacksBounds(definition, table.stored())) {
            context.notice(
                    "index \"%s\" is not partitioned by range, as table \"%s\" has no rows to find the ranges by; create it again when there are some"
                            .formatted(made.name(), table.name()));
        } else if (shares != 0 && shares != servers) {
            context.notice(
                    "index \"%s\" has equal ranges: there are %d shares, and the table lies on %s"
                            .formatted(
                                    made.name(),
                                    shares,
                                    servers == 1
                                            ? "1 memory server"
                                            : servers + " memory servers"));
        }
    }

    private static IndexDefinition definition(
            String name, SqlTable table, List<String> columns, boolean isHash) {
        return new IndexDefinition(
                name,
                table.name(),
                columns,
                isHash ? IndexDefinition.Kind.HASH : IndexDefinition.Kind.ORDERED);
    }

    private static boolean isHash(CreateIndex statement) {
        Name method = statement.method();
        if (method == null || method.text().equals("btree")) {
            return false;
        }
        if (method.text().equals("hash")) {
            return true;
        }
        throw new SqlException(
                        SqlState.UNDEFINED_OBJECT,
                        "access method \"" + method.text() + "\" does not exist",
                        method.position())
                .withHint("There are btree and hash.");
    }

    private static List<String> columns(TableDraft draft, List<Name> names) {
        List<String> columns = new ArrayList<>();
        for (Name name : names) {
            if (draft.column(name.text()) == null) {
                throw new SqlException(
                        SqlState.UNDEFINED_COLUMN,
                        "column \"" + name.text() + "\" does not exist",
                        name.position());
            }
            if (columns.contains(name.text())) {
                throw new SqlException(
                        SqlState.DUPLICATE_COLUMN,
                        "column \"" + name.text() + "\" appears twice in the index",
                        name.position());
            }
            try {
                draft.requireOrdered(name.text());
            } catch (SqlException e) {
                throw e.at(name.position());
            }
            columns.add(name.text());
        }
        return columns;
    }

    void drop(DropIndex statement) {
        for (Name name : statement.indexes()) {
            SqlTable table = context.catalog().tableOfIndex(name.text());
            if (table == null && context.catalog().find(name.text()) != null) {
                throw new SqlException(
                                SqlState.WRONG_OBJECT_TYPE,
                                "\"" + name.text() + "\" is not an index",
                                name.position())
                        .withHint("Use DROP TABLE to remove a table.");
            }
            if (table == null && context.db().findUnfilledIndex(name.text()) != null) {
                context.db().dropIndex(name.text());
            } else if (table == null || index(table, name.text()).isAutomatic()) {
                String text = "index \"" + name.text() + "\" does not exist";
                if (!statement.ifExists()) {
                    throw new SqlException(SqlState.UNDEFINED_OBJECT, text, name.position());
                }
                context.notice(text + ", skipping");
            } else {
                drop(table, index(table, name.text()), name);
            }
        }
    }

    /// Gives an index another name; one of a primary key or a constraint is that constraint's, too.
    /// It is built again under the new name before the old one is dropped.
    void rename(AlterIndex statement) {
        Name name = statement.index();
        if (context.catalog().find(name.text()) != null) {
            List<AlterTable.Change> changes =
                    List.of(new AlterTable.RenameTable(statement.newName(), statement.position()));
            new AlterTableStep(context, new AlterTable(name, false, changes, statement.position()))
                    .run();
            return;
        }
        SqlTable table = tableOfNamed(name.text());
        if (table == null) {
            String text = "relation \"" + name.text() + "\" does not exist";
            if (!statement.ifExists()) {
                throw new SqlException(SqlState.UNDEFINED_TABLE, text, name.position());
            }
            context.notice(text + ", skipping");
            return;
        }
        SqlIndex index =
                table.indexes().stream()
                        .filter(i -> i.name().equals(name.text()))
                        .findAny()
                        .orElse(null);
        if (index == null || index.isUnique() || index.index() == null) {
            AlterTableStep.renameUnique(context, table, name.text(), statement.newName());
            return;
        }
        IndexDefinition definition = index.index().definition();
        String newName =
                new ConstraintBuilder(context, TableDraft.of(table))
                        .relationName(statement.newName(), List.of(), "idx");
        context.expect(table, 1);
        TableMaker maker = new TableMaker(context);
        maker.run(() -> {
            Index _ = maker.index(named(definition, newName));
            context.db().dropIndex(definition.name());
        });
    }

    /// The table with the index or the primary key of this name; null if there is none that users
    /// see.
    @Nullable SqlTable tableOfNamed(String name) {
        return context.catalog().tables().stream()
                .filter(table ->
                        table.shownIndexes().stream().anyMatch(i -> i.name().equals(name))
                                || !table.hasHiddenKey() && table.primaryKeyName().equals(name))
                .findAny()
                .orElse(null);
    }

    /// The same index by another name.
    static IndexDefinition named(IndexDefinition index, String name) {
        return new IndexDefinition(
                name, index.table(), index.columns(), index.kind(), index.properties());
    }

    /// The table that has the index of this name, filled or not; null if there is none.
    static @Nullable SqlTable tableOf(DdlContext context, String name) {
        SqlTable table = context.catalog().tableOfIndex(name);
        Index unfilled = table == null ? context.db().findUnfilledIndex(name) : null;
        return unfilled == null ? table : context.catalog().find(unfilled.definition().table());
    }

    private void drop(SqlTable table, SqlIndex index, Name name) {
        if (index.isConstraint()) {
            throw new SqlException(
                            SqlState.DEPENDENT_OBJECTS,
                            "cannot drop index "
                                    + index.name()
                                    + " because constraint "
                                    + index.name()
                                    + " on table "
                                    + table.name()
                                    + " requires it",
                            name.position())
                    .withHint(
                            "You can drop constraint "
                                    + index.name()
                                    + " on table "
                                    + table.name()
                                    + " instead.");
        }
        requireUnneeded(table, index, name);
        TableMaker maker = new TableMaker(context);
        maker.run(() -> {
            makeSubstitutes(table, index, maker);
            if (index.isUnique()) {
                dropUnique(table, index);
            } else {
                context.db().dropIndex(index.name());
            }
        });
    }

    /// Makes the indexes that foreign keys need when one that serves them is dropped.
    private void makeSubstitutes(SqlTable table, SqlIndex dropped, TableMaker maker) {
        for (ForeignKeyConstraint key : table.foreignKeys()) {
            List<Integer> columns = numbers(table, key.columns());
            boolean isServed =
                    known(context, table.name()).indexes().stream()
                            .anyMatch(other ->
                                    !other.name().equals(dropped.name())
                                            && ForeignKeyIndexes.serves(other, columns));
            if (!isServed) {
                Index _ = maker.index(maker.referencingIndex(key));
            }
        }
    }

    /// Drops a unique index, with its table.
    private void dropUnique(SqlTable table, SqlIndex index) {
        TableDraft draft = TableDraft.of(table);
        UniqueKey key =
                draft.uniqueKeys.stream()
                        .filter(k -> k.name().equals(index.name()))
                        .findAny()
                        .orElseThrow();
        draft.uniqueKeys.remove(key);
        context.db().redefine(table.name(), AlterTableStep.redefined(table, draft, table.name()));
        if (key.orderedIndex() != null) {
            context.db().dropIndex(key.orderedIndex());
        }
        context.db().dropTable(key.tableName());
    }

    /// Refuses to drop an index that makes the columns unique which a foreign key refers to.
    private static void requireUnneeded(SqlTable table, SqlIndex index, Name name) {
        for (ForeignKeyConstraint key : table.referencedBy()) {
            if (index.isUnique()
                    && new HashSet<>(numbers(table, key.referencedColumns()))
                            .equals(new HashSet<>(index.columns()))) {
                throw needed(index, key, name);
            }
        }
    }

    private static SqlException needed(SqlIndex index, ForeignKeyConstraint key, Name name) {
        return new SqlException(
                        SqlState.DEPENDENT_OBJECTS,
                        "cannot drop index " + index.name() + " because other objects depend on it",
                        name.position())
                .withDetail(
                        "constraint "
                                + key.name()
                                + " on table "
                                + key.table()
                                + " depends on index "
                                + index.name());
    }

    /// Whether there is an index by which a table's rows are found by their values in these
    /// columns.
    static boolean serves(SqlTable table, List<String> columns) {
        return table.indexes().stream()
                .anyMatch(index -> ForeignKeyIndexes.serves(index, numbers(table, columns)));
    }

    static List<Integer> numbers(SqlTable table, List<String> columns) {
        return columns.stream().map(table::columnNumber).toList();
    }

    private static SqlIndex index(SqlTable table, String name) {
        return table.indexes().stream()
                .filter(index -> index.name().equals(name))
                .findAny()
                .orElseThrow();
    }

    /// The table of this name.
    ///
    /// @throws SqlException 42P01 if there is none
    static SqlTable table(DdlContext context, Name name) {
        SqlTable table = context.catalog().find(name.text());
        if (table == null && context.catalog().findView(name.text()) != null) {
            throw new SqlException(
                    SqlState.WRONG_OBJECT_TYPE,
                    "\"" + name.text() + "\" is not a table",
                    name.position());
        }
        if (table == null) {
            throw new SqlException(
                    SqlState.UNDEFINED_TABLE,
                    "relation \"" + name.text() + "\" does not exist",
                    name.position());
        }
        return table;
    }

    /// The table of this name, that is there.
    static SqlTable known(DdlContext context, String name) {
        SqlTable table = context.catalog().find(name);
        if (table == null) {
            throw new IllegalStateException("no table " + name);
        }
        return table;
    }
}
