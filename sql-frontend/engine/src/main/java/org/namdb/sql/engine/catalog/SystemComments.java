package org.namdb.sql.engine.catalog;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.CommentTable.Subject;

/// `pg_description`, and what `obj_description` and `col_description` look up.
public final class SystemComments {
    /// The numbers of the catalogs that objects are in.
    private static final Map<String, Long> CATALOGS =
            Map.of(
                    "pg_class",
                    1259L,
                    "pg_constraint",
                    2606L,
                    "pg_proc",
                    1255L,
                    "pg_namespace",
                    2615L);

    private final SystemCatalog catalog;
    private final Map<Place, String> texts = new HashMap<>();

    /// The names of their columns, by the names of tables and views.
    private final Map<String, List<String>> columns = new HashMap<>();

    /// @param column its number; 0 for the object itself
    private record Place(long oid, long catalog, long column) {}

    SystemComments(SystemCatalog catalog) {
        this.catalog = catalog;
    }

    void fill(Map<Subject, String> comments, List<SqlTable> tables, List<SqlView> views) {
        for (SqlTable table : tables) {
            columns.put(table.name(), table.columns().stream().map(SqlColumn::name).toList());
        }
        for (SqlView view : views) {
            columns.put(view.name(), view.columns().stream().map(SqlView.Column::name).toList());
        }
        SystemRelation relation =
                catalog.add(
                        "pg_description",
                        "objoid oid, classoid oid, objsubid int4, description text");
        comments.forEach((subject, text) -> {
            Place place = place(subject);
            if (place != null) {
                texts.put(place, text);
                relation.row(place.oid, place.catalog, place.column, text);
            }
        });
    }

    /// Where a comment belongs; null if there is no such object any more.
    private @Nullable Place place(Subject subject) {
        Long oid =
                switch (subject.kind()) {
                    case RELATION, COLUMN -> catalog.storedOid(subject.object());
                    case CONSTRAINT -> catalog.constraintOid(subject.object(), subject.part());
                    case ROUTINE -> catalog.routines().oid(subject.object());
                    case SCHEMA -> (long) SystemCatalog.PUBLIC_NAMESPACE;
                };
        int column =
                subject.kind() == CommentTable.Kind.COLUMN
                        ? columns.getOrDefault(subject.object(), List.of()).indexOf(subject.part())
                                + 1
                        : 0;
        if (oid == null || subject.kind() == CommentTable.Kind.COLUMN && column == 0) {
            return null;
        }
        String of =
                switch (subject.kind()) {
                    case RELATION, COLUMN -> "pg_class";
                    case CONSTRAINT -> "pg_constraint";
                    case ROUTINE -> "pg_proc";
                    case SCHEMA -> "pg_namespace";
                };
        return new Place(oid, CATALOGS.getOrDefault(of, 0L), column);
    }

    /// The comment on an object; null if there is none.
    ///
    /// @param of the catalog that the object is in; null for any
    public @Nullable String onObject(long oid, @Nullable String of) {
        if (of != null) {
            return texts.get(new Place(oid, CATALOGS.getOrDefault(of, 0L), 0));
        }
        for (long each : CATALOGS.values()) {
            String text = texts.get(new Place(oid, each, 0));
            if (text != null) {
                return text;
            }
        }
        return null;
    }

    /// The comment on a column; null if there is none.
    ///
    /// @param number of the column, from 1
    public @Nullable String onColumn(long relation, long number) {
        return texts.get(new Place(relation, CATALOGS.getOrDefault("pg_class", 0L), number));
    }
}
