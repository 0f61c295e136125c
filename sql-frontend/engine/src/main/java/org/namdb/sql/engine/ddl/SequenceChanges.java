package org.namdb.sql.engine.ddl;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.SequenceTable;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.ddl.TableDraft.DraftColumn;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.engine.sequence.SequenceValues;
import org.namdb.sql.language.ast.DdlStatement;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.SequenceStatement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.Keywords;
import org.namdb.sql.language.type.SqlType;

/// The sequences of a database as a statement changes them, with tables or by themselves.
final class SequenceChanges {
    private final DdlContext context;
    private final SortedMap<String, Sequence> before;
    private final SortedMap<String, Sequence> after;

    /// Where sequences go on that have got another row.
    private final SortedMap<String, SequenceValues.State> states = new TreeMap<>();

    SequenceChanges(DdlContext context) {
        this.context = context;
        this.before = context.catalog().sequences();
        this.after = new TreeMap<>(before);
    }

    /// Does what changes tables, with the sequences as they are to be; they are as they were if it
    /// fails.
    void run(Runnable tables) {
        if (after.equals(before)) {
            tables.run();
            return;
        }
        SequenceTable.store(context.db(), after);
        boolean isDone = false;
        try {
            states.forEach((name, state) -> {
                Sequence sequence = after.get(name);
                if (sequence != null) {
                    context.sequences().set(sequence, state.last(), state.isCalled(), null);
                }
            });
            tables.run();
            isDone = true;
        } finally {
            if (!isDone) {
                SequenceTable.store(context.db(), before);
            }
        }
        before.forEach((name, sequence) -> {
            if (after.values().stream().noneMatch(s -> s.storage() == sequence.storage())) {
                context.sequences().drop(sequence);
            }
        });
    }

    @Nullable Sequence find(String name) {
        return after.get(name);
    }

    boolean isTaken(String name) {
        return after.containsKey(name) || context.catalog().hasRelation(name);
    }

    void put(Sequence sequence) {
        after.put(sequence.name(), sequence);
    }

    void remove(String name) {
        after.remove(name);
    }

    /// Puts a sequence that the options change.
    void alter(Sequence sequence, SequenceOptions options) {
        Sequence changed = options.alter(sequence);
        Long restart = options.restart(changed);
        SequenceValues.State state = context.sequences().state(sequence, null);
        if (restart != null) {
            state = new SequenceValues.State(restart, 0, false);
        }
        SequenceOptions.requireBetween("RESTART", state.last(), changed.min(), changed.max());
        states.put(changed.name(), state);
        put(changed);
    }

    /// The sequences of a table's columns.
    List<Sequence> ownedBy(String table) {
        List<Sequence> owned = new ArrayList<>();
        for (Sequence sequence : after.values()) {
            if (sequence.owner() != null && sequence.owner().table().equals(table)) {
                owned.add(sequence);
            }
        }
        return owned;
    }

    /// The sequence of a column.
    @Nullable Sequence ownedBy(String table, String column, boolean isIdentity) {
        for (Sequence sequence : ownedBy(table)) {
            Sequence.Owner owner = sequence.owner();
            if (owner != null
                    && owner.column().equals(column)
                    && owner.isIdentity() == isIdentity) {
                return sequence;
            }
        }
        return null;
    }

    /// The sequences of a table start again.
    void restart(String table) {
        for (Sequence sequence : ownedBy(table)) {
            context.authority().requireOwner("sequence", sequence.name(), sequence.ownership());
            put(sequence.withStorage(context.db().uniqueNumber()));
        }
    }

    /// The table, and its columns, have got other names, or another owner.
    void follow(SqlTable old, TableDraft draft) {
        for (Sequence sequence : ownedBy(old.name())) {
            Sequence.Owner owner = sequence.owner();
            int number = owner == null ? -1 : old.columnNumber(owner.column());
            for (DraftColumn column : draft.columns) {
                if (owner != null && number >= 0 && column.oldNumber == number) {
                    put(
                            sequence.ownedBy(
                                            new Sequence.Owner(
                                                    draft.name, column.name, owner.isIdentity()))
                                    .with(sequence.ownership().ofOwner(draft.ownership.owner())));
                }
            }
        }
    }

    /// A SERIAL column: gives it a sequence, and a DEFAULT that takes its values.
    void serial(TableDraft draft, DraftColumn column, DdlStatement.ColumnDefinition definition) {
        if (definition.defaultValue() != null || definition.identity() != null) {
            String what =
                    definition.identity() == null
                            ? "multiple default values"
                            : "both default and identity";
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "%s specified for column \"%s\" of table \"%s\""
                            .formatted(what, column.name, draft.name),
                    definition.position());
        }
        column.isNullable = false;
        Sequence sequence = owned(draft, column, List.of(), column.type, false);
        column.defaultText =
                "nextval('%s'::regclass)"
                        .formatted(Keywords.quoted(sequence.name()).replace("'", "''"));
    }

    /// An identity column: gives it a sequence.
    void identity(TableDraft draft, DraftColumn column, DdlStatement.Identity identity) {
        requireInteger(column, identity);
        Sequence sequence = owned(draft, column, identity.options(), column.type, true);
        column.identity = new SqlColumn.Identity(identity.isAlways(), sequence.name());
    }

    /// @throws SqlException 22023 if a column of this type can't be an identity column
    static void requireInteger(DraftColumn column, DdlStatement.Identity identity) {
        if (!column.type.isInteger()) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "identity column type must be smallint, integer, or bigint",
                    identity.position());
        }
    }

    private Sequence owned(
            TableDraft draft,
            DraftColumn column,
            List<SequenceStatement.Option> given,
            SqlType type,
            boolean isIdentity) {
        SequenceOptions options = new SequenceOptions(context, given);
        SequenceStatement.Named named = options.find(SequenceStatement.Named.class);
        String name;
        if (named == null) {
            name = Names.chosen(draft.name, List.of(column.name), "seq", this::isTaken);
        } else {
            name = Names.beside(draft.name, named.name());
            requireFree(name, named.name().position());
        }
        Sequence sequence =
                options.create(name, type, new Ownership(draft.ownership.owner(), null))
                        .ownedBy(new Sequence.Owner(draft.name, column.name, isIdentity));
        put(sequence);
        column.newSequence = column.oldNumber < 0 ? name : null;
        return sequence;
    }

    /// @throws SqlException 42P07 if a relation has the name
    void requireFree(String name, Position position) {
        if (isTaken(name)) {
            throw new SqlException(
                    SqlState.DUPLICATE_TABLE, "relation \"" + name + "\" already exists", position);
        }
    }
}
