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
        HashTable known = findRecords(table);
        if (known == null && openAll()) {
            known = findRecords(table);
        }
        return known;
    }

    private @Nullable HashTable findRecords(int number) {
        Table table = catalog.byNumber(number);
        return table == null ? null : table.records();
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
