package org.namdb.sql.engine.ddl;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.ddl.TableDraft.DraftColumn;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.SequenceStatement;
import org.namdb.sql.language.ast.SequenceStatement.AlterSequence;
import org.namdb.sql.language.ast.SequenceStatement.CreateSequence;
import org.namdb.sql.language.ast.SequenceStatement.DropSequence;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// CREATE SEQUENCE, ALTER SEQUENCE and DROP SEQUENCE.
final class SequenceSteps {
    private final DdlContext context;
    private final SequenceChanges changes;

    SequenceSteps(DdlContext context) {
        this.context = context;
        this.changes = new SequenceChanges(context);
    }

    /// Runs a statement.
    ///
    /// @return its tag
    String run(SequenceStatement statement) {
        return switch (statement) {
            case CreateSequence create -> {
                create(create);
                yield "CREATE SEQUENCE";
            }
            case AlterSequence alter -> {
                alter(alter);
                yield "ALTER SEQUENCE";
            }
            case DropSequence drop -> {
                drop(drop);
                yield "DROP SEQUENCE";
            }
        };
    }

    private void create(CreateSequence create) {
        String name = Names.checked(create.sequence());
        if (create.ifNotExists() && changes.isTaken(name)) {
            context.notice("relation \"" + name + "\" already exists, skipping");
            return;
        }
        changes.requireFree(name, create.sequence().position());
        SequenceOptions options = new SequenceOptions(context, create.options());
        Ownership ownership = new Ownership(context.authority().role(), null);
        Sequence sequence = options.create(name, SqlType.BIGINT, ownership);
        changes.put(sequence.ownedBy(owner(sequence, options)));
        changes.run(() -> {});
    }

    private Sequence.@Nullable Owner owner(Sequence sequence, SequenceOptions options) {
        SequenceStatement.OwnedBy by = options.find(SequenceStatement.OwnedBy.class);
        if (by == null) {
            return sequence.owner();
        }
        if (sequence.owner() != null && sequence.owner().isIdentity()) {
            throw new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "cannot change ownership of identity sequence",
                            by.position())
                    .withDetail(
                            "Sequence \"%s\" is linked to table \"%s\"."
                                    .formatted(sequence.name(), sequence.owner().table()));
        }
        if (by.table() == null || by.column() == null) {
            return null;
        }
        String named = context.catalog().resolve(by.table().text());
        SqlTable table = Indexes.table(context, new Name(named, by.table().position()));
        if (!Objects.equals(
                TemporaryNames.schemaOf(table.name()), TemporaryNames.schemaOf(sequence.name()))) {
            throw new SqlException(
                    SqlState.NOT_IN_PREREQUISITE_STATE,
                    "sequence must be in same schema as table it is linked to",
                    by.position());
        }
        if (!table.ownership().owner().equals(sequence.ownership().owner())) {
            throw new SqlException(
                    SqlState.NOT_IN_PREREQUISITE_STATE,
                    "sequence must have same owner as table it is linked to",
                    by.position());
        }
        if (table.columnNumber(by.column().text()) < 0) {
            throw new SqlException(
                    SqlState.UNDEFINED_COLUMN,
                    "column \"%s\" of relation \"%s\" does not exist"
                            .formatted(by.column().text(), table.name()),
                    by.column().position());
        }
        return new Sequence.Owner(table.name(), by.column().text(), false);
    }

    private void alter(AlterSequence alter) {
        Sequence sequence = find(alter.sequence(), alter.ifExists(), "relation");
        if (sequence == null) {
            return;
        }
        if (alter.newName() != null) {
            rename(sequence, alter.newName());
        } else if (alter.owner() != null) {
            changeOwner(sequence, alter.owner());
        } else {
            SequenceOptions options = new SequenceOptions(context, alter.options());
            changes.alter(sequence.ownedBy(owner(sequence, options)), options);
        }
        changes.run(() -> {
            if (alter.newName() != null) {
                renameInDefaults(sequence.name(), Names.beside(sequence.name(), alter.newName()));
            }
        });
    }

    private void rename(Sequence sequence, Name newName) {
        String name = Names.beside(sequence.name(), newName);
        changes.requireFree(name, newName.position());
        changes.remove(sequence.name());
        changes.put(sequence.named(name));
    }

    private void changeOwner(Sequence sequence, Name newOwner) {
        if (sequence.owner() != null) {
            throw new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "cannot change owner of sequence \"%s\"".formatted(sequence.name()),
                            newOwner.position())
                    .withDetail(
                            "Sequence \"%s\" is linked to table \"%s\"."
                                    .formatted(sequence.name(), sequence.owner().table()));
        }
        String owner = RoleSteps.newOwner(context, newOwner, sequence.ownership().owner());
        changes.put(sequence.with(sequence.ownership().ofOwner(owner)));
    }

    private void renameInDefaults(String old, String newName) {
        for (SqlTable table : context.catalog().allTables()) {
            if (dependentColumns(context, table, Set.of(old)).isEmpty()) {
                continue;
            }
            TableDraft draft = TableDraft.of(table);
            for (DraftColumn column : draft.columns) {
                String text = column.defaultText;
                if (text != null) {
                    column.defaultText =
                            ExpressionColumns.renamedSequence(
                                    text, context.parse(text), old, newName);
                }
            }
            context.db()
                    .redefine(table.name(), AlterTableStep.redefined(table, draft, table.name()));
        }
    }

    private void drop(DropSequence drop) {
        Set<String> names = new LinkedHashSet<>();
        for (Name name : drop.sequences()) {
            Sequence sequence = find(name, drop.ifExists(), "sequence");
            if (sequence != null) {
                requireNoIdentity(sequence);
                names.add(sequence.name());
            }
        }
        requireUnused(context, names, Set.of(), "sequence", names, drop.isCascade());
        ViewSteps views = new ViewSteps(context);
        views.dropUsersOf(names, drop.isCascade());
        names.forEach(changes::remove);
        changes.run(() -> {
            views.keep();
            dropDefaults(context, names, Set.of());
        });
    }

    private static void requireNoIdentity(Sequence sequence) {
        Sequence.Owner owner = sequence.owner();
        if (owner != null && owner.isIdentity()) {
            String column = "column %s of table %s".formatted(owner.column(), owner.table());
            throw new SqlException(
                            SqlState.DEPENDENT_OBJECTS,
                            "cannot drop sequence %s because %s requires it"
                                    .formatted(sequence.name(), column))
                    .withHint("You can drop %s instead.".formatted(column));
        }
    }

    private @Nullable Sequence find(Name name, boolean ifExists, String kind) {
        Sequence sequence = changes.find(name.text());
        if (sequence != null) {
            return sequence;
        }
        if (context.catalog().hasRelation(name.text())) {
            throw new SqlException(
                    SqlState.WRONG_OBJECT_TYPE,
                    "\"" + name.text() + "\" is not a sequence",
                    name.position());
        }
        String text = "%s \"%s\" does not exist".formatted(kind, name.text());
        if (!ifExists) {
            throw new SqlException(SqlState.UNDEFINED_TABLE, text, name.position());
        }
        context.notice(text + ", skipping");
        return null;
    }

    /// The columns of a table whose DEFAULT takes values of a sequence.
    private static List<DraftColumn> dependentColumns(
            DdlContext context, SqlTable table, Set<String> sequences) {
        List<DraftColumn> dependent = new ArrayList<>();
        for (DraftColumn column : TableDraft.of(table).columns) {
            String text = column.defaultText;
            if (text != null
                    && ExpressionColumns.sequences(context.parse(text)).stream()
                            .anyMatch(sequences::contains)) {
                dependent.add(column);
            }
        }
        return dependent;
    }

    /// Refuses to drop sequences that a DEFAULT takes values of, unless that is dropped, too.
    ///
    /// @param tables tables that are dropped with them
    /// @param kind of what is dropped, for messages
    /// @param dropped what is dropped
    /// @throws SqlException 2BP01 if it is used, and this is no cascade
    static void requireUnused(
            DdlContext context,
            Set<String> sequences,
            Set<String> tables,
            String kind,
            Set<String> dropped,
            boolean isCascade) {
        if (sequences.isEmpty()) {
            return;
        }
        for (SqlTable table : context.catalog().allTables()) {
            if (tables.contains(table.name())) {
                continue;
            }
            for (DraftColumn column : dependentColumns(context, table, sequences)) {
                String what =
                        "default value for column "
                                + column.name
                                + " of table "
                                + TemporaryNames.bare(table.name());
                if (!isCascade) {
                    String used =
                            ExpressionColumns.sequences(
                                            context.parse(
                                                    Objects.requireNonNull(column.defaultText)))
                                    .stream()
                                    .filter(sequences::contains)
                                    .findFirst()
                                    .orElseThrow();
                    throw new SqlException(
                                    SqlState.DEPENDENT_OBJECTS,
                                    "cannot drop %s %s because other objects depend on it"
                                            .formatted(kind, String.join(", ", dropped)))
                            .withDetail(what + " depends on sequence " + used)
                            .withHint("Use DROP ... CASCADE to drop the dependent objects too.");
                }
                context.notice("drop cascades to " + what);
            }
        }
    }

    /// Drops the defaults that take values of sequences which are dropped.
    ///
    /// @param tables tables that are dropped with them
    static void dropDefaults(DdlContext context, Set<String> sequences, Set<String> tables) {
        for (SqlTable table : context.catalog().allTables()) {
            List<DraftColumn> dependent =
                    tables.contains(table.name())
                            ? List.of()
                            : dependentColumns(context, table, sequences);
            if (!dependent.isEmpty()) {
                TableDraft draft = TableDraft.of(table);
                for (DraftColumn column : dependent) {
                    Objects.requireNonNull(draft.column(column.name)).defaultText = null;
                }
                context.db()
                        .redefine(
                                table.name(), AlterTableStep.redefined(table, draft, table.name()));
            }
        }
    }
}
