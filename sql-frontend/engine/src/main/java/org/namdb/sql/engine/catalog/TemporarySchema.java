package org.namdb.sql.engine.catalog;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Shows a session's temporary tables in the system's catalog as PostgreSQL does: by their names,
/// in a schema of their own.
///
/// @param name the schema's
record TemporarySchema(String name) {
    /// The number of the schema.
    static final long NAMESPACE = 13_001;

    /// Columns with the name of a schema, or its number.
    private static final Set<String> SCHEMAS =
            Set.of(
                    "schemaname",
                    "relnamespace",
                    "connamespace",
                    "table_schema",
                    "constraint_schema",
                    "sequence_schema",
                    "unique_constraint_schema");

    /// What the catalog calls a relation of this name that is in the schema.
    String qualified(String relation) {
        return TemporaryNames.in(name, TemporaryNames.bare(relation));
    }

    /// What the catalog calls the relation that a name means.
    String resolve(String relation, Set<String> relations) {
        String qualified = qualified(relation);
        return relations.contains(qualified) ? qualified : relation;
    }

    /// A text that may name relations of the schema, as it is shown.
    String text(String text) {
        return text.replace("public.\"" + name + ".", "\"").replace(name + ".", "");
    }

    /// Changes a row that is about a relation of the schema.
    void show(@Nullable Object[] row, List<SystemRelation.Column> columns) {
        boolean isInside = false;
        for (int i = 0; i < row.length; i++) {
            if (row[i] instanceof String text && text.contains(name + ".")) {
                isInside = true;
                row[i] = text(text);
            }
        }
        for (int i = 0; isInside && i < row.length; i++) {
            String column = columns.get(i).name();
            if (SCHEMAS.contains(column)) {
                row[i] = row[i] instanceof Long ? (Object) NAMESPACE : name;
            } else if (column.equals("relpersistence")) {
                row[i] = "t";
            } else if (column.equals("table_type")) {
                row[i] = "LOCAL TEMPORARY";
            }
        }
    }
}
