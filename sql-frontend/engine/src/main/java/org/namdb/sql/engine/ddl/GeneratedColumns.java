package org.namdb.sql.engine.ddl;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.namdb.sql.engine.ddl.TableDraft.DraftColumn;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.language.ast.DdlStatement.ForeignKey;
import org.namdb.sql.language.ast.DdlStatement.ForeignKey.Action;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The generated columns of a draft: `GENERATED ALWAYS AS (expression) STORED`.
final class GeneratedColumns {
    private static final String PLACE = "column generation expression";

    private final DdlContext context;
    private final TableDraft draft;

    GeneratedColumns(DdlContext context, TableDraft draft) {
        this.context = context;
        this.draft = draft;
    }

    /// The columns of a draft as expressions over its tuples.
    static List<ColumnScalar> visible(TableDraft draft) {
        List<ColumnScalar> columns = new ArrayList<>();
        for (DraftColumn column : draft.columns) {
            columns.add(new ColumnScalar(columns.size(), column.type, column.name));
        }
        return columns;
    }

    private List<DraftColumn> all() {
        return draft.columns.stream().filter(column -> column.isGenerated).toList();
    }

    private Expression expression(DraftColumn column) {
        return context.parse(Objects.requireNonNull(column.defaultText));
    }

    /// Requires that all of them have a meaning.
    ///
    /// @throws SqlException 42P17 if one is made of another, or may change by itself, 42703
    void check() {
        for (DraftColumn column : all()) {
            for (Name name : ExpressionColumns.of(expression(column), PLACE)) {
                DraftColumn read = draft.column(name.text());
                if (read != null && read.isGenerated) {
                    throw new SqlException(
                                    SqlState.INVALID_OBJECT_DEFINITION,
                                    "cannot use generated column \"%s\" in %s"
                                            .formatted(name.text(), PLACE))
                            .withDetail(
                                    "A generated column cannot reference another generated column.");
                }
            }
            context.checkGenerated(
                    expression(column), draft.name, visible(draft), column.name, column.type);
        }
    }

    /// The generated columns that are made of a column.
    List<DraftColumn> readers(String column) {
        return all().stream()
                .filter(each ->
                        ExpressionColumns.of(expression(each), PLACE).stream()
                                .anyMatch(name -> name.text().equals(column)))
                .toList();
    }

    /// Before a column is dropped: drops those that are made of it.
    ///
    /// @throws SqlException 2BP01 if there are some, and they are not to be dropped
    /// @return their names
    List<Name> droppedWith(Name column, boolean isCascade) {
        List<DraftColumn> readers = readers(column.text());
        if (!readers.isEmpty() && !isCascade) {
            String what = "column " + column.text() + " of table " + draft.name;
            throw new SqlException(
                            SqlState.DEPENDENT_OBJECTS,
                            "cannot drop " + what + " because other objects depend on it",
                            column.position())
                    .withDetail(
                            "column %s of table %s depends on %s"
                                    .formatted(readers.getFirst().name, draft.name, what))
                    .withHint("Use DROP ... CASCADE to drop the dependent objects too.");
        }
        return readers.stream().map(each -> new Name(each.name, column.position())).toList();
    }

    /// A column has got another name.
    void rename(String old, String name) {
        for (DraftColumn column : all()) {
            column.defaultText =
                    ExpressionColumns.renamed(
                            Objects.requireNonNull(column.defaultText),
                            expression(column),
                            old,
                            name);
        }
    }

    /// The table has got another name.
    void unqualify() {
        for (DraftColumn column : all()) {
            column.defaultText =
                    ExpressionColumns.unqualified(
                            Objects.requireNonNull(column.defaultText), expression(column));
        }
    }

    /// @throws SqlException 0A000 if a column may not get another type
    void requireTypeFree(DraftColumn column, Name name) {
        List<DraftColumn> readers = readers(column.name);
        if (column.isGenerated || !readers.isEmpty()) {
            throw new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "cannot alter type of a "
                                    + (column.isGenerated
                                            ? "generated column"
                                            : "column used by a generated column"),
                            name.position())
                    .withHint("Drop the generated column, and add it again afterwards.");
        }
    }

    /// @throws SqlException 42601 if a column has no DEFAULT, but is generated
    void requireNone(DraftColumn column, Name name) {
        if (column.isGenerated) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "column \"%s\" of relation \"%s\" is a generated column"
                            .formatted(column.name, draft.name),
                    name.position());
        }
    }

    /// @throws SqlException 42601 if a foreign key would set a generated column
    static void requireSettable(ForeignKey key, List<String> columns, TableDraft draft) {
        boolean isGenerated =
                columns.stream()
                        .map(draft::column)
                        .anyMatch(column -> column != null && column.isGenerated);
        boolean setsOnUpdate = sets(key.onUpdate()) || key.onUpdate() == ForeignKey.Action.CASCADE;
        if (isGenerated && (setsOnUpdate || sets(key.onDelete()))) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "invalid ON %s action for foreign key constraint containing generated column"
                            .formatted(setsOnUpdate ? "UPDATE" : "DELETE"),
                    key.position());
        }
    }

    private static boolean sets(Action action) {
        return action == Action.SET_NULL || action == Action.SET_DEFAULT;
    }
}
