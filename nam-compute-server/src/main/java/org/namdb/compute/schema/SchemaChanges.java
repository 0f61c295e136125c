package org.namdb.compute.schema;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FirstFailure;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// Changes what tables and indexes there are, one change after the other, each while no transaction
/// runs (see [SchemaExclusion]). An index is filled afterwards, while transactions run.
///
/// What is dropped is first removed from all sessions' caches, then freed: so no session touches
/// freed memory.
public final class SchemaChanges {
    private final Catalog catalog;
    private final CatalogChanges steps;
    private final SchemaExclusion turn;
    private final SchemaUsers users;
    private final Supplier<IndexFill> fills;
    private final Runnable await;
    private final Duration wait;
    private final Duration longestTransaction;

    /// @param fills makes what fills the next index
    /// @param await waits until changes are durable
    /// @param wait how long a change waits for transactions, and for other changes
    /// @param longestTransaction how long a transaction may take
    public SchemaChanges(
            Catalog catalog,
            SchemaExclusion turn,
            SchemaUsers users,
            Supplier<IndexFill> fills,
            Runnable await,
            Duration wait,
            Duration longestTransaction) {
        this.catalog = catalog;
        this.steps = new CatalogChanges(catalog, catalog.journal());
        this.turn = turn;
        this.users = users;
        this.fills = fills;
        this.await = await;
        this.wait = wait;
        this.longestTransaction = longestTransaction;
    }

    /// Makes a table.
    ///
    /// @throws IllegalArgumentException if there is one of this name
    public Table createTable(TableDefinition definition) {
        return changeAlone(() -> catalog.create(definition));
    }

    /// Makes an index, and fills it.
    ///
    /// @throws IllegalArgumentException if there is one of this name, or no such table or column
    public Index createIndex(IndexDefinition definition, LongConsumer progress) {
        users.requireNoTransaction();
        FirstFailure failures = new FirstFailure();
        Index index;
        try (IndexFill fill = fills.get()) {
            IndexDefinition divided = fill.divided(definition, () -> table(definition.table()));
            index = alone(() -> beginFill(divided, fill));
            failures.attempt(() -> fill.run(progress));
        }
        if (failures.first() == null) {
            failures.attempt(() -> {
                // The fill's session may have failed behind its commit.
                try (IndexFill other = fills.get()) {
                    other.inTransaction(() -> steps.filled(index));
                }
            });
        }
        if (failures.first() != null) {
            failures.attempt(() -> rollBack(index)); // else it stays, and no lookup uses it
        }
        failures.rethrow();
        await.run();
        return index;
    }

    /// Makes an index that is to be filled, by a restart, before anything else uses the database.
    public Index createUnfilled(IndexDefinition definition) {
        return changeAlone(() -> catalog.create(definition));
    }

    /// An index has an entry for every row.
    public void filled(Index index) {
        steps.filled(index);
    }

    /// Makes an empty index that all writers maintain from now on, and takes the snapshot of what
    /// was there before: between the two no transaction may commit.
    private Index beginFill(IndexDefinition definition, IndexFill fill) {
        Index index = catalog.create(definition);
        boolean isBegun = false;
        try {
            fill.begin(table(definition.table()), index);
            isBegun = true;
            return index;
        } finally {
            if (!isBegun) {
                drop(index);
            }
        }
    }

    /// An index that can't be filled would be maintained for nothing. Waits longer than a
    /// transaction may take.
    private void rollBack(Index index) {
        turn.alone(
                longestTransaction.multipliedBy(2),
                () -> {
                    // Someone may have dropped it, or its table, since the fill has failed.
                    if (catalog.findIndex(index.name()) == index) {
                        drop(index);
                    }
                    return index;
                });
    }

    /// Drops an index.
    public void dropIndex(String name) {
        changeAlone(() -> {
            Index index = catalog.findIndex(name);
            if (index == null) {
                throw new IllegalArgumentException(
                        "there is no index " + name + "; there are " + catalog.indexNames());
            }
            drop(index);
            return index;
        });
    }

    /// Drops a table and its indexes.
    public void dropTable(String name) {
        changeAlone(() -> {
            Table table = table(name);
            steps.remove(table);
            discard(table);
            return table;
        });
    }

    /// Makes a table empty: its place is taken by a new one. Where there is no memory for both, a
    /// small one takes its place until the old one's memory is free.
    public Table truncate(String name) {
        return changeAlone(() -> {
            Table table = table(name);
            try {
                return replaceByEmpty(table, table.definition().expectedRows());
            } catch (MemoryFullException e) {
                return replaceTwice(table);
            }
        });
    }

    private Table replaceTwice(Table table) {
        Table small = catalog.connection().fromReserve(() -> replaceByEmpty(table, 1));
        try {
            return replaceByEmpty(small, small.definition().expectedRows());
        } catch (MemoryFullException e) {
            return small; // others were quicker; it grows as it is filled
        }
    }

    private Table replaceByEmpty(Table table, long rows) {
        return replace(
                table, TableReplacement.of(SchemaTable.of(table), table.definition()), rows, null);
    }

    /// Copies the rows of a table to what replaces it.
    public interface Copy {
        /// Copies all rows.
        ///
        /// @param beside the further tables that are filled with it
        void run(Table from, Table to, List<Table> beside);
    }

    /// Puts another table in the place of one, with what belongs to it.
    public Table replace(
            String name, Function<SchemaTable, TableReplacement> replacing, Copy copy) {
        return changeAlone(() -> {
            Table table = table(name);
            TableReplacement replacement = replacing.apply(SchemaTable.of(table));
            long rows = Math.max(replacement.definition().expectedRows(), table.rowsToExpect());
            return replace(table, replacement, rows, copy);
        });
    }

    /// Changes a table's name, its columns' names, and its properties, and nothing that lies in
    /// memory.
    public Table redefine(String name, TableDefinition definition) {
        return changeAlone(() -> {
            Table table = table(name);
            Map<String, String> newNames = newNames(table.definition(), definition);
            users.release(table);
            return steps.redefine(table, definition, newNames);
        });
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
        renamed.cached(changed.isCached());
        changed.properties().forEach(renamed::property);
        if (!renamed.build().equals(changed)) {
            throw new IllegalArgumentException(
                    old.name()
                            + ": only names and properties can change without the rows being"
                            + " copied");
        }
        return newNames;
    }

    private Table replace(Table old, TableReplacement replacement, long rows, @Nullable Copy copy) {
        List<Table> replaced = new ArrayList<>(List.of(old));
        List<Table> made = new ArrayList<>();
        boolean isDone = false;
        try {
            made.add(
                    steps.prepare(
                            old.name(), replacement.definition(), replacement.indexes(), rows));
            for (TableDefinition each : replacement.beside()) {
                Table before = catalog.find(each.name());
                if (before != null) {
                    replaced.add(before);
                }
                made.add(steps.prepare(each.name(), each, List.of(), each.expectedRows()));
            }
            if (copy != null) {
                copy.run(old, made.getFirst(), made.subList(1, made.size()));
            }
            isDone = true;
        } finally {
            if (!isDone) {
                made.forEach(this::discard);
            }
        }
        try {
            steps.exchange(replaced, made);
        } catch (MemoryFullException e) {
            made.forEach(this::discard); // nothing has changed
            throw e;
        }
        replaced.forEach(this::discard);
        return made.getFirst();
    }

    private void drop(Index index) {
        steps.remove(index);
        users.forget(index);
        steps.dispose(index);
        users.releaseMemory();
    }

    /// Gives the memory of a table that is in the catalog no more back.
    private void discard(Table table) {
        table.drop();
        users.forget(table);
        steps.dispose(table);
        users.releaseMemory();
    }

    private <T> T changeAlone(Supplier<T> change) {
        users.requireNoTransaction();
        T changed = alone(change);
        await.run();
        return changed;
    }

    private <T> T alone(Supplier<T> change) {
        return turn.alone(wait, change);
    }

    private Table table(String name) {
        return catalog.table(name);
    }
}
