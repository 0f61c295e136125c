package org.namdb.compute;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.DefinitionTurn;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// Changes what tables and indexes there are, one change after the other, each while no transaction
/// runs (see [DefinitionTurn]). An index is filled afterwards, beside running transactions.
///
/// What goes is first forgotten by all sessions, then given back: so nobody touches freed memory.
final class SchemaChanges {
    private static final int ROWS_PER_COMMIT = 256;

    private final NamDb db;
    private final Catalog catalog;
    private final DefinitionTurn turn;
    private final SchemaUsers users;

    SchemaChanges(NamDb db, Catalog catalog, DefinitionTurn turn, SchemaUsers users) {
        this.db = db;
        this.catalog = catalog;
        this.turn = turn;
        this.users = users;
    }

    Index createIndex(IndexDefinition definition) {
        requireNoTransaction();
        try (Session session = db.session()) {
            IndexBuild build = alone(() -> beginBuild(definition, session));
            boolean isFilled = false;
            try {
                build.run();
                isFilled = true;
            } finally {
                if (!isFilled) {
                    takeBack(build.index());
                }
            }
            catalog.filled(build.index());
            return build.index();
        }
    }

    /// Makes an empty index that all writers keep up from now on, and takes the snapshot of what
    /// was there before: between the two nobody may commit.
    private IndexBuild beginBuild(IndexDefinition definition, Session session) {
        Index index = catalog.create(definition);
        boolean isBegun = false;
        try {
            IndexBuild build = IndexBuild.begin(session, db.table(definition.table()), index);
            isBegun = true;
            return build;
        } finally {
            if (!isBegun) {
                drop(index);
            }
        }
    }

    /// An index that can't be filled would be kept up for nothing. Waits longer than a transaction
    /// may take.
    private void takeBack(Index index) {
        turn.alone(
                db.options().maxTransactionTime().multipliedBy(2),
                () -> {
                    // Someone may have dropped it, or its table, since the fill has failed.
                    if (catalog.findIndex(index.name()) == index) {
                        drop(index);
                    }
                    return index;
                });
    }

    void dropIndex(String name) {
        changeAlone(() -> {
            Index index = catalog.findIndex(name);
            if (index == null) {
                throw new IllegalArgumentException("there is no index " + name);
            }
            drop(index);
            return index;
        });
    }

    void dropTable(String name) {
        changeAlone(() -> {
            Table table = db.table(name);
            catalog.remove(table);
            discard(table);
            return table;
        });
    }

    /// Makes a table empty: its place is taken by a new one.
    Table truncate(String name) {
        return changeAlone(() -> {
            Table table = db.table(name);
            return replace(table, table.definition(), definitions(table), null);
        });
    }

    Table replace(String name, TableDefinition definition, RowMapping mapping) {
        return changeAlone(() -> {
            Table table = db.table(name);
            List<IndexDefinition> kept = new ArrayList<>();
            for (IndexDefinition index : definitions(table)) {
                if (definition.columns().stream()
                        .map(TableDefinition.ColumnDefinition::name)
                        .toList()
                        .containsAll(index.columns())) {
                    kept.add(index.on(definition.name(), Map.of()));
                }
            }
            return replace(table, definition, kept, mapping);
        });
    }

    /// Changes a table's name, its columns' names, and its properties, and nothing that lies in
    /// memory.
    Table redefine(String name, TableDefinition definition) {
        return changeAlone(() -> {
            Table table = db.table(name);
            Map<String, String> newNames = newNames(table.definition(), definition);
            users.release(table);
            return catalog.redefine(table, definition, newNames);
        });
    }

    private static List<IndexDefinition> definitions(Table table) {
        return table.allIndexes().stream().map(Index::definition).toList();
    }

    /// The columns' new names by their old ones.
    ///
    /// @throws IllegalArgumentException if anything else has changed
    private static Map<String, String> newNames(TableDefinition old, TableDefinition changed) {
        Map<String, String> newNames = new LinkedHashMap<>();
        for (int i = 0; i < Math.min(old.columns().size(), changed.columns().size()); i++) {
            newNames.put(old.columns().get(i).name(), changed.columns().get(i).name());
        }
        TableDefinition.Builder renamed = old.withoutColumns(changed.name());
        for (TableDefinition.ColumnDefinition column : old.columns()) {
            String newName = newNames.getOrDefault(column.name(), column.name());
            if (column.nullable()) {
                renamed.nullable(newName, column.type());
            } else {
                renamed.column(newName, column.type());
            }
        }
        renamed.primaryKey(
                old.primaryKey().stream()
                        .map(key -> newNames.getOrDefault(key, key))
                        .toArray(String[]::new));
        changed.properties().forEach(renamed::property);
        if (!renamed.build().equals(changed)) {
            throw new IllegalArgumentException(
                    old.name()
                            + ": only names and properties can change without the rows being"
                            + " copied");
        }
        return newNames;
    }

    private Table replace(
            Table old,
            TableDefinition definition,
            List<IndexDefinition> indexes,
            @Nullable RowMapping mapping) {
        Table made = catalog.prepare(old, definition, indexes);
        boolean isDone = false;
        try {
            if (mapping != null) {
                copy(old, made, mapping);
            }
            isDone = true;
        } finally {
            if (!isDone) {
                discard(made);
            }
        }
        catalog.swap(old, made);
        discard(old);
        return made;
    }

    private void copy(Table from, Table to, RowMapping mapping) {
        try (Session reader = db.session();
                Session writer = db.session()) {
            reader.transact(reading -> {
                TableScan scan = reading.scan(from, from.schema().all());
                while (copySome(scan, writer, to, mapping)) {
                    // The rest is left.
                }
                return true;
            });
        }
    }

    /// Returns whether there may be more.
    private static boolean copySome(TableScan scan, Session writer, Table to, RowMapping mapping) {
        boolean[] isTried = {false};
        return writer.transact(writing -> {
            if (isTried[0]) {
                throw new IllegalStateException("rows are copied while nobody else writes");
            }
            isTried[0] = true;
            org.namdb.mvcc.schema.Key key = to.newKey();
            for (int count = 0; count < ROWS_PER_COMMIT; count++) {
                Row source = scan.next();
                if (source == null) {
                    return false;
                }
                mapping.key(source, key.clear());
                mapping.columns(source, writing.insert(to, key));
                mapping.others(writing);
            }
            return true;
        });
    }

    private void drop(Index index) {
        catalog.remove(index);
        users.forget(index);
        catalog.dispose(index);
        users.releaseMemory();
    }

    /// Gives the memory of a table that is in the catalog no more back.
    private void discard(Table table) {
        table.drop();
        users.forget(table);
        catalog.dispose(table);
        users.releaseMemory();
    }

    private <T> T changeAlone(Supplier<T> change) {
        requireNoTransaction();
        return alone(change);
    }

    private <T> T alone(Supplier<T> change) {
        return turn.alone(db.options().schemaWait(), change);
    }

    private void requireNoTransaction() {
        for (Session session : db.sessions()) {
            if (session.isRunning() && session.passage.isEnteredBy(Thread.currentThread())) {
                throw new IllegalStateException(
                        "the schema can't be changed within a transaction of the same thread");
            }
        }
    }
}
