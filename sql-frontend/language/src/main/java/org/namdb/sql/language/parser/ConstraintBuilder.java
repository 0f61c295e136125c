package org.namdb.sql.language.parser;

import java.util.List;
import java.util.Locale;
import org.antlr.v4.runtime.Token;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.DdlStatement.Check;
import org.namdb.sql.language.ast.DdlStatement.Constraint;
import org.namdb.sql.language.ast.DdlStatement.ForeignKey;
import org.namdb.sql.language.ast.DdlStatement.ForeignKey.Action;
import org.namdb.sql.language.ast.DdlStatement.PrimaryKey;
import org.namdb.sql.language.ast.DdlStatement.Unique;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.parser.SqlGrammar.ExpressionContext;

/// Makes the constraints of tables and columns out of their parses.
final class ConstraintBuilder {
    private final ExpressionBuilder expressions;
    private final StatementTokens tokens;

    ConstraintBuilder(ExpressionBuilder expressions, StatementTokens tokens) {
        this.expressions = expressions;
        this.tokens = tokens;
    }

    Constraint ofTable(SqlGrammar.TableConstraintContext tree) {
        Name name = tree.name() == null ? null : NameBuilder.name(tree.name());
        Position position = NameBuilder.position(tree);
        return switch (tree.tableRule()) {
            case SqlGrammar.PrimaryKeyContext p ->
                    new PrimaryKey(name, NameBuilder.names(p.nameList()), position);
            case SqlGrammar.UniqueContext u ->
                    new Unique(name, NameBuilder.names(u.nameList()), position);
            case SqlGrammar.CheckContext c -> check(name, c.expression(), position);
            case SqlGrammar.ForeignKeyContext f ->
                    foreignKey(name, NameBuilder.names(f.nameList()), f.reference(), position);
            default -> throw new IllegalStateException("no constraint: " + tree.getClass());
        };
    }

    /// A constraint that refers to one column.
    Constraint ofColumn(SqlGrammar.ColumnConstraintContext tree, Name column) {
        Name name = tree.name() == null ? null : NameBuilder.name(tree.name());
        Position position = NameBuilder.position(tree);
        return switch (tree.columnRule()) {
            case SqlGrammar.ColumnPrimaryKeyContext p ->
                    new PrimaryKey(name, List.of(column), position);
            case SqlGrammar.ColumnUniqueContext u -> new Unique(name, List.of(column), position);
            case SqlGrammar.ColumnCheckContext c -> check(name, c.expression(), position);
            case SqlGrammar.ColumnReferenceContext r ->
                    foreignKey(name, List.of(column), r.reference(), position);
            default -> throw new IllegalStateException("no constraint: " + tree.getClass());
        };
    }

    private Check check(@Nullable Name name, ExpressionContext condition, Position position) {
        String text = tokens.getText(condition.getStart(), condition.getStop());
        return new Check(name, expressions.expression(condition), text, position);
    }

    private static ForeignKey foreignKey(
            @Nullable Name name,
            List<Name> columns,
            SqlGrammar.ReferenceContext tree,
            Position position) {
        if (tree.matching() != null) {
            refuseMatching(tree.matching());
        }
        for (SqlGrammar.DeferralContext each : tree.deferral()) {
            SessionBuilder.requireDeferral(each.name());
        }
        Action onDelete = Action.NO_ACTION;
        Action onUpdate = Action.NO_ACTION;
        for (SqlGrammar.ReferenceActionContext action : tree.referenceAction()) {
            if (action.DELETE() != null) {
                onDelete = action(action);
            } else {
                onUpdate = action(action);
            }
        }
        return new ForeignKey(
                name,
                columns,
                NameBuilder.tableName(tree.tableName()),
                tree.nameList() == null ? List.of() : NameBuilder.names(tree.nameList()),
                onDelete,
                onUpdate,
                position);
    }

    /// MATCH SIMPLE is what there is: a key of which a column is NULL refers to nothing.
    private static void refuseMatching(SqlGrammar.MatchingContext tree) {
        Token how = tree.getStop();
        if (!Keywords.folded(tree.getStart().getText()).equals("match")) {
            throw SyntaxErrors.at(tree.getStart());
        }
        switch (Keywords.folded(how.getText())) {
            case "simple" -> {}
            case "full", "partial" ->
                    throw Unsupported.error(
                            "MATCH " + how.getText().toUpperCase(Locale.ROOT) + " is not supported",
                            NameBuilder.position(tree));
            default -> throw SyntaxErrors.at(how);
        }
    }

    private static Action action(SqlGrammar.ReferenceActionContext tree) {
        return switch (tree.getStop().getType()) {
            case SqlGrammar.RESTRICT -> Action.RESTRICT;
            case SqlGrammar.CASCADE -> Action.CASCADE;
            case SqlGrammar.NULL -> Action.SET_NULL;
            case SqlGrammar.DEFAULT -> Action.SET_DEFAULT;
            default -> Action.NO_ACTION;
        };
    }
}
