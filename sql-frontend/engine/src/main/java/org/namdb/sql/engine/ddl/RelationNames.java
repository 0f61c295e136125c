package org.namdb.sql.engine.ddl;

import java.util.List;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.language.ast.DdlStatement;
import org.namdb.sql.language.ast.DdlStatement.AlterTable;
import org.namdb.sql.language.ast.DdlStatement.ColumnDefinition;
import org.namdb.sql.language.ast.DdlStatement.Constraint;
import org.namdb.sql.language.ast.DdlStatement.CreateTable;
import org.namdb.sql.language.ast.DdlStatement.OnCommit;
import org.namdb.sql.language.ast.DdlStatement.TableLike;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.RoleStatement;
import org.namdb.sql.language.ast.RoutineStatement;
import org.namdb.sql.language.ast.SequenceStatement;
import org.namdb.sql.language.ast.ViewStatement;

/// Replaces the names of relations in DDL by those that the catalog has for them: temporary ones
/// are in their session's schema, and hide permanent ones.
public final class RelationNames {
    private final SqlCatalog catalog;

    public RelationNames(SqlCatalog catalog) {
        this.catalog = catalog;
    }

    /// The same statement with the catalog's names.
    ///
    /// @throws org.namdb.sql.language.error.SqlException 0A000 if it names a temporary table of
    ///     another session
    public DdlStatement resolve(DdlStatement statement) {
        return switch (statement) {
            case CreateTable create -> create(create);
            case DdlStatement.DropTable d ->
                    new DdlStatement.DropTable(
                            names(d.tables()), d.ifExists(), d.isCascade(), d.position());
            case DdlStatement.CreateIndex c -> {
                Name table = name(c.table());
                yield new DdlStatement.CreateIndex(
                        c.name() == null ? null : beside(table, c.name()),
                        table,
                        c.columns(),
                        c.isUnique(),
                        c.ifNotExists(),
                        c.method(),
                        c.options(),
                        c.position());
            }
            case DdlStatement.DropIndex d ->
                    new DdlStatement.DropIndex(names(d.indexes()), d.ifExists(), d.position());
            case DdlStatement.AlterIndex a -> {
                Name index = name(a.index());
                yield new DdlStatement.AlterIndex(
                        index, a.ifExists(), beside(index, a.newName()), a.position());
            }
            case AlterTable alter -> {
                Name table = name(alter.table());
                yield new AlterTable(
                        table,
                        alter.ifExists(),
                        alter.changes().stream().map(each -> change(table, each)).toList(),
                        alter.position());
            }
            case DdlStatement.Truncate t ->
                    new DdlStatement.Truncate(
                            names(t.tables()), t.restartsIdentity(), t.isCascade(), t.position());
            case DdlStatement.Comment c -> comment(c);
            case SequenceStatement.AlterSequence a ->
                    new SequenceStatement.AlterSequence(
                            name(a.sequence()),
                            a.ifExists(),
                            a.options(),
                            a.newName() == null ? null : beside(name(a.sequence()), a.newName()),
                            a.owner(),
                            a.position());
            case SequenceStatement.DropSequence d ->
                    new SequenceStatement.DropSequence(
                            names(d.sequences()), d.ifExists(), d.isCascade(), d.position());
            case ViewStatement.AlterView a ->
                    new ViewStatement.AlterView(
                            name(a.view()), a.ifExists(), a.newName(), a.owner(), a.position());
            case ViewStatement.DropView d ->
                    new ViewStatement.DropView(
                            names(d.views()), d.ifExists(), d.isCascade(), d.position());
            case RoleStatement.Grant grant -> grant(grant);
            // Views, sequences, routines and roles are permanent.
            case ViewStatement.CreateView _,
                    SequenceStatement.CreateSequence _,
                    RoutineStatement _,
                    RoleStatement _ ->
                    statement;
        };
    }

    /// What is in the session's schema is temporary.
    private DdlStatement create(CreateTable create) {
        boolean isOwn = TemporaryNames.isInOwn(create.table().text());
        OnCommit temporary = create.temporary();
        if (temporary == null && isOwn) {
            temporary = OnCommit.PRESERVE_ROWS;
        }
        Name table =
                temporary == null
                        ? create.table()
                        : name(
                                new Name(
                                        TemporaryNames.own(create.table().text()),
                                        create.table().position()));
        return new CreateTable(
                table,
                create.ifNotExists(),
                temporary,
                create.columns().stream().map(each -> column(table, each)).toList(),
                create.constraints().stream().map(each -> constraint(table, each)).toList(),
                create.likes().stream().map(this::like).toList(),
                create.options(),
                create.position());
    }

    private TableLike like(TableLike like) {
        return new TableLike(name(like.source()), like.place(), like.including(), like.position());
    }

    private DdlStatement comment(DdlStatement.Comment comment) {
        return switch (comment.kind()) {
            case TABLE, INDEX, SEQUENCE, VIEW, COLUMN, CONSTRAINT -> {
                Name object = name(comment.object());
                Name part = comment.part();
                boolean isKey = comment.kind() == DdlStatement.CommentKind.CONSTRAINT;
                yield new DdlStatement.Comment(
                        comment.kind(),
                        object,
                        part == null || !isKey ? part : constraint(object, part),
                        comment.text(),
                        comment.position());
            }
            case FUNCTION, PROCEDURE, ROUTINE, SCHEMA -> comment;
        };
    }

    private DdlStatement grant(RoleStatement.Grant grant) {
        return switch (grant.kind()) {
            case TABLE, SEQUENCE ->
                    new RoleStatement.Grant(
                            grant.isRevoke(),
                            grant.privileges(),
                            grant.kind(),
                            names(grant.objects()),
                            grant.roles(),
                            grant.position());
            default -> grant;
        };
    }

    private AlterTable.Change change(Name table, AlterTable.Change change) {
        return switch (change) {
            case AlterTable.AddColumn add ->
                    new AlterTable.AddColumn(
                            column(table, add.column()), add.ifNotExists(), add.position());
            case AlterTable.RenameTable rename ->
                    new AlterTable.RenameTable(beside(table, rename.newName()), rename.position());
            case AlterTable.AddConstraint add ->
                    new AlterTable.AddConstraint(
                            constraint(table, add.constraint()), add.isNotValid(), add.position());
            case AlterTable.RenameConstraint rename -> {
                Name old = constraint(table, rename.constraint());
                yield new AlterTable.RenameConstraint(
                        old, beside(old, rename.newName()), rename.position());
            }
            case AlterTable.DropConstraint drop ->
                    new AlterTable.DropConstraint(
                            constraint(table, drop.name()),
                            drop.ifExists(),
                            drop.isCascade(),
                            drop.position());
            default -> change;
        };
    }

    /// The name of a constraint: that of a unique one is its index's.
    private Name constraint(Name table, Name name) {
        return TemporaryNames.isTemporary(table.text()) ? name(name) : name;
    }

    private ColumnDefinition column(Name table, ColumnDefinition column) {
        return new ColumnDefinition(
                column.name(),
                column.type(),
                column.isNotNull(),
                column.defaultValue(),
                column.identity(),
                column.generated(),
                column.constraints().stream().map(each -> constraint(table, each)).toList(),
                column.position());
    }

    private Constraint constraint(Name table, Constraint constraint) {
        if (!(constraint instanceof DdlStatement.ForeignKey key)) {
            return constraint;
        }
        Name other = key.referencedTable();
        boolean isSelf = other.text().equals(TemporaryNames.bare(table.text()));
        return new DdlStatement.ForeignKey(
                key.name(),
                key.columns(),
                isSelf ? table : name(other),
                key.referencedColumns(),
                key.onDelete(),
                key.onUpdate(),
                key.position());
    }

    private List<Name> names(List<Name> names) {
        return names.stream().map(this::name).toList();
    }

    private Name name(Name name) {
        return new Name(catalog.resolve(name.text()), name.position());
    }

    /// A new relation's name in the schema of a table.
    private static Name beside(Name table, Name name) {
        return TemporaryNames.isTemporary(table.text())
                ? new Name(Names.beside(table.text(), name), name.position())
                : name;
    }
}
