package org.namdb.sql.engine.ddl;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.CommentTable;
import org.namdb.sql.engine.catalog.CommentTable.Kind;
import org.namdb.sql.engine.catalog.CommentTable.Subject;
import org.namdb.sql.engine.catalog.Routine;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.SqlView;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.language.ast.DdlStatement;
import org.namdb.sql.language.ast.DdlStatement.AlterTable;
import org.namdb.sql.language.ast.DdlStatement.Comment;
import org.namdb.sql.language.ast.DdlStatement.CommentKind;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.SequenceStatement;
import org.namdb.sql.language.ast.ViewStatement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// COMMENT, and what becomes of comments when other DDL renames or drops what they are about.
public final class CommentSteps {
    /// What all comments may have together: a checkpoint has a table's definition in one block.
    private static final int MAX_BYTES = 512 << 10;

    private final DdlContext context;
    private final SortedMap<Subject, String> comments;

    CommentSteps(DdlContext context) {
        this.context = context;
        this.comments = new TreeMap<>(context.catalog().comments());
    }

    void run(Comment comment) {
        Subject subject = subject(comment);
        String text = comment.text();
        if (text == null || text.isEmpty()) {
            comments.remove(subject);
        } else {
            comments.put(subject, text);
            requireSpace();
        }
        keep();
    }

    private void requireSpace() {
        long bytes = 0;
        for (String text : comments.values()) {
            bytes += text.getBytes(StandardCharsets.UTF_8).length;
        }
        if (bytes > MAX_BYTES) {
            throw new SqlException(
                            SqlState.PROGRAM_LIMIT_EXCEEDED,
                            "the comments of a database have at most " + MAX_BYTES + " bytes")
                    .withHint("Shorten comments, or remove some: COMMENT ON .. IS NULL.");
        }
    }

    private void keep() {
        if (!comments.equals(context.catalog().comments())) {
            CommentTable.store(context.db(), comments);
        }
    }

    /// Copies the comments on a table's columns, constraints and indexes to another table.
    ///
    /// @param copiesChecks whether the other has the constraints
    /// @param indexes the other's indexes by those of which they are copies
    void copy(String from, String to, boolean copiesChecks, Map<String, String> indexes) {
        for (Map.Entry<Subject, String> each : new TreeMap<>(comments).entrySet()) {
            Subject subject = each.getKey();
            boolean isOfTable = subject.object().equals(from);
            if (isOfTable && subject.kind() == Kind.COLUMN
                    || isOfTable && copiesChecks && subject.kind() == Kind.CONSTRAINT) {
                comments.put(new Subject(subject.kind(), to, subject.part()), each.getValue());
            } else if (subject.kind() == Kind.RELATION && indexes.containsKey(subject.object())) {
                String index = Objects.requireNonNull(indexes.get(subject.object()));
                comments.put(new Subject(Kind.RELATION, index), each.getValue());
            }
        }
        comments.keySet().removeIf(subject -> !exists(subject, context.catalog()));
        requireSpace();
        keep();
    }

    /// Before DDL: drops the comments on what is there no more, so that no new object has them.
    static void dropLost(DdlContext context) {
        if (!context.catalog().comments().isEmpty()) {
            CommentSteps steps = new CommentSteps(context);
            steps.comments.keySet().removeIf(subject -> !exists(subject, context.catalog()));
            steps.keep();
        }
    }

    /// Whether what a comment is about is still there.
    public static boolean exists(Subject subject, SqlCatalog catalog) {
        return switch (subject.kind()) {
            case RELATION -> catalog.hasRelation(subject.object());
            case COLUMN -> hasColumn(subject.object(), subject.part(), catalog);
            case CONSTRAINT -> {
                SqlTable table = catalog.find(subject.object());
                yield table != null && hasConstraint(table, subject.part());
            }
            case ROUTINE -> catalog.routine(subject.object()) != null;
            case SCHEMA -> true;
        };
    }

    private static boolean hasColumn(String relation, String column, SqlCatalog catalog) {
        SqlTable table = catalog.find(relation);
        SqlView view = table == null ? catalog.findView(relation) : null;
        return table != null && table.columnNumber(column) >= 0
                || view != null && view.columns().stream().anyMatch(c -> c.name().equals(column));
    }

    private static boolean hasConstraint(SqlTable table, String name) {
        return !table.hasHiddenKey() && table.primaryKeyName().equals(name)
                || table.checks().stream().anyMatch(check -> check.name().equals(name))
                || table.foreignKeys().stream().anyMatch(key -> key.name().equals(name))
                || table.indexes().stream()
                        .anyMatch(index -> index.isConstraint() && index.name().equals(name));
    }

    /// After DDL: comments follow what it has renamed.
    static void follow(DdlStatement statement, DdlContext context) {
        if (context.catalog().comments().isEmpty()) {
            return;
        }
        CommentSteps steps = new CommentSteps(context);
        switch (statement) {
            case AlterTable alter ->
                    alter.changes().forEach(change -> steps.follow(alter.table().text(), change));
            case DdlStatement.AlterIndex alter -> {
                steps.rename(alter.index(), alter.newName());
                steps.renameConstraint(alter.index(), alter.newName());
            }
            case ViewStatement.AlterView alter -> steps.rename(alter.view(), alter.newName());
            case SequenceStatement.AlterSequence alter ->
                    steps.rename(alter.sequence(), alter.newName());
            default -> {}
        }
        steps.keep();
    }

    private void follow(String table, AlterTable.Change change) {
        switch (change) {
            case AlterTable.RenameTable rename ->
                    rename(new Name(table, rename.position()), rename.newName());
            case AlterTable.RenameColumn rename ->
                    move(
                            new Subject(Kind.COLUMN, table, rename.column().text()),
                            new Subject(Kind.COLUMN, table, rename.newName().text()));
            case AlterTable.RenameConstraint rename ->
                    renameConstraint(rename.constraint(), rename.newName());
            case AlterTable.DropColumn drop ->
                    comments.remove(new Subject(Kind.COLUMN, table, drop.column().text()));
            case AlterTable.DropConstraint drop ->
                    comments.remove(new Subject(Kind.CONSTRAINT, table, drop.name().text()));
            default -> {}
        }
    }

    /// Moves the comments on a constraint and its index, which are there by their new name alone.
    private void renameConstraint(Name old, Name newName) {
        for (Subject subject : new TreeMap<>(comments).keySet()) {
            Subject renamed =
                    subject.kind() == Kind.RELATION && subject.object().equals(old.text())
                            ? new Subject(Kind.RELATION, newName.text())
                            : subject.kind() == Kind.CONSTRAINT && subject.part().equals(old.text())
                                    ? new Subject(Kind.CONSTRAINT, subject.object(), newName.text())
                                    : subject;
            if (!exists(subject, context.catalog()) && exists(renamed, context.catalog())) {
                move(subject, renamed);
            }
        }
    }

    private void rename(Name old, @Nullable Name newName) {
        if (newName == null) {
            return;
        }
        for (Subject subject : new TreeMap<>(comments).keySet()) {
            boolean isOther = subject.kind() == Kind.ROUTINE || subject.kind() == Kind.SCHEMA;
            if (!isOther && subject.object().equals(old.text())) {
                move(subject, new Subject(subject.kind(), newName.text(), subject.part()));
            }
        }
    }

    private void move(Subject from, Subject to) {
        String text = comments.remove(from);
        if (text != null) {
            comments.put(to, text);
        }
    }

    // ------------------------------------------------------------------------------ Subjects

    /// @throws SqlException 42501 if the session's role does not own it
    static void requireRights(Comment comment, DdlContext context) {
        String name = comment.object().text();
        SqlCatalog catalog = context.catalog();
        switch (comment.kind()) {
            case TABLE, COLUMN, CONSTRAINT, VIEW, SEQUENCE ->
                    RightsChecks.requireRelationOwner(comment.object(), context);
            case INDEX -> {
                SqlTable table = catalog.tableOfIndex(name);
                if (table != null) {
                    context.authority().requireOwner("index", name, table.ownership());
                }
            }
            case FUNCTION, PROCEDURE, ROUTINE ->
                    RoutineSteps.requireOwner(catalog.routine(name), context);
            case SCHEMA -> context.authority().requireOwner("schema", name, Ownership.BOOTSTRAP);
        }
    }

    private Subject subject(Comment comment) {
        SqlCatalog catalog = context.catalog();
        String name = comment.object().text();
        return switch (comment.kind()) {
            case TABLE -> relation(comment, catalog.find(name) != null);
            case INDEX -> relation(comment, isIndex(name, catalog));
            case VIEW -> relation(comment, catalog.findView(name) != null);
            case SEQUENCE -> relation(comment, catalog.findSequence(name) != null);
            case COLUMN -> column(comment);
            case CONSTRAINT -> constraint(comment);
            case FUNCTION, PROCEDURE, ROUTINE -> routine(comment);
            case SCHEMA -> schema(comment);
        };
    }

    private static Subject schema(Comment comment) {
        String name = comment.object().text();
        if (!name.equals("public")) {
            throw new SqlException(
                    SqlState.UNDEFINED_SCHEMA,
                    "schema \"" + name + "\" does not exist",
                    comment.object().position());
        }
        return new Subject(Kind.SCHEMA, name);
    }

    private static boolean isIndex(String name, SqlCatalog catalog) {
        return catalog.tableOfIndex(name) != null
                || catalog.tables().stream()
                        .anyMatch(t -> !t.hasHiddenKey() && t.primaryKeyName().equals(name));
    }

    private Subject relation(Comment comment, boolean isOfKind) {
        String name = comment.object().text();
        if (!isOfKind) {
            if (!context.catalog().hasRelation(name)) {
                throw missing("relation \"" + name + "\" does not exist", comment.object());
            }
            String kind = comment.kind().name().toLowerCase(Locale.ROOT);
            throw new SqlException(
                    SqlState.WRONG_OBJECT_TYPE,
                    "\"" + name + "\" is not " + (kind.equals("index") ? "an " : "a ") + kind,
                    comment.object().position());
        }
        return new Subject(Kind.RELATION, name);
    }

    private static SqlException missing(String message, Name name) {
        return new SqlException(SqlState.UNDEFINED_TABLE, message, name.position());
    }

    private Subject column(Comment comment) {
        String relation = comment.object().text();
        Name column = part(comment);
        SqlCatalog catalog = context.catalog();
        if (!hasColumn(relation, column.text(), catalog)) {
            if (!catalog.hasRelation(relation)) {
                throw missing("relation \"" + relation + "\" does not exist", comment.object());
            }
            throw new SqlException(
                    SqlState.UNDEFINED_COLUMN,
                    "column \""
                            + column.text()
                            + "\" of relation \""
                            + relation
                            + "\" does not exist",
                    column.position());
        }
        return new Subject(Kind.COLUMN, relation, column.text());
    }

    private Subject constraint(Comment comment) {
        String name = comment.object().text();
        Name constraint = part(comment);
        SqlTable table = context.catalog().find(name);
        if (table == null) {
            throw missing("relation \"" + name + "\" does not exist", comment.object());
        }
        if (!hasConstraint(table, constraint.text())) {
            throw new SqlException(
                    SqlState.UNDEFINED_OBJECT,
                    "constraint \""
                            + constraint.text()
                            + "\" for table \""
                            + name
                            + "\" does not exist",
                    constraint.position());
        }
        return new Subject(Kind.CONSTRAINT, name, constraint.text());
    }

    private static Name part(Comment comment) {
        Name part = comment.part();
        if (part == null) {
            throw new IllegalStateException("a comment on a part without its name");
        }
        return part;
    }

    private Subject routine(Comment comment) {
        String name = comment.object().text();
        Routine routine = context.catalog().routine(name);
        String kind = comment.kind().name().toLowerCase(Locale.ROOT);
        boolean isOfKind =
                routine != null
                        && (comment.kind() == CommentKind.ROUTINE
                                || routine.kind().name().equals(comment.kind().name()));
        if (!isOfKind) {
            throw new SqlException(
                    routine == null ? SqlState.UNDEFINED_FUNCTION : SqlState.WRONG_OBJECT_TYPE,
                    routine == null
                            ? kind + " " + name + " does not exist"
                            : name + " is not a " + kind,
                    comment.object().position());
        }
        return new Subject(Kind.ROUTINE, name);
    }
}
