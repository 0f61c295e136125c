package org.namdb.compute.maintenance;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Catalog;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.recovery.Tables;
import org.namdb.mvcc.tree.BLinkTree;

/// The tables of the catalog, for recovery: including those that were never opened in this process.
final class CatalogTables implements Tables {
    private final Catalog catalog;
    private boolean isComplete;

    CatalogTables(Catalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public @Nullable HashTable records(int table) {
        Table known = table(table);
        return known == null ? null : known.records();
    }

    /// A table by its number; null if it was dropped.
    @Nullable Table table(int number) {
        Table known = catalog.byNumber(number);
        if (known == null && openAll()) {
            known = catalog.byNumber(number);
        }
        return known;
    }

    @Override
    public @Nullable HashTable index(int index) {
        HashTable known = findIndex(index);
        if (known == null && openAll()) {
            known = findIndex(index);
        }
        return known;
    }

    @Override
    public List<BLinkTree> trees() {
        boolean _ = openAll();
        List<BLinkTree> trees = new ArrayList<>();
        for (String name : catalog.tableNames()) {
            Table table = catalog.find(name);
            if (table != null) {
                for (Index index : table.allIndexes()) {
                    trees.addAll(index.trees());
                }
            }
        }
        return trees;
    }

    private @Nullable HashTable findIndex(int number) {
        for (String name : catalog.tableNames()) {
            Table table = catalog.find(name);
            Index index = table == null ? null : table.indexByNumber(number);
            if (index != null) {
                return index.hash();
            }
        }
        return null;
    }

    /// Opens all tables, once.
    private boolean openAll() {
        if (isComplete) {
            return false;
        }
        for (String name : catalog.tableNames()) {
            Table _ = catalog.find(name);
        }
        isComplete = true;
        return true;
    }
}
