package org.namdb.sql.engine.catalog;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.namdb.compute.Schema;
import org.namdb.compute.schema.SchemaTable;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// The comments on objects of a database as the properties of a hidden table's definition, which
/// has no rows. One may be about an object that was dropped: it is no comment on another one of the
/// same name, as each schema change drops such ones
/// first.
///
/// | property | text |
/// |---|---|
/// | `comment.` kind, object, part | the comment |
public final class CommentTable {
    static final String TABLE = UniqueKey.HIDDEN + "comments";

    private static final String COMMENT = "comment.";

    private CommentTable() {}

    /// What a comment may be about.
    public enum Kind {
        /// A table, index, view or sequence.
        RELATION,
        COLUMN,
        CONSTRAINT,
        ROUTINE,
        /// `public`, the only one.
        SCHEMA
    }

    /// What a comment is about.
    ///
    /// @param object the relation or routine; of a column or constraint, its relation
    /// @param part the column or constraint; empty for other objects
    public record Subject(Kind kind, String object, String part) implements Comparable<Subject> {
        /// One that is no part of another.
        public Subject(Kind kind, String object) {
            this(kind, object, "");
        }

        @Override
        public int compareTo(Subject other) {
            return encode().compareTo(other.encode());
        }

        private String encode() {
            return Fields.join(List.of(kind.name(), object, part));
        }

        private static Subject decode(String text) {
            List<String> fields = Fields.split(text);
            return new Subject(Kind.valueOf(fields.get(0)), fields.get(1), fields.get(2));
        }
    }

    /// The comments.
    static SortedMap<Subject, String> read(Schema db) {
        SchemaTable table = db.describe(TABLE);
        SortedMap<Subject, String> comments = new TreeMap<>();
        if (table != null) {
            table.definition()
                    .properties()
                    .forEach((key, text) -> {
                        if (key.startsWith(COMMENT)) {
                            comments.put(Subject.decode(key.substring(COMMENT.length())), text);
                        }
                    });
        }
        return Collections.unmodifiableSortedMap(comments);
    }

    /// Keeps these comments, in place of those that were kept; a change of the schema.
    public static void store(Schema db, SortedMap<Subject, String> comments) {
        TableDefinition.Builder definition =
                TableDefinition.named(TABLE).column("id", ColumnType.INT32).primaryKey("id");
        comments.forEach((subject, text) -> definition.property(COMMENT + subject.encode(), text));
        if (db.findTable(TABLE) == null) {
            Table _ = db.createTable(definition.build());
        } else {
            Table _ = db.redefine(TABLE, definition.build());
        }
    }
}
