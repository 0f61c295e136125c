package org.namdb.sql.engine;

import java.util.List;
import java.util.stream.Collectors;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.catalog.UniqueKey;
import org.namdb.sql.language.type.SqlType;

/// The record of a failed transaction, in the words of SQL: the entry of a unique index belongs to
/// a table that no user has made, and a row id is hidden.
final class RecordText {
    private RecordText() {}

    /// `Key (id)=(5) of table "t"`.
    ///
    /// @param table the name of the record's table in the engine
    /// @param key the record's key as the engine describes it, `(5)`
    static String of(SqlCatalog catalog, String table, String key) {
        if (!TemporaryNames.isHidden(table)) {
            SqlTable found = catalog.find(table);
            if (found == null || key.isEmpty()) { // a row of any key
                return table + key;
            }
            return found.hasHiddenKey()
                    ? "a row of table \"" + table + "\""
                    : key(found, found.primaryKey(), key);
        }
        String name = table.substring(UniqueKey.tableName("").length());
        SqlTable owner = catalog.tableOfIndex(name);
        if (owner == null) {
            return table + key;
        }
        SqlIndex index =
                owner.indexes().stream()
                        .filter(i -> i.name().equals(name))
                        .findFirst()
                        .orElseThrow();
        return key(owner, index.columns(), key)
                + (index.isConstraint() ? ", constraint \"" : ", index \"")
                + name
                + "\"";
    }

    /// The engine knows dates and decimals as whole numbers only: those are left out.
    private static String key(SqlTable table, List<Integer> columns, String key) {
        boolean isReadable =
                columns.stream()
                        .map(c -> table.columns().get(c).type())
                        .allMatch(t ->
                                t.isInteger() || t.isString() || t.kind() == SqlType.Kind.UUID);
        return "Key "
                + columns.stream()
                        .map(c -> table.columns().get(c).name())
                        .collect(Collectors.joining(", ", "(", ")"))
                + (isReadable ? "=" + key : "")
                + " of table \""
                + table.name()
                + "\"";
    }
}
