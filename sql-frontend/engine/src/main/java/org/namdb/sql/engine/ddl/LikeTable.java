package org.namdb.sql.engine.ddl;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.sql.engine.catalog.CheckConstraint;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.SqlView;
import org.namdb.sql.engine.catalog.StoredTypes;
import org.namdb.sql.engine.catalog.UniqueKey;
import org.namdb.sql.engine.ddl.TableDraft.DraftColumn;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.language.ast.DdlStatement;
import org.namdb.sql.language.ast.DdlStatement.Constraint;
import org.namdb.sql.language.ast.DdlStatement.LikeOption;
import org.namdb.sql.language.ast.DdlStatement.TableLike;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.SequenceStatement;
import org.namdb.sql.language.ast.SequenceStatement.OfNumber;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// What LIKE in CREATE TABLE copies of a table or view to a draft: the columns, and what it
/// includes. The physical design is not copied.
final class LikeTable {
    private final DdlContext context;
    private final TableLike like;
    private final TableDraft draft;

    /// Null if it is a view.
    private final @Nullable SqlTable table;

    private final @Nullable SqlView view;

    /// The names of the indexes by those of which they are copies.
    private final Map<String, String> indexNames = new HashMap<>();

    /// @throws SqlException 42P01 if there is no such table or view, 42501 if it may not be read
    LikeTable(DdlContext context, TableLike like, TableDraft draft) {
        this.context = context;
        this.like = like;
        this.draft = draft;
        Name source = like.source();
        this.table = context.catalog().find(source.text());
        this.view = table == null ? context.catalog().findView(source.text()) : null;
        if (table != null) {
            RightsChecks.requireSelect(table, context);
        } else if (view == null) {
            boolean isOther = context.catalog().hasRelation(source.text());
            throw isOther
                    ? new SqlException(
                            SqlState.WRONG_OBJECT_TYPE,
                            "relation \"" + source.text() + "\" is invalid in LIKE clause",
                            source.position())
                    : new SqlException(
                            SqlState.UNDEFINED_TABLE,
                            "relation \"" + source.text() + "\" does not exist",
                            source.position());
        }
    }

    /// How many columns are defined before its own.
    int place() {
        return like.place();
    }

    private boolean includes(LikeOption option) {
        return like.including().contains(option);
    }

    /// Adds the columns to the draft.
    void addColumns(SequenceChanges sequences) {
        if (view != null) {
            for (SqlView.Column column : view.columns()) {
                SqlType type = StoredTypes.columnType(column.type());
                StoredTypes.stored(type);
                add(column.name(), type, true);
            }
        }
        if (table == null) {
            return;
        }
        for (SqlColumn column : table.columns()) {
            if (column.isHidden()) {
                continue;
            }
            DraftColumn copy = add(column.name(), column.type(), column.isNullable());
            boolean isIncluded =
                    includes(column.isGenerated() ? LikeOption.GENERATED : LikeOption.DEFAULTS);
            if (isIncluded) {
                copy.isGenerated = column.isGenerated();
                copy.defaultText = column.defaultText();
                if (column.isGenerated() && column.defaultText() != null) {
                    copy.defaultText = unqualified(column.defaultText());
                }
            }
            SqlColumn.Identity identity = column.identity();
            if (identity != null && includes(LikeOption.IDENTITY)) {
                sequences.identity(draft, copy, identity(identity));
            }
        }
    }

    /// An expression over columns without the name of their table.
    private String unqualified(String expression) {
        return ExpressionColumns.unqualified(expression, context.parse(expression));
    }

    private DraftColumn add(String name, SqlType type, boolean isNullable) {
        if (draft.column(name) != null) {
            throw new SqlException(
                    SqlState.DUPLICATE_COLUMN,
                    "column \"" + name + "\" specified more than once",
                    like.position());
        }
        DraftColumn column = new DraftColumn(name, type, isNullable, -1);
        draft.columns.add(column);
        return column;
    }

    private DdlStatement.Identity identity(SqlColumn.Identity identity) {
        Sequence sequence = context.catalog().sequence(identity.sequence());
        List<SequenceStatement.Option> options = new ArrayList<>();
        options.add(number(OfNumber.Kind.INCREMENT, sequence.increment()));
        options.add(number(OfNumber.Kind.MINVALUE, sequence.min()));
        options.add(number(OfNumber.Kind.MAXVALUE, sequence.max()));
        options.add(number(OfNumber.Kind.START, sequence.start()));
        options.add(number(OfNumber.Kind.CACHE, sequence.cache()));
        options.add(new SequenceStatement.Cycle(sequence.isCycle(), like.position()));
        return new DdlStatement.Identity(identity.isAlways(), options, like.position());
    }

    private SequenceStatement.Option number(OfNumber.Kind kind, long value) {
        return new OfNumber(kind, value, like.position());
    }

    /// The constraints that it includes, but for foreign keys.
    List<Constraint> constraints() {
        List<Constraint> all = new ArrayList<>();
        if (table != null && includes(LikeOption.CONSTRAINTS)) {
            for (CheckConstraint check : table.checks()) {
                String condition = unqualified(check.condition());
                all.add(
                        new DdlStatement.Check(
                                name(check.name()),
                                context.parse(condition),
                                condition,
                                like.position()));
            }
        }
        if (table != null && includes(LikeOption.INDEXES)) {
            if (!table.hasHiddenKey()) {
                List<Name> key = names(table, table.primaryKey());
                all.add(new DdlStatement.PrimaryKey(null, key, like.position()));
            }
            for (SqlIndex index : table.indexes()) {
                if (index.isConstraint()) {
                    List<Name> key = names(table, index.columns());
                    all.add(new DdlStatement.Unique(null, key, like.position()));
                }
            }
        }
        return all;
    }

    private Name name(String text) {
        return new Name(text, like.position());
    }

    private List<Name> names(SqlTable of, List<Integer> columns) {
        return columns.stream().map(column -> name(of.columns().get(column).name())).toList();
    }

    /// Adds the unique indexes that it includes to the draft, besides those of constraints.
    ///
    /// @return the ordinary indexes that are to be made, and those that unique ones have for ranges
    List<IndexDefinition> indexes(ConstraintBuilder constraints) {
        List<IndexDefinition> definitions = new ArrayList<>();
        if (table == null || !includes(LikeOption.INDEXES)) {
            return definitions;
        }
        for (SqlIndex index : table.shownIndexes()) {
            if (index.isConstraint()) {
                continue;
            }
            List<String> columns = names(table, index.columns()).stream().map(Name::text).toList();
            String name = constraints.relationName(null, columns, "idx");
            indexNames.put(index.name(), name);
            if (index.isUnique()) {
                String ordered = index.isOrdered() ? name : null;
                draft.uniqueKeys.add(new UniqueKey(name, columns, false, ordered));
            }
            if (index.isOrdered() || !index.isUnique()) {
                definitions.add(
                        new IndexDefinition(
                                name,
                                draft.name,
                                columns,
                                index.isOrdered()
                                        ? IndexDefinition.Kind.ORDERED
                                        : IndexDefinition.Kind.HASH));
            }
        }
        return definitions;
    }

    /// Copies the comments on what was copied.
    void copyComments() {
        if (includes(LikeOption.COMMENTS)) {
            boolean areChecksCopied = includes(LikeOption.CONSTRAINTS);
            new CommentSteps(context)
                    .copy(like.source().text(), draft.name, areChecksCopied, indexNames);
        }
    }
}
