package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.Token;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.DdlStatement;
import org.namdb.sql.language.ast.DdlStatement.AlterTable;
import org.namdb.sql.language.ast.DdlStatement.ColumnDefinition;
import org.namdb.sql.language.ast.DdlStatement.CommentKind;
import org.namdb.sql.language.ast.DdlStatement.Constraint;
import org.namdb.sql.language.ast.DdlStatement.LikeOption;
import org.namdb.sql.language.ast.DdlStatement.OnCommit;
import org.namdb.sql.language.ast.DdlStatement.TableOption;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.TypeName;
import org.namdb.sql.language.ast.ViewStatement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Makes DDL statements out of their parses.
final class DdlBuilder {
    private static final Set<String> OPERATOR_CLASSES =
            Set.of("text_pattern_ops", "varchar_pattern_ops", "bpchar_pattern_ops");

    /// Types of columns that are never NULL.
    private static final Set<String> SERIAL =
            Set.of("smallserial", "serial", "bigserial", "serial2", "serial4", "serial8");

    private final ExpressionBuilder expressions;
    private final ConstraintBuilder constraints;
    private final StatementTokens tokens;

    DdlBuilder(ExpressionBuilder expressions, StatementTokens tokens) {
        this.expressions = expressions;
        this.tokens = tokens;
        this.constraints = new ConstraintBuilder(expressions, tokens);
    }

    private static Position position(ParserRuleContext tree) {
        return NameBuilder.position(tree);
    }

    /// The DDL statement of a parse; null if it is none.
    @Nullable DdlStatement definition(ParserRuleContext tree) {
        Position position = position(tree);
        return switch (tree) {
            case SqlGrammar.CreateTableContext c -> createTable(c);
            case SqlGrammar.DropTableContext d ->
                    new DdlStatement.DropTable(
                            NameBuilder.tableNames(d.tableName()),
                            d.ifExists() != null,
                            isCascade(d.dropBehaviour()),
                            position);
            case SqlGrammar.CreateIndexContext c -> createIndex(c);
            case SqlGrammar.DropIndexContext d ->
                    new DdlStatement.DropIndex(
                            NameBuilder.tableNames(d.tableName()), d.ifExists() != null, position);
            case SqlGrammar.AlterIndexContext a ->
                    new DdlStatement.AlterIndex(
                            NameBuilder.tableName(a.tableName()),
                            a.ifExists() != null,
                            NameBuilder.name(a.name()),
                            position);
            case SqlGrammar.AlterTableContext a -> alterTable(a);
            case SqlGrammar.TruncateContext t -> {
                yield new DdlStatement.Truncate(
                        NameBuilder.tableNames(t.tableName()),
                        restartsIdentity(t.identities()),
                        isCascade(t.dropBehaviour()),
                        position);
            }
            case SqlGrammar.CommentContext c -> comment(c);
            case SqlGrammar.CreateViewContext c -> createView(c);
            case SqlGrammar.AlterViewContext a ->
                    new ViewStatement.AlterView(
                            NameBuilder.tableName(a.tableName()),
                            a.ifExists() != null,
                            a.name() == null ? null : NameBuilder.name(a.name()),
                            a.roleName() == null ? null : RoleBuilder.role(a.roleName()),
                            position);
            case SqlGrammar.DropViewContext d ->
                    new ViewStatement.DropView(
                            NameBuilder.tableNames(d.tableName()),
                            d.ifExists() != null,
                            isCascade(d.dropBehaviour()),
                            position);
            default -> {
                DdlStatement sequence = SequenceBuilder.statement(tree);
                yield sequence == null ? RoleBuilder.statement(tree) : sequence;
            }
        };
    }

    private static boolean restartsIdentity(SqlGrammar.@Nullable IdentitiesContext tree) {
        if (tree != null
                && tree.RESTART() == null
                && !Keywords.folded(tree.getStart().getText()).equals("continue")) {
            throw SyntaxErrors.at(tree.getStart());
        }
        return tree != null && tree.RESTART() != null;
    }

    static boolean isCascade(SqlGrammar.@Nullable DropBehaviourContext tree) {
        return tree != null && tree.CASCADE() != null;
    }

    /// Indexes on texts are ordered by bytes, as those with the pattern operators are.
    private static Name indexColumn(SqlGrammar.IndexColumnContext tree) {
        if (tree.operators != null) {
            String operators = Keywords.folded(tree.operators.getText());
            if (!OPERATOR_CLASSES.contains(operators)) {
                throw new SqlException(
                        SqlState.UNDEFINED_OBJECT,
                        "operator class \"" + operators + "\" does not exist",
                        NameBuilder.position(tree.operators));
            }
        }
        return NameBuilder.name(tree.name(0));
    }

    private static DdlStatement comment(SqlGrammar.CommentContext tree) {
        String text = tree.NULL() == null ? StringLiterals.value((SqlToken) tree.getStop()) : null;
        Position position = position(tree);
        return switch (tree.commentTarget()) {
            case SqlGrammar.CommentOnRelationContext r ->
                    new DdlStatement.Comment(
                            CommentKind.valueOf(r.getStart().getText().toUpperCase(Locale.ROOT)),
                            NameBuilder.tableName(r.tableName()),
                            null,
                            text,
                            position);
            case SqlGrammar.CommentOnColumnContext c -> {
                List<SqlGrammar.NameContext> parts = c.tableName().name();
                if (parts.size() < 2) {
                    throw SyntaxErrors.at(tree.IS().getSymbol());
                }
                yield new DdlStatement.Comment(
                        CommentKind.COLUMN,
                        NameBuilder.qualified(parts.subList(0, parts.size() - 1)),
                        NameBuilder.name(parts.getLast()),
                        text,
                        position);
            }
            case SqlGrammar.CommentOnConstraintContext c ->
                    new DdlStatement.Comment(
                            CommentKind.CONSTRAINT,
                            NameBuilder.tableName(c.tableName()),
                            NameBuilder.name(c.name()),
                            text,
                            position);
            case SqlGrammar.CommentOnObjectContext o ->
                    new DdlStatement.Comment(
                            routineKind(o),
                            NameBuilder.object(o.grantObject()),
                            null,
                            text,
                            position);
            default -> throw new IllegalStateException("no object: " + tree.getText());
        };
    }

    private static CommentKind routineKind(SqlGrammar.CommentOnObjectContext tree) {
        return switch (Keywords.folded(tree.name().getText())) {
            case "function" -> CommentKind.FUNCTION;
            case "procedure" -> CommentKind.PROCEDURE;
            case "routine" -> CommentKind.ROUTINE;
            case "schema" -> CommentKind.SCHEMA;
            default ->
                    throw Unsupported.error(
                            "COMMENT ON %s is not supported"
                                    .formatted(tree.name().getText().toUpperCase(Locale.ROOT)),
                            NameBuilder.position(tree));
        };
    }

    private DdlStatement createView(SqlGrammar.CreateViewContext tree) {
        if (tree.name() != null && !Keywords.folded(tree.name().getText()).equals("replace")) {
            throw SyntaxErrors.at(tree.name().getStart());
        }
        return new ViewStatement.CreateView(
                NameBuilder.tableName(tree.tableName()),
                tree.name() != null,
                tree.nameList() == null ? List.of() : NameBuilder.names(tree.nameList()),
                expressions.queries().query(tree.query()),
                tokens.getText(tree.query().getStart(), tree.query().getStop()),
                position(tree));
    }

    private DdlStatement createTable(SqlGrammar.CreateTableContext tree) {
        Name table = NameBuilder.tableName(tree.tableName());
        List<ColumnDefinition> columns = new ArrayList<>();
        List<Constraint> ofTable = new ArrayList<>();
        List<DdlStatement.TableLike> likes = new ArrayList<>();
        for (SqlGrammar.TableElementContext element : tree.tableElement()) {
            if (element.columnDefinition() != null) {
                columns.add(column(element.columnDefinition(), table));
            } else if (element.tableLike() != null) {
                likes.add(like(element.tableLike(), columns.size()));
            } else {
                // There are no rows yet that could be left out.
                ofTable.add(constraint(element.tableConstraint(), element.notValid()));
            }
        }
        return new DdlStatement.CreateTable(
                table,
                tree.ifNotExists() != null,
                onCommit(tree.temporary(), tree.onCommit()),
                columns,
                ofTable,
                likes,
                options(tree.tableOptions()),
                position(tree));
    }

    /// Whether a table is temporary, and what a commit does with it; null if it is permanent.
    ///
    /// @throws SqlException 42P16 if a permanent one has ON COMMIT
    static @Nullable OnCommit onCommit(
            SqlGrammar.@Nullable TemporaryContext temporary,
            SqlGrammar.@Nullable OnCommitContext action) {
        if (temporary != null) {
            requireTemporary(temporary);
        }
        OnCommit parsed = action == null ? OnCommit.PRESERVE_ROWS : onCommit(action);
        if (temporary == null && action != null) {
            throw new SqlException(
                    SqlState.INVALID_TABLE_DEFINITION,
                    "ON COMMIT can only be used on temporary tables",
                    position(action));
        }
        return temporary == null ? null : parsed;
    }

    private static OnCommit onCommit(SqlGrammar.OnCommitContext action) {
        if (action.DROP() != null) {
            return OnCommit.DROP;
        }
        if (action.DELETE() != null) {
            return OnCommit.DELETE_ROWS;
        }
        if (!QueryBuilder.isWord(action.IDENTIFIER(), "preserve")) {
            throw SyntaxErrors.at(action.IDENTIFIER().getSymbol());
        }
        return OnCommit.PRESERVE_ROWS;
    }

    private static void requireTemporary(SqlGrammar.TemporaryContext tree) {
        Token last = tree.getStop();
        if (!List.of("temp", "temporary").contains(Keywords.folded(last.getText()))) {
            throw SyntaxErrors.at(last);
        }
        Token first = tree.getStart();
        if (tree.getChildCount() > 1
                && !List.of("local", "global").contains(Keywords.folded(first.getText()))) {
            throw SyntaxErrors.at(first);
        }
    }

    private static DdlStatement.TableLike like(SqlGrammar.TableLikeContext tree, int place) {
        Set<LikeOption> including = EnumSet.noneOf(LikeOption.class);
        for (SqlGrammar.LikeOptionContext option : tree.likeOption()) {
            List<LikeOption> meant =
                    option.ALL() != null
                            ? List.of(LikeOption.values())
                            : List.of(likeOption(option.name()));
            switch (Keywords.folded(option.how.getText())) {
                case "including" -> including.addAll(meant);
                case "excluding" -> meant.forEach(including::remove);
                default -> throw SyntaxErrors.at(option.how);
            }
        }
        return new DdlStatement.TableLike(
                NameBuilder.tableName(tree.tableName()), place, including, position(tree));
    }

    private static LikeOption likeOption(SqlGrammar.NameContext tree) {
        String word = tree.getText().toUpperCase(Locale.ROOT);
        return Stream.of(LikeOption.values())
                .filter(each -> each.name().equals(word))
                .findAny()
                .orElseThrow(() -> SyntaxErrors.at(tree.getStart()));
    }

    private Constraint constraint(
            SqlGrammar.TableConstraintContext tree, SqlGrammar.@Nullable NotValidContext notValid) {
        Constraint constraint = constraints.ofTable(tree);
        String kind =
                switch (constraint) {
                    case DdlStatement.PrimaryKey _ -> "PRIMARY KEY";
                    case DdlStatement.Unique _ -> "UNIQUE";
                    case DdlStatement.Check _, DdlStatement.ForeignKey _ -> "";
                };
        boolean isNotValid =
                notValid != null && QueryBuilder.isWord(notValid.IDENTIFIER(), "valid");
        if (isNotValid && !kind.isEmpty()) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    kind + " constraints cannot be marked NOT VALID",
                    constraint.position());
        }
        return constraint;
    }

    static Map<String, TableOption> options(SqlGrammar.@Nullable TableOptionsContext tree) {
        return tree == null ? Map.of() : options(tree.tableOption());
    }

    private static Map<String, TableOption> options(List<SqlGrammar.TableOptionContext> trees) {
        Map<String, TableOption> options = new HashMap<>();
        for (SqlGrammar.TableOptionContext option : trees) {
            String name = NameBuilder.dotted(option.label());
            String value =
                    option.optionValue() == null ? "true" : NameBuilder.value(option.optionValue());
            if (options.put(name, new TableOption(value, position(option))) != null) {
                throw new SqlException(
                        SqlState.INVALID_PARAMETER_VALUE,
                        "parameter \"" + name + "\" specified more than once",
                        position(option));
            }
        }
        return options;
    }

    private ColumnDefinition column(SqlGrammar.ColumnDefinitionContext tree, Name table) {
        Name name = NameBuilder.name(tree.name());
        SqlGrammar.DefaultValueContext defaultValue = null;
        Token nullable = null;
        boolean isNotNull = false;
        DdlStatement.Identity identity = null;
        SqlGrammar.ColumnGeneratedContext generated = null;
        List<Constraint> ofColumn = new ArrayList<>();
        for (SqlGrammar.ColumnConstraintContext constraint : tree.columnConstraint()) {
            switch (constraint.columnRule()) {
                case SqlGrammar.NotNullContext n -> isNotNull = true;
                case SqlGrammar.NullableContext n -> nullable = n.getStart();
                case SqlGrammar.DefaultValueContext d -> {
                    if (defaultValue != null) {
                        throw twoDefaults(name, table, d);
                    }
                    defaultValue = d;
                }
                case SqlGrammar.ColumnIdentityContext i -> {
                    if (identity != null) {
                        throw new SqlException(
                                SqlState.SYNTAX_ERROR,
                                "multiple identity specifications for column \"%s\" of table \"%s\""
                                        .formatted(name, table),
                                position(i));
                    }
                    identity =
                            SequenceBuilder.identity(
                                    i.generation(), i.sequenceOption(), position(i));
                }
                case SqlGrammar.ColumnGeneratedContext g -> {
                    requireStored(g, generated != null, name, table);
                    generated = g;
                }
                default -> ofColumn.add(constraints.ofColumn(constraint, name));
            }
        }
        if (isNotNull && nullable != null) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "conflicting NULL/NOT NULL declarations for column \"%s\" of table \"%s\""
                            .formatted(name, table),
                    NameBuilder.position(nullable));
        }
        TypeName type = NameBuilder.type(tree.typeName());
        boolean isNumbered = identity != null || SERIAL.contains(type.name());
        if (isNumbered && nullable != null) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "conflicting NULL/NOT NULL declarations for column \"%s\" of table \"%s\""
                            .formatted(name, table),
                    NameBuilder.position(nullable));
        }
        requireOneSource(name, table, defaultValue, identity, generated);
        return new ColumnDefinition(
                name,
                type,
                isNotNull,
                defaultValue == null ? null : expressions.expression(defaultValue.expression()),
                identity,
                generated == null ? null : expressions.expression(generated.expression()),
                ofColumn,
                position(tree));
    }

    /// A column has a DEFAULT, or is an identity column or a generated one.
    private static void requireOneSource(
            Name column,
            Name table,
            SqlGrammar.@Nullable DefaultValueContext defaultValue,
            DdlStatement.@Nullable Identity identity,
            SqlGrammar.@Nullable ColumnGeneratedContext generated) {
        String of = "specified for column \"%s\" of table \"%s\"".formatted(column, table);
        if (identity != null && defaultValue != null) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR, "both default and identity " + of, identity.position());
        }
        if (generated != null && (defaultValue != null || identity != null)) {
            String other = identity == null ? "default" : "identity";
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "both " + other + " and generation expression " + of,
                    position(generated));
        }
    }

    private static void requireStored(
            SqlGrammar.ColumnGeneratedContext tree, boolean isSecond, Name column, Name table) {
        boolean _ = QueryBuilder.isWord(tree.IDENTIFIER(), "stored");
        if (tree.generation().ALWAYS() == null) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "for a generated column, GENERATED ALWAYS must be specified",
                    position(tree));
        }
        if (isSecond) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "multiple generation clauses specified for column \"%s\" of table \"%s\""
                            .formatted(column, table),
                    position(tree));
        }
    }

    private static SqlException twoDefaults(Name column, Name table, ParserRuleContext tree) {
        return new SqlException(
                SqlState.SYNTAX_ERROR,
                "multiple default values specified for column \"%s\" of table \"%s\""
                        .formatted(column, table),
                position(tree));
    }

    private static DdlStatement createIndex(SqlGrammar.CreateIndexContext tree) {
        int names = tree.name().size();
        boolean isNamed = names == 2 || (names == 1 && tree.USING() == null);
        List<Name> columns = tree.indexColumn().stream().map(DdlBuilder::indexColumn).toList();
        return new DdlStatement.CreateIndex(
                isNamed ? NameBuilder.name(tree.name(0)) : null,
                NameBuilder.tableName(tree.tableName()),
                columns,
                tree.UNIQUE() != null,
                tree.ifNotExists() != null,
                tree.USING() == null ? null : NameBuilder.name(tree.name(names - 1)),
                options(tree.tableOptions()),
                position(tree));
    }

    private DdlStatement alterTable(SqlGrammar.AlterTableContext tree) {
        Name table = NameBuilder.tableName(tree.tableName());
        List<AlterTable.Change> changes = new ArrayList<>();
        if (tree.rename() != null) {
            changes.add(rename(tree.rename()));
        }
        for (SqlGrammar.ChangeContext change : tree.change()) {
            changes.add(change(change, table));
        }
        return new AlterTable(table, tree.ifExists() != null, changes, position(tree));
    }

    private static AlterTable.Change rename(SqlGrammar.RenameContext tree) {
        return switch (tree) {
            case SqlGrammar.RenameTableContext r ->
                    new AlterTable.RenameTable(NameBuilder.name(r.name()), position(r));
            case SqlGrammar.RenameConstraintContext r ->
                    new AlterTable.RenameConstraint(
                            NameBuilder.name(r.name(0)), NameBuilder.name(r.name(1)), position(r));
            case SqlGrammar.RenameColumnContext r ->
                    new AlterTable.RenameColumn(
                            NameBuilder.name(r.name(0)), NameBuilder.name(r.name(1)), position(r));
            default -> throw new IllegalStateException("no change: " + tree.getClass());
        };
    }

    private AlterTable.Change change(SqlGrammar.ChangeContext tree, Name table) {
        Position position = position(tree);
        return switch (tree) {
            case SqlGrammar.AddColumnContext a ->
                    new AlterTable.AddColumn(
                            column(a.columnDefinition(), table), a.ifNotExists() != null, position);
            case SqlGrammar.AddConstraintContext a ->
                    new AlterTable.AddConstraint(
                            constraint(a.tableConstraint(), a.notValid()),
                            a.notValid() != null,
                            position);
            case SqlGrammar.ValidateConstraintContext v ->
                    new AlterTable.ValidateConstraint(NameBuilder.name(v.name()), position);
            case SqlGrammar.DropColumnContext d ->
                    new AlterTable.DropColumn(
                            NameBuilder.name(d.name()),
                            d.ifExists() != null,
                            isCascade(d.dropBehaviour()),
                            position);
            case SqlGrammar.DropConstraintContext d ->
                    new AlterTable.DropConstraint(
                            NameBuilder.name(d.name()),
                            d.ifExists() != null,
                            isCascade(d.dropBehaviour()),
                            position);
            case SqlGrammar.SetDefaultContext s ->
                    new AlterTable.SetDefault(
                            NameBuilder.name(s.name()),
                            expressions.expression(s.expression()),
                            position);
            case SqlGrammar.DropDefaultContext d ->
                    new AlterTable.SetDefault(NameBuilder.name(d.name()), null, position);
            case SqlGrammar.ChangeTypeContext c -> {
                if (c.data != null && !Keywords.folded(c.data.getText()).equals("data")) {
                    throw SyntaxErrors.at(c.data);
                }
                yield new AlterTable.ChangeType(
                        NameBuilder.name(c.name()),
                        NameBuilder.type(c.typeName()),
                        expressions.optional(c.expression()),
                        position);
            }
            case SqlGrammar.SetNotNullContext s ->
                    new AlterTable.SetNotNull(
                            NameBuilder.name(s.name()), s.SET() != null, position);
            case SqlGrammar.AddIdentityContext a ->
                    new AlterTable.AddIdentity(
                            NameBuilder.name(a.name()),
                            SequenceBuilder.identity(a.generation(), a.sequenceOption(), position),
                            position);
            case SqlGrammar.ChangeIdentityContext c -> SequenceBuilder.change(c);
            case SqlGrammar.DropIdentityContext d ->
                    new AlterTable.DropIdentity(
                            NameBuilder.name(d.name()), d.ifExists() != null, position);
            case SqlGrammar.ChangeOwnerContext o ->
                    new AlterTable.ChangeOwner(RoleBuilder.role(o.roleName()), position);
            case SqlGrammar.SetOptionsContext s ->
                    new AlterTable.SetOptions(options(s.tableOption()), position);
            default -> throw new IllegalStateException("no change: " + tree.getClass());
        };
    }
}
