package org.namdb.sql.engine.catalog;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.namdb.compute.Schema;
import org.namdb.compute.schema.SchemaTable;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// The views of a database as the properties of a hidden table's definition, which has no rows.
///
/// | property | text |
/// |---|---|
/// | `view.v` | the query, the columns with their types in turn, the sources, owner and ACL |
public final class ViewTable {
    static final String TABLE = UniqueKey.HIDDEN + "views";

    private static final String VIEW = "view.";

    private ViewTable() {}

    /// The views by their names.
    static SortedMap<String, SqlView> read(Schema db) {
        SchemaTable table = db.describe(TABLE);
        return table == null
                ? Collections.emptySortedMap()
                : Collections.unmodifiableSortedMap(decode(table.definition().properties()));
    }

    /// Keeps these views, in place of those that were kept; a change of the schema.
    public static void store(Schema db, SortedMap<String, SqlView> views) {
        TableDefinition.Builder definition =
                TableDefinition.named(TABLE).column("id", ColumnType.INT32).primaryKey("id");
        views.forEach((name, view) -> definition.property(VIEW + name, encode(view)));
        if (db.findTable(TABLE) == null) {
            Table _ = db.createTable(definition.build());
        } else {
            Table _ = db.redefine(TABLE, definition.build());
        }
    }

    static String encode(SqlView view) {
        List<String> columns = new ArrayList<>();
        for (SqlView.Column column : view.columns()) {
            columns.add(column.name());
            columns.add(TableProperties.encode(column.type()));
        }
        return Fields.join(
                List.of(
                        view.text(),
                        Fields.join(columns),
                        Fields.join(List.copyOf(new TreeSet<>(view.sources()))),
                        RoleTable.encode(view.ownership())));
    }

    static SortedMap<String, SqlView> decode(Map<String, String> texts) {
        SortedMap<String, SqlView> views = new TreeMap<>();
        texts.forEach((key, text) -> {
            if (key.startsWith(VIEW)) {
                String name = key.substring(VIEW.length());
                views.put(name, decode(name, Fields.split(text)));
            }
        });
        return views;
    }

    private static SqlView decode(String name, List<String> fields) {
        List<String> columns = Fields.split(fields.get(1));
        List<SqlView.Column> decoded = new ArrayList<>();
        for (int i = 0; i + 1 < columns.size(); i += 2) {
            decoded.add(
                    new SqlView.Column(
                            columns.get(i),
                            TableProperties.type(Fields.split(columns.get(i + 1)))));
        }
        return new SqlView(
                name,
                decoded,
                fields.get(0),
                Set.copyOf(Fields.split(fields.get(2))),
                RoleTable.ownership(fields.get(3)));
    }
}
