package org.namdb.sql.engine.ddl;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.engine.catalog.ForeignKeyConstraint;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.StoredTypes;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.catalog.TemporarySchema;
import org.namdb.sql.engine.catalog.UniqueKey;
import org.namdb.sql.engine.ddl.TableDraft.DraftColumn;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.language.ast.DdlStatement.ColumnDefinition;
import org.namdb.sql.language.ast.DdlStatement.Constraint;
import org.namdb.sql.language.ast.DdlStatement.CreateTable;
import org.namdb.sql.language.ast.DdlStatement.ForeignKey;
import org.namdb.sql.language.ast.DdlStatement.OnCommit;
import org.namdb.sql.language.ast.DdlStatement.TableLike;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.SqlWriter;
import org.namdb.sql.language.type.SqlType;

/// CREATE TABLE.
final class CreateTableStep {
    private static final Map<String, SqlType> SERIAL_TYPES =
            Map.of(
                    "smallserial", SqlType.SMALLINT,
                    "serial2", SqlType.SMALLINT,
                    "serial", SqlType.INTEGER,
                    "serial4", SqlType.INTEGER,
                    "bigserial", SqlType.BIGINT,
                    "serial8", SqlType.BIGINT);

    private final DdlContext context;
    private final CreateTable statement;

    CreateTableStep(DdlContext context, CreateTable statement) {
        this.context = context;
        this.statement = statement;
    }

    void run() {
        Name given = statement.table();
        String name =
                statement.temporary() == null
                        ? Names.checked(given)
                        : Names.beside(given.text(), given);
        if (context.catalog().hasRelation(name)) {
            String text = "relation \"" + name + "\" already exists";
            if (!statement.ifNotExists()) {
                throw new SqlException(
                        SqlState.DUPLICATE_TABLE, text, statement.table().position());
            }
            context.notice(text + ", skipping");
            return;
        }
        TableDraft draft = new TableDraft(name);
        draft.ownership = new Ownership(context.authority().role(), null);
        SequenceChanges sequences = new SequenceChanges(context);
        ConstraintBuilder constraints = new ConstraintBuilder(context, draft);
        List<LikeTable> likes = new ArrayList<>();
        for (TableLike like : statement.likes()) {
            likes.add(new LikeTable(context, like, draft));
        }
        for (int i = 0; i <= statement.columns().size(); i++) {
            int place = i;
            likes.stream()
                    .filter(like -> like.place() == place)
                    .forEach(like -> like.addColumns(sequences));
            if (i < statement.columns().size()) {
                draft.columns.add(column(context, draft, statement.columns().get(i), sequences));
            }
        }
        new GeneratedColumns(context, draft).check();
        // Foreign keys are last: those to the table itself need its keys.
        List<Constraint> all = new ArrayList<>();
        statement.columns().forEach(column -> all.addAll(column.constraints()));
        all.addAll(statement.constraints());
        likes.forEach(like -> all.addAll(like.constraints()));
        all.stream().filter(c -> !(c instanceof ForeignKey)).forEach(constraints::add);
        all.stream().filter(c -> c instanceof ForeignKey).forEach(constraints::add);
        List<IndexDefinition> indexes = new ArrayList<>();
        likes.forEach(like -> indexes.addAll(like.indexes(constraints)));
        TableDefinition.Builder design = TableDefinition.named(name);
        int servers = context.db().options().memoryServers();
        int keyColumns = Math.max(1, draft.primaryKey.size());
        TableOptions.apply(statement.options(), design, keyColumns, servers);
        if (statement.temporary() != null && statement.temporary() != OnCommit.PRESERVE_ROWS) {
            design.property(TemporarySchema.ON_COMMIT, statement.temporary().name());
        }
        TableDefinition longValues = draft.newLongValues(context.db());
        TableDefinition definition = draft.definition(design);
        sequences.run(() -> make(draft, definition, longValues, indexes));
        likes.forEach(LikeTable::copyComments);
        context.changeStatistics(statistics -> statistics.created(name));
        noteShortKey(context, draft);
    }

    /// Notes that values of the primary key must be shorter than their columns are declared: it is
    /// reported early, not by the first long value.
    private static void noteShortKey(DdlContext context, TableDraft draft) {
        List<ColumnType> types = draft.primaryKey.isEmpty() ? List.of() : draft.primaryKeyTypes();
        for (int i = 0; i < types.size(); i++) {
            String column = draft.primaryKey.get(i);
            int declared =
                    StoredTypes.stored(Objects.requireNonNull(draft.column(column)).type).length();
            if (types.get(i).isSized() && types.get(i).length() < declared) {
                context.notice(
                        "values of \""
                                + column
                                + "\" have at most "
                                + types.get(i).length()
                                + " bytes, since primary key \""
                                + draft.primaryKeyName
                                + "\" has no space for more");
            }
        }
    }

    /// A new column, with its DEFAULT, or its sequence.
    static DraftColumn column(
            DdlContext context,
            TableDraft draft,
            ColumnDefinition definition,
            SequenceChanges sequences) {
        String name = Names.checked(definition.name());
        if (draft.column(name) != null) {
            throw new SqlException(
                    SqlState.DUPLICATE_COLUMN,
                    "column \"" + name + "\" specified more than once",
                    definition.name().position());
        }
        try {
            SqlType serial = SERIAL_TYPES.get(definition.type().name());
            SqlType type =
                    StoredTypes.columnType(
                            serial == null ? context.type(definition.type()) : serial);
            StoredTypes.stored(type);
            DraftColumn column = new DraftColumn(name, type, !definition.isNotNull(), -1);
            if (serial != null) {
                sequences.serial(draft, column, definition);
            } else if (definition.identity() != null) {
                column.isNullable = false;
                sequences.identity(draft, column, definition.identity());
            } else if (definition.generated() != null) {
                column.isGenerated = true;
                column.defaultText = SqlWriter.write(definition.generated());
            } else if (definition.defaultValue() != null) {
                column.defaultText =
                        defaultText(context, draft.name, definition.defaultValue(), name, type);
            }
            return column;
        } catch (SqlException e) {
            throw e.at(definition.type().position());
        }
    }

    /// The text of a DEFAULT that fits its column. In a temporary table it names the session's own
    /// sequences, where these hide others.
    ///
    /// @param table the catalog's name of it
    static String defaultText(
            DdlContext context, String table, Expression value, String column, SqlType type) {
        List<Name> columns = ExpressionColumns.of(value, "DEFAULT expression");
        if (!columns.isEmpty()) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "cannot use column reference in DEFAULT expression",
                    columns.getFirst().position());
        }
        String text = SqlWriter.write(value);
        Expression meant = value;
        for (String name : ExpressionColumns.sequences(value)) {
            String sequence = sequence(context, table, name, value.position());
            if (!sequence.equals(name)) {
                text = ExpressionColumns.renamedSequence(text, context.parse(text), name, sequence);
                meant = context.parse(text);
            }
        }
        context.checkDefault(meant, column, type);
        for (String sequence : ExpressionColumns.sequences(meant)) {
            Sequence _ = context.catalog().sequence(sequence); // it must be there
        }
        return text;
    }

    private static String sequence(
            DdlContext context, String table, String name, Position position) {
        if (TemporaryNames.isTemporary(table)) {
            return context.catalog().resolve(name);
        }
        if (TemporaryNames.isTemporary(name)) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "defaults of permanent tables may only use permanent sequences",
                    position);
        }
        return name;
    }

    private void make(
            TableDraft draft,
            TableDefinition definition,
            @Nullable TableDefinition longValues,
            List<IndexDefinition> indexes) {
        TableMaker maker = new TableMaker(context);
        maker.run(() -> {
            if (longValues != null) {
                Table _ = maker.table(longValues);
            }
            for (UniqueKey key : draft.uniqueKeys) {
                Table _ = maker.table(TableMaker.uniqueTable(definition, key));
            }
            Table _ = maker.table(definition);
            if (!draft.primaryKey.isEmpty() && TableOptions.isOrdered(statement.options())) {
                maker.index(TableMaker.keyOrder(definition, draft.primaryKeyName));
            }
            for (IndexDefinition index : indexes) {
                Index _ = maker.index(index);
            }
            for (ForeignKeyConstraint key : draft.foreignKeys) {
                addReferencingIndex(context, maker, key);
            }
        });
    }

    /// Makes the index that a foreign key needs, unless there is one.
    static void addReferencingIndex(
            DdlContext context, TableMaker maker, ForeignKeyConstraint key) {
        SqlTable table = Objects.requireNonNull(context.catalog().find(key.table()));
        if (!Indexes.serves(table, key.columns())) {
            maker.index(maker.referencingIndex(key));
        }
    }
}
