package org.namdb.sql.engine.catalog;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The schema of a session's temporary tables. The system's catalog shows them as PostgreSQL does:
/// by their names, in a schema of their own.
public final class TemporarySchema {
    /// The property of a table with what a commit does with it, if it does anything.
    public static final String ON_COMMIT = "temporary.commit";

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

    private final String name;
    private volatile Set<String> made;
    private volatile Predicate<String> hidden = _ -> false;

    /// @param name of the catalog
    /// @param made the names of relations that the session has made in an earlier schema
    public TemporarySchema(String name, Set<String> made) {
        this.name = name;
        this.made = Set.copyOf(made);
    }

    /// What the catalog calls the schema.
    public String name() {
        return name;
    }

    /// The names of the relations that the session has made, and not dropped. If one is not in the
    /// catalog, others have dropped it, as they do when its compute server was declared dead.
    public Set<String> made() {
        return made;
    }

    /// The session has made these relations, and not dropped them.
    public void setMade(Set<String> names) {
        made = Set.copyOf(names);
    }

    /// Has names mean permanent relations, whatever the session has made.
    ///
    /// @param names which, without their schema
    public void hide(Predicate<String> names) {
        hidden = names;
    }

    boolean isHidden(String relation) {
        return hidden.test(relation);
    }

    /// What clients call the schema.
    String shown() {
        return TemporaryNames.shown(name);
    }

    /// What the catalog calls a relation of the schema.
    ///
    /// @param relation as a statement has it
    String qualified(String relation) {
        String before = shown() + ".";
        return TemporaryNames.in(
                name,
                relation.startsWith(before)
                        ? relation.substring(before.length())
                        : TemporaryNames.bare(relation));
    }

    /// Whether a statement's name is one of the schema, and of no other.
    boolean isNamedBy(String relation) {
        return TemporaryNames.isInOwn(relation) || relation.startsWith(shown() + ".");
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
                row[i] = row[i] instanceof Long ? (Object) NAMESPACE : shown();
            } else if (column.equals("relpersistence")) {
                row[i] = "t";
            } else if (column.equals("table_type")) {
                row[i] = "LOCAL TEMPORARY";
            }
        }
    }
}
