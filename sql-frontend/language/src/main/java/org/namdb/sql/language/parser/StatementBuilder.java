package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.tree.ParseTree;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Makes statements out of their parses: queries and changes of rows itself, the others with
/// [DdlBuilder], [SessionBuilder], [CursorBuilder] and [CopyBuilder].
final class StatementBuilder extends SqlGrammarBaseVisitor<Statement> {
    private final ExpressionBuilder expressions = new ExpressionBuilder();
    private final QueryBuilder queries = expressions.queries();
    private final StatementTokens tokens;

    StatementBuilder(StatementTokens tokens) {
        this.tokens = tokens;
    }

    Statement statement(SqlGrammar.StatementContext tree) {
        return visit(tree.getChild(0));
    }

    @Override
    public Statement visit(ParseTree tree) {
        return Objects.requireNonNull(super.visit(tree));
    }

    /// Whatever has no method here.
    @Override
    public Statement visitChildren(org.antlr.v4.runtime.tree.RuleNode node) {
        ParserRuleContext tree = (ParserRuleContext) node;
        Statement definition = new DdlBuilder(expressions, tokens).definition(tree);
        return definition == null ? new SessionBuilder().statement(tree) : definition;
    }

    private static Position position(ParserRuleContext tree) {
        return NameBuilder.position(tree);
    }

    @Override
    public Statement visitPreparable(SqlGrammar.PreparableContext tree) {
        queries.commonTables().allowChanges(this::visit);
        Statement statement =
                tree.plainQuery() != null
                        ? new Statement.Select(
                                queries.commonTables().within(tree.withClause(), tree.plainQuery()),
                                position(tree.plainQuery()))
                        : queries.commonTables()
                                .within(
                                        tree.withClause(),
                                        () -> visit(tree.getChild(tree.getChildCount() - 1)));
        List<Query.CommonTable> changes = queries.commonTables().changes();
        return changes.isEmpty()
                ? statement
                : new Statement.With(changes, (Statement.Plain) statement, position(tree));
    }

    @Override
    public Statement visitPlainQuery(SqlGrammar.PlainQueryContext tree) {
        return new Statement.Select(queries.plainQuery(tree), position(tree));
    }

    @Override
    public Statement visitCreateTableAs(SqlGrammar.CreateTableAsContext tree) {
        boolean hasData = QueryBuilder.isWord(tree.IDENTIFIER(), "data");
        return new Statement.CreateTableAs(
                NameBuilder.tableName(tree.tableName()),
                tree.ifNotExists() != null,
                DdlBuilder.onCommit(tree.temporary(), tree.onCommit()),
                tree.nameList() == null ? List.of() : NameBuilder.names(tree.nameList()),
                DdlBuilder.options(tree.tableOptions()),
                queries.query(tree.query()),
                !hasData || tree.NO() == null,
                position(tree));
    }

    @Override
    public Statement visitDeclareCursor(SqlGrammar.DeclareCursorContext tree) {
        return CursorBuilder.declare(tree, queries.query(tree.query()));
    }

    @Override
    public Statement visitInsert(SqlGrammar.InsertContext tree) {
        return new Statement.Insert(
                NameBuilder.tableName(tree.tableName()),
                tree.name() == null ? null : NameBuilder.name(tree.name()),
                tree.nameList() == null ? List.of() : NameBuilder.names(tree.nameList()),
                overriding(tree.overriding()),
                tree.query() == null ? null : queries.query(tree.query()),
                tree.onConflict() == null ? null : onConflict(tree),
                returning(tree.returning()),
                position(tree));
    }

    private static Statement.@Nullable Overriding overriding(
            SqlGrammar.@Nullable OverridingContext tree) {
        if (tree == null) {
            return null;
        }
        return tree.SYSTEM() == null ? Statement.Overriding.USER : Statement.Overriding.SYSTEM;
    }

    private Statement.OnConflict onConflict(SqlGrammar.InsertContext insert) {
        SqlGrammar.OnConflictContext tree = insert.onConflict();
        boolean hasTarget = tree.nameList() != null || tree.name() != null;
        if (tree.UPDATE() != null && !hasTarget) {
            throw new SqlException(
                            SqlState.SYNTAX_ERROR,
                            "ON CONFLICT DO UPDATE requires inference specification or constraint name",
                            position(tree))
                    .withHint("For example, ON CONFLICT (column_name).");
        }
        return new Statement.OnConflict(
                tree.nameList() == null ? List.of() : NameBuilder.names(tree.nameList()),
                tree.name() == null ? null : NameBuilder.name(tree.name()),
                assignments(tree.assignment(), changed(insert.name(), null, insert.tableName())),
                queries.where(tree.whereClause()),
                position(tree));
    }

    private List<Query.Item> returning(SqlGrammar.@Nullable ReturningContext tree) {
        return tree == null ? List.of() : queries.items(tree.selectItem());
    }

    /// @param table what the changed table is called
    private List<Statement.Assignment> assignments(
            List<SqlGrammar.AssignmentContext> trees, Name table) {
        List<Statement.Assignment> assignments = new ArrayList<>();
        for (SqlGrammar.AssignmentContext tree : trees) {
            if (tree instanceof SqlGrammar.AssignRowContext row) {
                assignRow(row, assignments);
            } else if (tree instanceof SqlGrammar.AssignOneContext one) {
                Name column = target(one);
                Expression value = expressions.expression(one.value);
                assignments.add(
                        new Statement.Assignment(
                                column,
                                one.element == null
                                        ? value
                                        : PrimaryBuilder.call(
                                                position(one),
                                                PrimaryBuilder.SET_ELEMENT,
                                                new Expression.ColumnName(
                                                        table, column, column.position()),
                                                expressions.expression(one.element),
                                                value),
                                position(one)));
            }
        }
        return assignments;
    }

    /// Behind SET stands the bare column: PostgreSQL takes what comes before a point for a column
    /// of a row type.
    private static Name target(SqlGrammar.AssignOneContext tree) {
        Name name = NameBuilder.name(tree.name(0));
        if (tree.DOT() != null) {
            throw new SqlException(
                            SqlState.UNDEFINED_COLUMN,
                            "column \"" + name.text() + "\" of the changed table does not exist",
                            name.position())
                    .withHint("Behind SET stands the column alone, without the table.");
        }
        return name;
    }

    private void assignRow(
            SqlGrammar.AssignRowContext tree, List<Statement.Assignment> assignments) {
        List<Name> columns = NameBuilder.names(tree.nameList());
        Expression source = expressions.expression(tree.expression());
        if (source instanceof Expression.ScalarQuery) {
            for (int i = 0; i < columns.size(); i++) {
                assignments.add(
                        new Statement.Assignment(columns.get(i), source, i, position(tree)));
            }
            return;
        }
        List<Expression> values = values(source, columns);
        if (values.size() != columns.size()) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "number of columns does not match number of values",
                    position(tree.expression()));
        }
        for (int i = 0; i < columns.size(); i++) {
            assignments.add(
                    new Statement.Assignment(columns.get(i), values.get(i), position(tree)));
        }
    }

    private static List<Expression> values(Expression value, List<Name> columns) {
        if (value instanceof Expression.Row row) {
            return row.values();
        }
        if (columns.size() == 1) {
            return List.of(value);
        }
        throw new SqlException(
                SqlState.FEATURE_NOT_SUPPORTED,
                "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression",
                value.position());
    }

    private static @Nullable Name alias(
            SqlGrammar.@Nullable NameContext name,
            SqlGrammar.@Nullable BareLabelContext bareLabel) {
        if (name != null) {
            return NameBuilder.name(name);
        }
        return bareLabel == null ? null : NameBuilder.name(bareLabel);
    }

    /// What a statement calls the table that it changes.
    private static Name changed(
            SqlGrammar.@Nullable NameContext name,
            SqlGrammar.@Nullable BareLabelContext bareLabel,
            SqlGrammar.TableNameContext table) {
        Name alias = alias(name, bareLabel);
        return alias == null ? NameBuilder.tableName(table) : alias;
    }

    @Override
    public Statement visitUpdate(SqlGrammar.UpdateContext tree) {
        return new Statement.Update(
                NameBuilder.tableName(tree.tableName()),
                alias(tree.name(), tree.bareLabel()),
                assignments(
                        tree.assignment(),
                        changed(tree.name(), tree.bareLabel(), tree.tableName())),
                queries.from(tree.fromClause()),
                queries.where(tree.whereClause()),
                returning(tree.returning()),
                position(tree));
    }

    @Override
    public Statement visitDelete(SqlGrammar.DeleteContext tree) {
        return new Statement.Delete(
                NameBuilder.tableName(tree.tableName()),
                alias(tree.name(), tree.bareLabel()),
                queries.sources(tree.source()),
                queries.where(tree.whereClause()),
                returning(tree.returning()),
                position(tree));
    }

    @Override
    public Statement visitCopy(SqlGrammar.CopyContext tree) {
        return new CopyBuilder(queries).copy(tree);
    }

    @Override
    public Statement visitBackup(SqlGrammar.BackupContext tree) {
        return new Statement.Backup(
                StringLiterals.value((SqlToken) tree.STRING().getSymbol()), position(tree));
    }

    @Override
    public Statement visitAnalyze(SqlGrammar.AnalyzeContext tree) {
        return AnalyzeOptions.statement(tree);
    }

    @Override
    public Statement visitPrepare(SqlGrammar.PrepareContext tree) {
        return new Statement.Prepare(
                NameBuilder.name(tree.name()),
                tree.typeName().stream().map(NameBuilder::type).toList(),
                visit(tree.preparable()),
                position(tree));
    }

    @Override
    public Statement visitExecute(SqlGrammar.ExecuteContext tree) {
        return new Statement.Execute(
                NameBuilder.name(tree.name()),
                expressions.expressions(tree.expression()),
                position(tree));
    }

    @Override
    public Statement visitProcedureCall(SqlGrammar.ProcedureCallContext tree) {
        return new Statement.Call(
                NameBuilder.functionName(tree.functionName()),
                expressions.expressions(tree.expression()),
                position(tree));
    }

    @Override
    public Statement visitExplain(SqlGrammar.ExplainContext tree) {
        ExplainOptions options = ExplainOptions.of(tree.explainOptions());
        return new Statement.Explain(
                options.isAnalyze(),
                options.showsVerbs(),
                visit(tree.execute() == null ? tree.preparable() : tree.execute()),
                position(tree));
    }
}
