package org.namdb.sql.engine.ddl;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.namdb.sql.engine.catalog.ForeignKeyConstraint;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.UniqueKey;
import org.namdb.sql.language.ast.DdlStatement.DropTable;
import org.namdb.sql.language.ast.DdlStatement.Truncate;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// DROP TABLE and TRUNCATE.
final class DropSteps {
    private final DdlContext context;

    DropSteps(DdlContext context) {
        this.context = context;
    }

    void drop(DropTable statement) {
        Set<String> tables = new LinkedHashSet<>();
        for (Name name : statement.tables()) {
            if (context.catalog().find(name.text()) != null) {
                tables.add(name.text());
            } else {
                missing(name, statement.ifExists());
            }
        }
        ViewSteps views = new ViewSteps(context);
        views.dropReaders(tables, "table", statement.isCascade());
        SequenceChanges sequences = new SequenceChanges(context);
        Set<String> owned = new LinkedHashSet<>();
        for (String table : tables) {
            sequences.ownedBy(table).forEach(sequence -> owned.add(sequence.name()));
        }
        SequenceSteps.requireUnused(context, owned, tables, "table", tables, statement.isCascade());
        views.dropUsersOf(owned, statement.isCascade());
        owned.forEach(sequences::remove);
        List<ForeignKeyConstraint> others = new ArrayList<>();
        for (String table : tables) {
            for (ForeignKeyConstraint key : Indexes.known(context, table).referencedBy()) {
                if (!tables.contains(key.table())) {
                    others.add(key);
                }
            }
        }
        if (!others.isEmpty() && !statement.isCascade()) {
            throw referred(others.getFirst());
        }
        sequences.run(() -> {
            views.keep();
            dropForeignKeys(others);
            SequenceSteps.dropDefaults(context, owned, tables);
            tables.forEach(this::drop);
        });
    }

    private void dropForeignKeys(List<ForeignKeyConstraint> others) {
        for (ForeignKeyConstraint key : others) {
            dropForeignKey(key);
            context.notice(
                    "drop cascades to constraint " + key.name() + " on table " + key.table());
        }
    }

    private void missing(Name name, boolean ifExists) {
        boolean isSequence = context.catalog().findSequence(name.text()) != null;
        if (isSequence || context.catalog().findView(name.text()) != null) {
            throw new SqlException(
                            SqlState.WRONG_OBJECT_TYPE,
                            "\"" + name.text() + "\" is not a table",
                            name.position())
                    .withHint(
                            isSequence
                                    ? "Use DROP SEQUENCE to remove a sequence."
                                    : "Use DROP VIEW to remove a view.");
        }
        String text = "table \"" + name.text() + "\" does not exist";
        if (!ifExists) {
            throw new SqlException(SqlState.UNDEFINED_TABLE, text, name.position());
        }
        context.notice(text + ", skipping");
    }

    private static SqlException referred(ForeignKeyConstraint key) {
        return new SqlException(
                        SqlState.DEPENDENT_OBJECTS,
                        "cannot drop table "
                                + key.referencedTable()
                                + " because other objects depend on it")
                .withDetail(
                        "constraint "
                                + key.name()
                                + " on table "
                                + key.table()
                                + " depends on table "
                                + key.referencedTable())
                .withHint("Use DROP ... CASCADE to drop the dependent objects too.");
    }

    private void dropForeignKey(ForeignKeyConstraint key) {
        SqlTable table = Indexes.known(context, key.table());
        TableDraft draft = TableDraft.of(table);
        draft.foreignKeys.removeIf(k -> k.name().equals(key.name()));
        context.db().redefine(table.name(), AlterTableStep.redefined(table, draft, table.name()));
        AlterTableStep.dropAutomaticIndex(context, key);
    }

    private void drop(String name) {
        SqlTable table = Indexes.known(context, name);
        context.db().dropTable(name);
        dropUniqueTables(table);
        if (table.longValues() != null) {
            context.db().dropTable(table.longValues().name());
        }
        context.changeStatistics(statistics -> statistics.dropped(name));
    }

    private void dropUniqueTables(SqlTable table) {
        for (SqlIndex index : table.indexes()) {
            if (index.isUnique()) {
                context.db().dropTable(UniqueKey.tableName(index.name()));
            }
        }
    }

    void truncate(Truncate statement) {
        Set<String> tables = new LinkedHashSet<>();
        for (Name name : statement.tables()) {
            tables.add(Indexes.table(context, name).name());
        }
        List<String> left = new ArrayList<>(tables);
        while (!left.isEmpty()) {
            SqlTable table = Indexes.known(context, left.removeFirst());
            for (ForeignKeyConstraint key : table.referencedBy()) {
                if (tables.contains(key.table())) {
                    continue;
                }
                if (!statement.isCascade()) {
                    throw new SqlException(
                                    SqlState.FEATURE_NOT_SUPPORTED,
                                    "cannot truncate a table referenced in a foreign key constraint")
                            .withDetail(
                                    "Table \""
                                            + key.table()
                                            + "\" references \""
                                            + table.name()
                                            + "\".")
                            .withHint(
                                    "Truncate table \""
                                            + key.table()
                                            + "\" at the same time, or use TRUNCATE ... CASCADE.");
                }
                RightsChecks.requireTruncate(Indexes.known(context, key.table()), context);
                context.notice("truncate cascades to table \"" + key.table() + "\"");
                tables.add(key.table());
                left.add(key.table());
            }
        }
        SequenceChanges sequences = new SequenceChanges(context);
        if (statement.restartsIdentity()) {
            tables.forEach(sequences::restart);
        }
        sequences.run(() -> truncate(tables));
    }

    private void truncate(Set<String> tables) {
        for (String name : tables) {
            SqlTable table = Indexes.known(context, name);
            context.db().truncate(name);
            if (table.longValues() != null) {
                context.db().truncate(table.longValues().name());
            }
            for (SqlIndex index : table.indexes()) {
                if (index.isUnique()) {
                    context.db().truncate(UniqueKey.tableName(index.name()));
                }
            }
        }
    }
}
