package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.tree.TerminalNode;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Expression.Literal;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.ast.TypeName;
import org.namdb.sql.language.ast.WindowFrame;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.SqlGrammar.ExpressionContext;
import org.namdb.sql.language.type.IntervalFields;

/// Makes expressions out of the parses of what stands between operators: literals, names, calls,
/// CASE, and so on.
final class PrimaryBuilder extends SqlGrammarBaseVisitor<Expression> {
    /// A function of PostgreSQL's catalog that drivers call to read the columns of keys.
    /// An array with another value for one element: what assignments to elements are.
    static final String SET_ELEMENT = "array_set";

    private static final String EXPAND_ARRAY = "information_schema._pg_expandarray";

    private final ExpressionBuilder expressions;
    private final QueryBuilder queries;

    PrimaryBuilder(ExpressionBuilder expressions) {
        this.expressions = expressions;
        this.queries = new QueryBuilder(expressions);
    }

    QueryBuilder queries() {
        return queries;
    }

    private Expression of(ExpressionContext tree) {
        return expressions.expression(tree);
    }

    private static Position position(ParserRuleContext tree) {
        return NameBuilder.position(tree);
    }

    @Override
    public Expression visitLiteral(SqlGrammar.LiteralContext tree) {
        Token token = tree.literal;
        Position position = NameBuilder.position(token);
        return switch (token.getType()) {
            case SqlGrammar.NULL -> new Literal(Literal.Kind.NULL, "", position);
            case SqlGrammar.TRUE -> new Literal(Literal.Kind.BOOLEAN, "TRUE", position);
            case SqlGrammar.FALSE -> new Literal(Literal.Kind.BOOLEAN, "FALSE", position);
            case SqlGrammar.INTEGER -> new Literal(Literal.Kind.INTEGER, token.getText(), position);
            case SqlGrammar.DECIMAL -> new Literal(Literal.Kind.DECIMAL, token.getText(), position);
            case SqlGrammar.FLOAT -> new Literal(Literal.Kind.FLOAT, token.getText(), position);
            default ->
                    new Literal(
                            Literal.Kind.STRING, StringLiterals.value((SqlToken) token), position);
        };
    }

    @Override
    public Expression visitParameter(SqlGrammar.ParameterContext tree) {
        SqlToken token = (SqlToken) tree.getStart();
        if (token.parameter() < 0) {
            throw new SqlException(
                    SqlState.UNDEFINED_PARAMETER,
                    "there is no parameter " + token.getText(),
                    token.position());
        }
        return new Expression.Parameter(token.parameter(), token.position());
    }

    @Override
    public Expression visitColumnName(SqlGrammar.ColumnNameContext tree) {
        List<ParserRuleContext> parts = new ArrayList<>();
        parts.add(tree.name());
        parts.addAll(tree.label());
        int last = parts.size() - 1;
        if (last > 2) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "improper qualified name (too many dotted names): " + NameBuilder.dotted(parts),
                    position(tree));
        }
        // A table is known by its name alone: its schema is the one behind FROM.
        Name qualifier = last == 0 ? null : NameBuilder.unqualified(parts.subList(0, last));
        return new Expression.ColumnName(
                qualifier, NameBuilder.name(parts.get(last)), position(tree));
    }

    @Override
    public Expression visitTypedLiteral(SqlGrammar.TypedLiteralContext tree) {
        TypeName type = NameBuilder.literalType(tree.literalType());
        SqlToken string = (SqlToken) tree.STRING().getSymbol();
        if (string.start() == type.position().offset() + type.position().length()) {
            refuseBits(type.name(), tree);
            if (type.name().equals("n")) {
                throw Unsupported.error(
                                "strings of NATIONAL CHARACTER are not supported", position(tree))
                        .withHint("Leave the N away: all strings are Unicode.");
            }
        }
        return new Expression.TypedLiteral(type, StringLiterals.value(string), position(tree));
    }

    /// `X'1F'` and `B'01'`, without a blank, are strings of bits in PostgreSQL.
    private static void refuseBits(String type, ParserRuleContext tree) {
        if (type.equals("x") || type.equals("b")) {
            throw Unsupported.error("bit strings are not supported", position(tree))
                    .withHint("Write bytes as BYTEA '\\x1F'.");
        }
    }

    @Override
    public Expression visitIntervalLiteral(SqlGrammar.IntervalLiteralContext tree) {
        String text = StringLiterals.value((SqlToken) tree.STRING().getSymbol());
        TypeName type =
                new TypeName(
                        "interval",
                        List.of(),
                        false,
                        NameBuilder.position(tree.INTERVAL().getSymbol()));
        IntervalFields fields = fields(tree);
        if (fields != null) {
            text = fields.read(text).toString();
        }
        return new Expression.TypedLiteral(type, text, position(tree));
    }

    /// `INTERVAL '1' DAY` is `INTERVAL '1 day'`.
    private static @Nullable IntervalFields fields(SqlGrammar.IntervalLiteralContext tree) {
        SqlGrammar.IntervalFieldsContext fields = tree.intervalFields();
        if (fields == null) {
            return tree.intervalPrecision() == null
                    ? null
                    : IntervalFields.ofPrecision(precision(tree.intervalPrecision()));
        }
        if (tree.intervalPrecision() != null) {
            throw SyntaxErrors.at(fields.getStart());
        }
        List<IntervalFields.Unit> units =
                fields.intervalField().stream()
                        .map(f -> Keywords.folded(f.getText()).toUpperCase(Locale.ROOT))
                        .map(IntervalFields.Unit::valueOf)
                        .toList();
        SqlGrammar.IntervalPrecisionContext precision = fields.intervalPrecision();
        IntervalFields range =
                new IntervalFields(units.getFirst(), units.getLast(), precision(precision));
        if (!range.isValid() || precision != null && range.last() != IntervalFields.Unit.SECOND) {
            throw SyntaxErrors.at(precision == null ? fields.getStop() : precision.getStart());
        }
        return range;
    }

    private static int precision(SqlGrammar.@Nullable IntervalPrecisionContext tree) {
        String digits = tree == null ? "6" : tree.INTEGER().getText();
        return digits.length() > 1 ? 6 : Integer.parseInt(digits);
    }

    @Override
    public Expression visitCall(SqlGrammar.CallContext tree) {
        Name function = NameBuilder.functionName(tree.functionName());
        SqlGrammar.CallArgumentsContext tail = tree.callArguments();
        List<Expression> arguments =
                tail == null ? List.of() : expressions.expressions(tail.expression());
        if (tree.STRING() != null) {
            return literalWithLength(tree, function, arguments);
        }
        refuseCount(function.text(), arguments.size(), tree);
        Expression.Call call =
                new Expression.Call(
                        function,
                        arguments,
                        tail != null && tail.STAR() != null,
                        tail != null && tail.DISTINCT() != null,
                        position(tree));
        if (function.text().equals(EXPAND_ARRAY) && arguments.size() == 1) {
            return queries.expanded(arguments.getFirst(), position(tree));
        }
        SqlGrammar.OverContext over = tree.over();
        SqlGrammar.FilterContext filter = tree.filter();
        if (over != null) {
            if (tail != null && tail.ORDER() != null) {
                throw Unsupported.error(
                        "ORDER BY among the arguments of a window function is not supported",
                        position(tree));
            }
            SqlGrammar.WindowDefinitionContext window =
                    over.name() == null ? over.windowDefinition() : queries.window(over.name());
            return new Expression.WindowCall(
                    call,
                    filter == null ? null : of(filter.expression()),
                    expressions.expressions(window.expression()),
                    window.sortKey().stream().map(queries::sortKey).toList(),
                    window.windowFrame() == null ? null : frame(window.windowFrame()),
                    position(tree));
        }
        boolean isPlain = filter == null && (tail == null || tail.ORDER() == null);
        return isPlain
                ? call
                : new Expression.AggregateCall(
                        call,
                        tail == null
                                ? List.of()
                                : tail.sortKey().stream().map(queries::sortKey).toList(),
                        filter == null ? null : of(filter.expression()),
                        position(tree));
    }

    private WindowFrame frame(SqlGrammar.WindowFrameContext tree) {
        List<SqlGrammar.FrameBoundContext> bounds = tree.frameBound();
        WindowFrame.Bound start = bound(bounds.getFirst());
        return new WindowFrame(
                WindowFrame.Unit.valueOf(
                        Keywords.folded(tree.unit.getText()).toUpperCase(Locale.ROOT)),
                start,
                bounds.size() == 1
                        ? new WindowFrame.Bound(WindowFrame.Kind.CURRENT_ROW, null)
                        : bound(bounds.getLast()),
                exclusion(tree.exclusion()),
                position(tree));
    }

    private static WindowFrame.Exclusion exclusion(SqlGrammar.@Nullable ExclusionContext tree) {
        if (tree == null) {
            return WindowFrame.Exclusion.NO_OTHERS;
        }
        requireWord(tree.exclude, "exclude");
        if (tree.what == null) {
            return tree.GROUP() == null
                    ? WindowFrame.Exclusion.CURRENT_ROW
                    : WindowFrame.Exclusion.GROUP;
        }
        boolean isNone = tree.NO() != null;
        requireWord(tree.what, isNone ? "others" : "ties");
        return isNone ? WindowFrame.Exclusion.NO_OTHERS : WindowFrame.Exclusion.TIES;
    }

    private static void requireWord(Token token, String word) {
        if (!Keywords.folded(token.getText()).equals(word)) {
            throw SyntaxErrors.at(token);
        }
    }

    private WindowFrame.Bound bound(SqlGrammar.FrameBoundContext tree) {
        if (tree.CURRENT() != null) {
            return new WindowFrame.Bound(WindowFrame.Kind.CURRENT_ROW, null);
        }
        boolean isBefore = tree.side.getType() == SqlGrammar.PRECEDING;
        if (tree.UNBOUNDED() != null) {
            return new WindowFrame.Bound(
                    isBefore
                            ? WindowFrame.Kind.UNBOUNDED_PRECEDING
                            : WindowFrame.Kind.UNBOUNDED_FOLLOWING,
                    null);
        }
        return new WindowFrame.Bound(
                isBefore ? WindowFrame.Kind.PRECEDING : WindowFrame.Kind.FOLLOWING,
                of(tree.expression()));
    }

    /// These are no functions in PostgreSQL's grammar, which fixes how many arguments they have.
    private static void refuseCount(String function, int arguments, SqlGrammar.CallContext tree) {
        boolean isWrong =
                switch (function) {
                    case "coalesce", "greatest", "least" -> arguments == 0;
                    case "nullif" -> arguments != 2;
                    default -> false;
                };
        if (isWrong) {
            throw SyntaxErrors.at(tree.RPAREN().getSymbol());
        }
    }

    /// `DECIMAL(5,2) '1.23'`.
    private static Expression literalWithLength(
            SqlGrammar.CallContext tree, Name type, List<Expression> arguments) {
        List<Integer> lengths = new ArrayList<>();
        for (Expression argument : arguments) {
            if (!(argument instanceof Literal literal)
                    || literal.kind() != Literal.Kind.INTEGER
                    || literal.text().length() > 9) {
                throw SyntaxErrors.at(tree.STRING().getSymbol());
            }
            lengths.add(Integer.valueOf(literal.text()));
        }
        return new Expression.TypedLiteral(
                new TypeName(type.text(), lengths, false, type.position()),
                StringLiterals.value((SqlToken) tree.STRING().getSymbol()),
                position(tree));
    }

    @Override
    public Expression visitCallWithoutArguments(SqlGrammar.CallWithoutArgumentsContext tree) {
        TerminalNode precision = tree.INTEGER();
        if (tree.RPAREN() != null
                && precision == null
                && tree.functionWord().CURRENT_SCHEMA() == null) {
            throw SyntaxErrors.at(tree.RPAREN().getSymbol());
        }
        return call(
                tree,
                Keywords.folded(tree.functionWord().getText()),
                precision == null
                        ? List.of()
                        : List.of(
                                new Literal(
                                        Literal.Kind.INTEGER,
                                        precision.getText(),
                                        NameBuilder.position(precision.getSymbol()))));
    }

    private static Expression call(
            ParserRuleContext tree, String function, List<Expression> arguments) {
        Name name = new Name(function, NameBuilder.position(tree.getStart()));
        return new Expression.Call(name, arguments, false, false, position(tree));
    }

    @Override
    public Expression visitSubstring(SqlGrammar.SubstringContext tree) {
        SqlGrammar.SubstringTailContext tail = tree.substringTail();
        List<Expression> arguments = new ArrayList<>();
        arguments.add(of(tree.expression()));
        if (tail.from == null && tail.count == null) {
            arguments.addAll(expressions.expressions(tail.expression()));
            return call(tree, "substring", arguments);
        }
        arguments.add(
                tail.from == null
                        ? new Literal(Literal.Kind.INTEGER, "1", position(tail))
                        : of(tail.from));
        if (tail.count != null) {
            arguments.add(of(tail.count));
        }
        return call(tree, "substring", arguments);
    }

    @Override
    public Expression visitPosition(SqlGrammar.PositionContext tree) {
        return call(tree, "position", List.of(of(tree.expression(1)), of(tree.expression(0))));
    }

    @Override
    public Expression visitOverlay(SqlGrammar.OverlayContext tree) {
        return call(tree, "overlay", expressions.expressions(tree.expression()));
    }

    @Override
    public Expression visitTrim(SqlGrammar.TrimContext tree) {
        String function =
                tree.side == null
                        ? "btrim"
                        : switch (tree.side.getType()) {
                            case SqlGrammar.LEADING -> "ltrim";
                            case SqlGrammar.TRAILING -> "rtrim";
                            default -> "btrim";
                        };
        SqlGrammar.TrimArgumentsContext arguments = tree.trimArguments();
        if (arguments.text == null) {
            return call(tree, function, expressions.expressions(arguments.expression()));
        }
        List<Expression> inOrder = new ArrayList<>();
        inOrder.add(of(arguments.text));
        if (arguments.first != null) {
            inOrder.add(of(arguments.first));
        }
        return call(tree, function, inOrder);
    }

    @Override
    public Expression visitExtract(SqlGrammar.ExtractContext tree) {
        String field =
                tree.name() == null
                        ? StringLiterals.value((SqlToken) tree.STRING().getSymbol())
                        : NameBuilder.name(tree.name()).text();
        return new Expression.Extract(
                Keywords.folded(field), of(tree.expression()), position(tree));
    }

    @Override
    public Expression visitCast(SqlGrammar.CastContext tree) {
        return new Expression.Cast(
                of(tree.expression()), NameBuilder.type(tree.typeName()), position(tree));
    }

    @Override
    public Expression visitCase(SqlGrammar.CaseContext tree) {
        List<Expression.Case.When> whens = new ArrayList<>();
        for (SqlGrammar.WhenContext when : tree.when()) {
            whens.add(new Expression.Case.When(of(when.expression(0)), of(when.expression(1))));
        }
        @Nullable Expression operand =
                tree.caseOperand() == null ? null : of(tree.caseOperand().expression());
        return new Expression.Case(
                operand, whens, expressions.optional(tree.expression()), position(tree));
    }

    @Override
    public Expression visitExists(SqlGrammar.ExistsContext tree) {
        return new Expression.Exists(
                queries.inParentheses(tree.queryInParentheses()), position(tree));
    }

    @Override
    public Expression visitScalarQuery(SqlGrammar.ScalarQueryContext tree) {
        return new Expression.ScalarQuery(
                queries.inParentheses(tree.queryInParentheses()), position(tree));
    }

    /// `ARRAY(SELECT ..)`: an aggregate over the rows.
    @Override
    public Expression visitArrayQuery(SqlGrammar.ArrayQueryContext tree) {
        Position at = position(tree);
        Name element = new Name("element", at);
        Expression elements = call(at, "array_agg", new Expression.ColumnName(null, element, at));
        Query.Source rows =
                new Query.QuerySource(
                        queries.inParentheses(tree.queryInParentheses()),
                        new Name("elements", at),
                        List.of(element),
                        at);
        Query.Select select =
                new Query.Select(
                        false,
                        List.of(
                                new Query.Value(
                                        call(at, "coalesce", elements, string("{}", at)),
                                        new Name("array", at),
                                        at)),
                        List.of(rows),
                        null,
                        List.of(),
                        null,
                        at);
        return new Expression.ScalarQuery(new Query(select, List.of(), null, null, false, at), at);
    }

    @Override
    public Expression visitArray(SqlGrammar.ArrayContext tree) {
        return new Expression.Array(expressions.expressions(tree.expression()), position(tree));
    }

    static Expression call(Position at, String function, Expression... arguments) {
        return new Expression.Call(new Name(function, at), List.of(arguments), false, false, at);
    }

    private static Expression string(String text, Position at) {
        return new Literal(Literal.Kind.STRING, text, at);
    }

    @Override
    public Expression visitParenthesised(SqlGrammar.ParenthesisedContext tree) {
        List<Expression> values = expressions.expressions(tree.expression());
        if (tree.label() != null) {
            return field(tree, values);
        }
        return values.size() == 1 ? values.getFirst() : new Expression.Row(values, position(tree));
    }

    /// Of row values there are only those of `_pg_expandarray`, with the columns x and n.
    private static Expression field(SqlGrammar.ParenthesisedContext tree, List<Expression> values) {
        Position at = position(tree);
        String name = NameBuilder.name(tree.label()).text();
        if (values.size() > 1 || !name.equals("x") && !name.equals("n")) {
            throw Unsupported.error(
                    "columns of row values are not supported", position(tree.label()));
        }
        return call(at, "record_field", values.getFirst(), string(name, at));
    }

    @Override
    public Expression visitRow(SqlGrammar.RowContext tree) {
        return new Expression.Row(expressions.expressions(tree.expression()), position(tree));
    }

    @Override
    public Expression visitDefault(SqlGrammar.DefaultContext tree) {
        return new Expression.Default(position(tree));
    }

    @Override
    public Expression visit(org.antlr.v4.runtime.tree.ParseTree tree) {
        return Objects.requireNonNull(super.visit(tree));
    }
}
