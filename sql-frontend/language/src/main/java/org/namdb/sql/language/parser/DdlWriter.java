package org.namdb.sql.language.parser;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.DdlStatement;
import org.namdb.sql.language.ast.DdlStatement.AlterTable;
import org.namdb.sql.language.ast.DdlStatement.Constraint;
import org.namdb.sql.language.ast.DdlStatement.ForeignKey;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.RoleStatement;
import org.namdb.sql.language.ast.RoutineStatement;
import org.namdb.sql.language.ast.SequenceStatement;
import org.namdb.sql.language.ast.SequenceStatement.OfNumber;
import org.namdb.sql.language.ast.ViewStatement;

/// Writes DDL statements as SQL.
final class DdlWriter {
    private final StringBuilder text;
    private final ExpressionWriter expressions;
    private final QueryWriter queries;

    DdlWriter(StringBuilder text, ExpressionWriter expressions) {
        this.text = text;
        this.expressions = expressions;
        this.queries = expressions.queries();
    }

    void write(DdlStatement statement) {
        switch (statement) {
            case DdlStatement.CreateTable c -> createTable(c);
            case DdlStatement.DropTable d -> {
                text.append(d.ifExists() ? "DROP TABLE IF EXISTS " : "DROP TABLE ");
                names(d.tables());
                text.append(d.isCascade() ? " CASCADE" : "");
            }
            case DdlStatement.CreateIndex c -> createIndex(c);
            case DdlStatement.AlterIndex a -> {
                text.append(a.ifExists() ? "ALTER INDEX IF EXISTS " : "ALTER INDEX ");
                name(a.index());
                text.append(" RENAME TO ");
                name(a.newName());
            }
            case DdlStatement.DropIndex d -> {
                text.append(d.ifExists() ? "DROP INDEX IF EXISTS " : "DROP INDEX ");
                names(d.indexes());
            }
            case AlterTable a -> alterTable(a);
            case DdlStatement.Comment c -> comment(c);
            case DdlStatement.Truncate t -> {
                text.append("TRUNCATE TABLE ");
                names(t.tables());
                text.append(t.restartsIdentity() ? " RESTART IDENTITY" : "");
                text.append(t.isCascade() ? " CASCADE" : "");
            }
            case SequenceStatement s -> sequence(s);
            case ViewStatement v -> view(v);
            case RoleStatement r -> role(r);
            case RoutineStatement r -> new RoutineWriter(text, expressions).write(r);
        }
    }

    private void view(ViewStatement statement) {
        switch (statement) {
            case ViewStatement.CreateView c -> {
                text.append(c.isReplace() ? "CREATE OR REPLACE VIEW " : "CREATE VIEW ");
                name(c.view());
                columns(c.columns(), c.columns().isEmpty());
                text.append(" AS ").append(c.text());
            }
            case ViewStatement.AlterView a -> {
                text.append(a.ifExists() ? "ALTER VIEW IF EXISTS " : "ALTER VIEW ");
                name(a.view());
                if (a.newName() != null) {
                    text.append(" RENAME TO ");
                    name(a.newName());
                }
                if (a.owner() != null) {
                    text.append(" OWNER TO ");
                    name(a.owner());
                }
            }
            case ViewStatement.DropView d -> {
                text.append(d.ifExists() ? "DROP VIEW IF EXISTS " : "DROP VIEW ");
                names(d.views());
                text.append(d.isCascade() ? " CASCADE" : "");
            }
        }
    }

    private void comment(DdlStatement.Comment comment) {
        text.append("COMMENT ON ").append(comment.kind()).append(' ');
        Name part = comment.part();
        if (part != null && comment.kind() == DdlStatement.CommentKind.CONSTRAINT) {
            name(part);
            text.append(" ON ");
        }
        name(comment.object());
        if (part != null && comment.kind() == DdlStatement.CommentKind.COLUMN) {
            text.append('.');
            name(part);
        }
        String of = comment.text();
        text.append(" IS ").append(of == null ? "NULL" : "'" + of.replace("'", "''") + "'");
    }

    private void sequence(SequenceStatement statement) {
        switch (statement) {
            case SequenceStatement.CreateSequence c -> {
                text.append(
                        c.ifNotExists() ? "CREATE SEQUENCE IF NOT EXISTS " : "CREATE SEQUENCE ");
                name(c.sequence());
                c.options().forEach(option -> option(" ", option));
            }
            case SequenceStatement.AlterSequence a -> {
                text.append(a.ifExists() ? "ALTER SEQUENCE IF EXISTS " : "ALTER SEQUENCE ");
                name(a.sequence());
                a.options().forEach(option -> option(" ", option));
                if (a.newName() != null) {
                    text.append(" RENAME TO ");
                    name(a.newName());
                }
                if (a.owner() != null) {
                    text.append(" OWNER TO ");
                    name(a.owner());
                }
            }
            case SequenceStatement.DropSequence d -> {
                text.append(d.ifExists() ? "DROP SEQUENCE IF EXISTS " : "DROP SEQUENCE ");
                names(d.sequences());
                text.append(d.isCascade() ? " CASCADE" : "");
            }
        }
    }

    private void option(String before, SequenceStatement.Option option) {
        text.append(before);
        switch (option) {
            case SequenceStatement.OfType t -> {
                text.append("AS ");
                expressions.type(t.type());
            }
            case SequenceStatement.OfNumber n -> {
                boolean isWithout = n.value() == null && n.kind() != OfNumber.Kind.RESTART;
                text.append(isWithout ? "NO " : "").append(n.kind().name());
                text.append(n.value() == null ? "" : " " + n.value());
            }
            case SequenceStatement.Cycle c -> text.append(c.isCycle() ? "CYCLE" : "NO CYCLE");
            case SequenceStatement.Named n -> {
                text.append("SEQUENCE NAME ");
                name(n.name());
            }
            case SequenceStatement.OwnedBy o -> {
                text.append("OWNED BY ");
                if (o.table() == null || o.column() == null) {
                    text.append("NONE");
                } else {
                    name(o.table());
                    text.append('.');
                    name(o.column());
                }
            }
        }
    }

    private void identity(DdlStatement.Identity identity) {
        text.append(" GENERATED ").append(generation(identity.isAlways())).append(" AS IDENTITY");
        String separator = " (";
        for (SequenceStatement.Option option : identity.options()) {
            option(separator, option);
            separator = " ";
        }
        text.append(identity.options().isEmpty() ? "" : ")");
    }

    private static String generation(boolean isAlways) {
        return isAlways ? "ALWAYS" : "BY DEFAULT";
    }

    private void role(RoleStatement statement) {
        switch (statement) {
            case RoleStatement.CreateRole c -> {
                text.append(c.isUser() ? "CREATE USER " : "CREATE ROLE ");
                name(c.role());
                options(c.options());
            }
            case RoleStatement.AlterRole a -> {
                text.append("ALTER ROLE ");
                name(a.role());
                options(a.options());
            }
            case RoleStatement.DropRole d -> {
                text.append(d.ifExists() ? "DROP ROLE IF EXISTS " : "DROP ROLE ");
                names(d.roles());
            }
            case RoleStatement.Grant g -> {
                text.append(g.isRevoke() ? "REVOKE " : "GRANT ");
                text.append(
                        g.privileges().isEmpty()
                                ? "ALL"
                                : g.privileges().stream()
                                        .map(each -> each.text().toUpperCase(Locale.ROOT))
                                        .collect(Collectors.joining(", ")));
                text.append(" ON ");
                text.append(
                        switch (g.kind()) {
                            case ALL_TABLES -> "ALL TABLES IN SCHEMA";
                            case ALL_SEQUENCES -> "ALL SEQUENCES IN SCHEMA";
                            default -> g.kind().name();
                        });
                text.append(' ');
                names(g.objects());
                text.append(g.isRevoke() ? " FROM " : " TO ");
                names(g.roles());
            }
            case RoleStatement.GrantRole g -> {
                text.append(g.isRevoke() ? "REVOKE " : "GRANT ");
                names(g.roles());
                text.append(g.isRevoke() ? " FROM " : " TO ");
                names(g.members());
            }
        }
    }

    private void options(List<RoleStatement.Option> options) {
        for (RoleStatement.Option option : options) {
            text.append(' ').append(option.name().toUpperCase(Locale.ROOT));
            if (option.value() != null) {
                text.append(' ');
                expressions.string(option.value());
            } else if (option.name().equals("password")) {
                text.append(" NULL");
            }
        }
    }

    private void name(Name name) {
        text.append(Keywords.quoted(name.text()));
    }

    private void names(List<Name> names) {
        String separator = "";
        for (Name name : names) {
            text.append(separator);
            name(name);
            separator = ", ";
        }
    }

    private void createTable(DdlStatement.CreateTable create) {
        text.append(create.temporary() == null ? "CREATE TABLE " : "CREATE TEMPORARY TABLE ");
        text.append(create.ifNotExists() ? "IF NOT EXISTS " : "");
        name(create.table());
        text.append(" (");
        String separator = "";
        for (int i = 0; i <= create.columns().size(); i++) {
            for (DdlStatement.TableLike like : create.likes()) {
                if (like.place() == i) {
                    text.append(separator);
                    like(like);
                    separator = ", ";
                }
            }
            if (i < create.columns().size()) {
                text.append(separator);
                column(create.columns().get(i));
                separator = ", ";
            }
        }
        for (Constraint constraint : create.constraints()) {
            text.append(separator);
            constraint(constraint, false);
            separator = ", ";
        }
        text.append(')');
        options(create.options());
        onCommit(create.temporary());
    }

    void onCommit(DdlStatement.@Nullable OnCommit action) {
        text.append(
                switch (action) {
                    case null -> "";
                    case PRESERVE_ROWS -> "";
                    case DELETE_ROWS -> " ON COMMIT DELETE ROWS";
                    case DROP -> " ON COMMIT DROP";
                });
    }

    private void like(DdlStatement.TableLike like) {
        text.append("LIKE ");
        name(like.source());
        like.including().forEach(option -> text.append(" INCLUDING ").append(option.name()));
    }

    void options(Map<String, DdlStatement.TableOption> options) {
        options(" WITH (", options);
    }

    private void options(String open, Map<String, DdlStatement.TableOption> options) {
        String separator = open;
        for (Map.Entry<String, DdlStatement.TableOption> option :
                new TreeMap<>(options).entrySet()) {
            text.append(separator).append(Keywords.quoted(option.getKey())).append(" = ");
            expressions.string(option.getValue().value());
            separator = ", ";
        }
        text.append(options.isEmpty() ? "" : ")");
    }

    private void column(DdlStatement.ColumnDefinition column) {
        name(column.name());
        text.append(' ');
        expressions.type(column.type());
        if (column.isNotNull()) {
            text.append(" NOT NULL");
        }
        if (column.defaultValue() != null) {
            text.append(" DEFAULT ");
            expressions.writePrimary(column.defaultValue());
        }
        if (column.identity() != null) {
            identity(column.identity());
        }
        if (column.generated() != null) {
            text.append(" GENERATED ALWAYS AS (");
            expressions.write(column.generated());
            text.append(") STORED");
        }
        for (Constraint constraint : column.constraints()) {
            text.append(' ');
            constraint(constraint, true);
        }
    }

    /// @param isOfColumn whether it stands behind its column, which it then doesn't name
    private void constraint(Constraint constraint, boolean isOfColumn) {
        constraintName(constraint.name());
        switch (constraint) {
            case DdlStatement.PrimaryKey p -> {
                text.append("PRIMARY KEY");
                columns(p.columns(), isOfColumn);
            }
            case DdlStatement.Unique u -> {
                text.append("UNIQUE");
                columns(u.columns(), isOfColumn);
            }
            case DdlStatement.Check c -> text.append("CHECK (").append(c.text()).append(')');
            case ForeignKey f -> foreignKey(f, isOfColumn);
        }
    }

    private void constraintName(@Nullable Name name) {
        if (name != null) {
            text.append("CONSTRAINT ");
            name(name);
            text.append(' ');
        }
    }

    private void columns(List<Name> columns, boolean areOmitted) {
        if (!areOmitted) {
            text.append(' ');
            queries.names(columns);
        }
    }

    private void foreignKey(ForeignKey key, boolean isOfColumn) {
        if (!isOfColumn) {
            text.append("FOREIGN KEY");
            columns(key.columns(), false);
            text.append(' ');
        }
        text.append("REFERENCES ");
        name(key.referencedTable());
        columns(key.referencedColumns(), key.referencedColumns().isEmpty());
        action(" ON DELETE ", key.onDelete());
        action(" ON UPDATE ", key.onUpdate());
    }

    private void action(String words, ForeignKey.Action action) {
        if (action != ForeignKey.Action.NO_ACTION) {
            text.append(words).append(action.name().replace('_', ' '));
        }
    }

    private void createIndex(DdlStatement.CreateIndex create) {
        text.append(create.isUnique() ? "CREATE UNIQUE INDEX " : "CREATE INDEX ");
        if (create.ifNotExists()) {
            text.append("IF NOT EXISTS ");
        }
        if (create.name() != null) {
            name(create.name());
            text.append(' ');
        }
        text.append("ON ");
        name(create.table());
        if (create.method() != null) {
            text.append(" USING ");
            name(create.method());
        }
        columns(create.columns(), false);
        options(create.options());
    }

    private void alterTable(AlterTable alter) {
        text.append(alter.ifExists() ? "ALTER TABLE IF EXISTS " : "ALTER TABLE ");
        name(alter.table());
        String separator = " ";
        for (AlterTable.Change change : alter.changes()) {
            text.append(separator);
            change(change);
            separator = ", ";
        }
    }

    private void change(AlterTable.Change change) {
        switch (change) {
            case AlterTable.AddColumn a -> {
                text.append(a.ifNotExists() ? "ADD COLUMN IF NOT EXISTS " : "ADD COLUMN ");
                column(a.column());
            }
            case AlterTable.DropColumn d -> {
                text.append(d.ifExists() ? "DROP COLUMN IF EXISTS " : "DROP COLUMN ");
                name(d.column());
                text.append(d.isCascade() ? " CASCADE" : "");
            }
            case AlterTable.RenameColumn r -> {
                text.append("RENAME COLUMN ");
                name(r.column());
                text.append(" TO ");
                name(r.newName());
            }
            case AlterTable.RenameTable r -> {
                text.append("RENAME TO ");
                name(r.newName());
            }
            case AlterTable.AddConstraint a -> {
                text.append("ADD ");
                constraint(a.constraint(), false);
                text.append(a.isNotValid() ? " NOT VALID" : "");
            }
            case AlterTable.ValidateConstraint v -> {
                text.append("VALIDATE CONSTRAINT ");
                name(v.name());
            }
            case AlterTable.RenameConstraint r -> {
                text.append("RENAME CONSTRAINT ");
                name(r.constraint());
                text.append(" TO ");
                name(r.newName());
            }
            case AlterTable.DropConstraint d -> {
                text.append(d.ifExists() ? "DROP CONSTRAINT IF EXISTS " : "DROP CONSTRAINT ");
                name(d.name());
                text.append(d.isCascade() ? " CASCADE" : "");
            }
            case AlterTable.SetDefault s -> {
                alterColumn(s.column());
                text.append(s.value() == null ? "DROP DEFAULT" : "SET DEFAULT ");
                if (s.value() != null) {
                    expressions.write(s.value());
                }
            }
            case AlterTable.ChangeType c -> {
                alterColumn(c.column());
                text.append("TYPE ");
                expressions.type(c.type());
                if (c.using() != null) {
                    text.append(" USING ");
                    expressions.write(c.using());
                }
            }
            case AlterTable.AddIdentity a -> {
                alterColumn(a.column());
                text.append("ADD");
                identity(a.identity());
            }
            case AlterTable.ChangeIdentity c -> {
                alterColumn(c.column());
                String separator = "SET ";
                if (c.isAlways() != null) {
                    text.append("SET GENERATED ").append(generation(c.isAlways()));
                    separator = " SET ";
                }
                for (SequenceStatement.Option option : c.options()) {
                    option(separator, option);
                    separator = " SET ";
                }
            }
            case AlterTable.DropIdentity d -> {
                alterColumn(d.column());
                text.append(d.ifExists() ? "DROP IDENTITY IF EXISTS" : "DROP IDENTITY");
            }
            case AlterTable.ChangeOwner o -> {
                text.append("OWNER TO ");
                name(o.owner());
            }
            case AlterTable.SetOptions s -> {
                text.append("SET");
                options(" (", s.options());
            }
            case AlterTable.SetNotNull s -> {
                alterColumn(s.column());
                text.append(s.isNotNull() ? "SET NOT NULL" : "DROP NOT NULL");
            }
        }
    }

    private void alterColumn(Name column) {
        text.append("ALTER COLUMN ");
        name(column);
        text.append(' ');
    }
}
