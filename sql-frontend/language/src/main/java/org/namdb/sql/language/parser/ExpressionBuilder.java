package org.namdb.sql.language.parser;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.Token;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.SqlGrammar.ExpressionContext;

/// Makes expressions out of their parses: the operators. What stands between operators is
/// [PrimaryBuilder]'s.
final class ExpressionBuilder {
    private static final Set<String> COLLATIONS = Set.of("default", "C", "POSIX", "ucs_basic");

    private final PrimaryBuilder primaries = new PrimaryBuilder(this);

    /// What can't be chained without parentheses.
    private enum Chain {
        COMPARISON,
        LIKE,
        OTHER
    }

    /// The expression of a parse. Chains of operators are deep on the left: that side is walked in
    /// a loop.
    Expression expression(ExpressionContext tree) {
        if (tree instanceof SqlGrammar.OperandContext operand) {
            return primaries.visit(operand.primary());
        }
        Deque<ExpressionContext> chain = new ArrayDeque<>();
        ExpressionContext innermost = tree;
        while (innermost.getChild(0) instanceof ExpressionContext left) {
            refuseChain(innermost, left);
            chain.push(innermost);
            innermost = left;
        }
        Expression result =
                innermost instanceof SqlGrammar.UnaryContext unary
                        ? unary(unary)
                        : expression(innermost);
        for (ExpressionContext link : chain) {
            result = operation(link, result);
        }
        return result;
    }

    List<Expression> expressions(List<ExpressionContext> trees) {
        List<Expression> expressions = new ArrayList<>(trees.size());
        for (ExpressionContext tree : trees) {
            expressions.add(expression(tree));
        }
        return expressions;
    }

    @Nullable Expression optional(@Nullable ExpressionContext tree) {
        return tree == null ? null : expression(tree);
    }

    private static void refuseChain(ExpressionContext tree, ExpressionContext left) {
        Chain chain = chain(tree);
        if (chain != Chain.OTHER && chain == chain(left)) {
            throw SyntaxErrors.at((Token) tree.getChild(1).getPayload());
        }
    }

    private static Chain chain(ExpressionContext tree) {
        return switch (tree) {
            case SqlGrammar.ComparisonContext c -> Chain.COMPARISON;
            case SqlGrammar.QuantifiedContext q -> chain(q.operator);
            case SqlGrammar.QuantifiedArrayContext q -> chain(q.operator);
            case SqlGrammar.LikeContext l -> Chain.LIKE;
            case SqlGrammar.SimilarContext s -> Chain.LIKE;
            case SqlGrammar.OverlapsContext o -> Chain.LIKE;
            case SqlGrammar.BetweenContext b -> Chain.LIKE;
            case SqlGrammar.InListContext i -> Chain.LIKE;
            case SqlGrammar.InQueryContext i -> Chain.LIKE;
            default -> Chain.OTHER;
        };
    }

    private static Chain chain(Token quantified) {
        return switch (quantified.getType()) {
            case SqlGrammar.LIKE, SqlGrammar.ILIKE -> Chain.LIKE;
            case SqlGrammar.MATCHES -> Chain.OTHER;
            default -> Chain.COMPARISON;
        };
    }

    private Expression unary(SqlGrammar.UnaryContext tree) {
        return new Expression.Unary(
                operator(tree.operator),
                expression(tree.expression()),
                NameBuilder.position(tree.operator));
    }

    /// What an operator makes of its left operand and the remaining parse.
    private Expression operation(ExpressionContext tree, Expression left) {
        return switch (tree) {
            case SqlGrammar.BinaryContext b -> binary(b.operator, left, b.expression(1));
            case SqlGrammar.ComparisonContext c -> binary(c.operator, left, c.expression(1));
            case SqlGrammar.CastToContext c ->
                    new Expression.Cast(
                            left,
                            NameBuilder.type(c.typeName()),
                            NameBuilder.position(c.CAST_TO().getSymbol()));
            case SqlGrammar.BetweenContext b -> between(b, left);
            case SqlGrammar.InListContext i -> inList(i, left);
            case SqlGrammar.InQueryContext i ->
                    new Expression.InQuery(
                            left,
                            primaries.queries().inParentheses(i.queryInParentheses()),
                            i.NOT() != null,
                            NameBuilder.position(i.IN().getSymbol()));
            case SqlGrammar.QuantifiedContext q -> quantified(q, left);
            case SqlGrammar.QuantifiedArrayContext q -> quantified(q, left);
            case SqlGrammar.AtZoneContext z ->
                    PrimaryBuilder.call(
                            position(z.AT().getSymbol()),
                            "timezone",
                            expression(z.expression(1)),
                            left);
            case SqlGrammar.CollateContext c -> collated(c, left);
            case SqlGrammar.SubscriptContext s -> subscript(s, left);
            case SqlGrammar.LikeContext l -> like(l, left);
            case SqlGrammar.SimilarContext s -> similar(s, left);
            case SqlGrammar.OverlapsContext o -> overlaps(o, left);
            case SqlGrammar.EscapeContext e -> throw SyntaxErrors.at(e.ESCAPE().getSymbol());
            case SqlGrammar.IsNullContext n ->
                    new Expression.IsNull(left, n.NOT() != null, position(n.IS().getSymbol()));
            case SqlGrammar.IsNullWordContext n ->
                    new Expression.IsNull(
                            left, n.operator.getType() == SqlGrammar.NOTNULL, position(n.operator));
            case SqlGrammar.IsTruthContext t ->
                    new Expression.IsTruth(
                            left, truth(t.truth), t.NOT() != null, position(t.IS().getSymbol()));
            case SqlGrammar.IsDistinctContext d ->
                    new Expression.IsDistinct(
                            left,
                            expression(d.expression(1)),
                            d.NOT() != null,
                            position(d.IS().getSymbol()));
            default -> throw new IllegalStateException("no operator: " + tree.getClass());
        };
    }

    private static Position position(Token token) {
        return NameBuilder.position(token);
    }

    /// `~~` is LIKE, `~~*` ILIKE, with `!` for NOT: views and constraints of a dump have them.
    private Expression binary(Token operator, Expression left, ExpressionContext right) {
        String symbol = operator(operator);
        if (symbol.contains("~~")) {
            return new Expression.Like(
                    left,
                    expression(right),
                    null,
                    symbol.startsWith("!"),
                    symbol.endsWith("*"),
                    position(operator));
        }
        return new Expression.Binary(symbol, left, expression(right), position(operator));
    }

    private static String operator(Token operator) {
        return operator.getType() == SqlGrammar.NOT_EQUAL
                ? "<>"
                : Keywords.folded(operator.getText());
    }

    /// LIKE is `~~`, ILIKE `~~*`, with `!` behind NOT.
    private static String operator(Token operator, boolean isNegated) {
        String not = isNegated ? "!" : "";
        return switch (operator.getType()) {
            case SqlGrammar.LIKE -> not + "~~";
            case SqlGrammar.ILIKE -> not + "~~*";
            default -> operator(operator);
        };
    }

    private static @Nullable Boolean truth(Token word) {
        return word.getType() == SqlGrammar.UNKNOWN ? null : word.getType() == SqlGrammar.TRUE;
    }

    /// `(a, b) OVERLAPS (c, d)` is a call of the function of this name, as in PostgreSQL.
    private Expression overlaps(SqlGrammar.OverlapsContext tree, Expression left) {
        Token operator = tree.OVERLAPS().getSymbol();
        Expression right = expression(tree.expression(1));
        if (!(left instanceof Expression.Row from) || !(right instanceof Expression.Row to)) {
            throw SyntaxErrors.at(operator);
        }
        requireTwo(from, "left", operator);
        requireTwo(to, "right", operator);
        return PrimaryBuilder.call(
                position(operator),
                "overlaps",
                from.values().get(0),
                from.values().get(1),
                to.values().get(0),
                to.values().get(1));
    }

    private static void requireTwo(Expression.Row row, String side, Token operator) {
        if (row.values().size() != 2) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "wrong number of parameters on " + side + " side of OVERLAPS expression",
                    position(operator));
        }
    }

    private Expression between(SqlGrammar.BetweenContext tree, Expression left) {
        return new Expression.Between(
                left,
                expression(tree.expression(1)),
                expression(tree.expression(2)),
                tree.NOT() != null,
                tree.SYMMETRIC() != null,
                position(tree.BETWEEN().getSymbol()));
    }

    private Expression inList(SqlGrammar.InListContext tree, Expression left) {
        List<ExpressionContext> operands = tree.expression();
        return new Expression.InList(
                left,
                expressions(operands.subList(1, operands.size())),
                tree.NOT() != null,
                position(tree.IN().getSymbol()));
    }

    /// `a = ANY (SELECT ..)` is IN, `a <> ALL (SELECT ..)` is NOT IN.
    private Expression quantified(SqlGrammar.QuantifiedContext tree, Expression left) {
        String operator = operator(tree.operator, tree.NOT() != null);
        boolean isAll = tree.ALL() != null;
        Query query = primaries.queries().inParentheses(tree.queryInParentheses());
        if (operator.equals(isAll ? "<>" : "=")) {
            return new Expression.InQuery(left, query, isAll, position(tree.operator));
        }
        return new Expression.Quantified(operator, left, isAll, query, position(tree.operator));
    }

    private Expression quantified(SqlGrammar.QuantifiedArrayContext tree, Expression left) {
        return new Expression.QuantifiedArray(
                operator(tree.operator, tree.NOT() != null),
                left,
                tree.ALL() != null,
                expression(tree.expression(1)),
                position(tree.operator));
    }

    /// All texts are ordered by their bytes, as these collations are.
    private Expression subscript(SqlGrammar.SubscriptContext tree, Expression operand) {
        Position position = position(tree.LBRACKET().getSymbol());
        if (tree.COLON() != null) {
            return new Expression.Slice(
                    operand,
                    tree.lower == null ? null : expression(tree.lower),
                    tree.upper == null ? null : expression(tree.upper),
                    position);
        }
        if (tree.lower == null) {
            throw SyntaxErrors.at(tree.RBRACKET().getSymbol());
        }
        return new Expression.Subscript(operand, expression(tree.lower), position);
    }

    private static Expression collated(SqlGrammar.CollateContext tree, Expression left) {
        List<ParserRuleContext> parts = new ArrayList<>();
        parts.add(tree.name());
        parts.addAll(tree.label());
        String name = NameBuilder.dotted(parts);
        String bare = name.startsWith("pg_catalog.") ? name.substring(11) : name;
        if (!COLLATIONS.contains(bare)) {
            throw new SqlException(
                            SqlState.UNDEFINED_OBJECT,
                            "collation \"" + name + "\" does not exist",
                            NameBuilder.position(tree.name()))
                    .withHint("Texts are ordered by their bytes: COLLATE \"C\".");
        }
        return left;
    }

    /// ESCAPE is parsed as an operator that is tighter than LIKE.
    private Expression like(SqlGrammar.LikeContext tree, Expression left) {
        ExpressionContext pattern = tree.expression(1);
        ExpressionContext escape = null;
        if (pattern instanceof SqlGrammar.EscapeContext both) {
            pattern = both.expression(0);
            escape = both.expression(1);
        }
        return new Expression.Like(
                left,
                expression(pattern),
                optional(escape),
                tree.NOT() != null,
                tree.operator.getType() == SqlGrammar.ILIKE,
                position(tree.operator));
    }

    /// `a SIMILAR TO b` is `a ~ similar_to_escape(b)`.
    private Expression similar(SqlGrammar.SimilarContext tree, Expression left) {
        Position position = position(tree.SIMILAR().getSymbol());
        ExpressionContext pattern = tree.expression(1);
        String escape = "similar_to_escape";
        Expression regular =
                pattern instanceof SqlGrammar.EscapeContext both
                        ? PrimaryBuilder.call(
                                position,
                                escape,
                                expression(both.expression(0)),
                                expression(both.expression(1)))
                        : PrimaryBuilder.call(position, escape, expression(pattern));
        return new Expression.Binary(tree.NOT() == null ? "~" : "!~", left, regular, position);
    }

    QueryBuilder queries() {
        return primaries.queries();
    }
}
