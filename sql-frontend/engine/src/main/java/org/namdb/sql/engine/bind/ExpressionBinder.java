package org.namdb.sql.engine.bind;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.ParameterScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.aggregate.Aggregate;
import org.namdb.sql.engine.expression.aggregate.Aggregates;
import org.namdb.sql.engine.expression.aggregate.SortedPieceScalar;
import org.namdb.sql.engine.expression.array.ArrayFunctions;
import org.namdb.sql.engine.expression.array.ArrayScalar;
import org.namdb.sql.engine.expression.array.VectorFunctions;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.expression.function.Functions;
import org.namdb.sql.engine.expression.operator.Logic;
import org.namdb.sql.engine.expression.operator.Operators;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.ast.TypeName;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// Makes expressions that can be evaluated of those that were parsed: names become columns,
/// operators and functions are chosen by the types of their operands. Errors have the position of
/// the part that is wrong.
///
/// Expressions with subqueries must be planned before they are evaluated (`Planner.scalar` does
/// both); others are ready.
public final class ExpressionBinder {
    private final BindContext context;

    /// The clause that no aggregate may be in; null if they are allowed.
    private final @Nullable String clause;

    /// For expressions without aggregates.
    public ExpressionBinder(BindContext context) {
        this(context, "this expression");
    }

    ExpressionBinder(BindContext context, @Nullable String clause) {
        this.context = context;
        this.clause = clause;
    }

    /// Gives an expression its meaning.
    ///
    /// @throws SqlException with a position, if a name is not known or types don't go together
    public Scalar bind(Expression expression, Scope scope) {
        try {
            return bound(expression, scope);
        } catch (SqlException e) {
            throw e.at(expression.position());
        }
    }

    /// Gives a condition its meaning.
    ///
    /// @param where the clause, for the message
    /// @throws SqlException 42804 if it is not boolean
    public Scalar condition(Expression expression, Scope scope, String where) {
        Scalar bound = bind(expression, scope);
        try {
            return Casts.condition(bound, where);
        } catch (SqlException e) {
            throw e.at(expression.position());
        }
    }

    private Scalar bound(Expression expression, Scope scope) {
        return switch (expression) {
            case Expression.Literal literal -> Literals.of(literal);
            case Expression.TypedLiteral literal ->
                    cast(new ConstantScalar(literal.text(), SqlType.UNKNOWN), literal.type());
            case Expression.Parameter parameter -> parameter(parameter);
            case Expression.ColumnName column -> column(column, scope);
            case Expression.Unary unary -> unary(unary, scope);
            case Expression.Binary binary -> chain(binary, scope);
            case Expression.IsNull test -> isNull(test, scope);
            case Expression.IsTruth test ->
                    Logic.isTruth(
                            condition(test.operand(), scope, "IS TRUE"),
                            test.value(),
                            test.negated());
            case Expression.IsDistinct test -> isDistinct(test, scope);
            case Expression.Between test -> between(test, scope);
            case Expression.Like like -> like(like, scope);
            case Expression.InList in -> inList(in, scope);
            case Expression.InQuery in -> inQuery(in, scope);
            case Expression.Quantified test -> quantified(test, scope);
            case Expression.QuantifiedArray test -> quantified(test, scope);
            case Expression.Array array -> ArrayScalar.of(bindAll(array.values(), scope));
            case Expression.Subscript subscript -> subscript(subscript, scope);
            case Expression.Slice slice -> slice(slice, scope);
            case Expression.Exists exists -> exists(exists, scope);
            case Expression.ScalarQuery query -> scalarQuery(query, scope);
            case Expression.Row row ->
                    throw unsupported("a row value is not supported here", row.position());
            case Expression.Case choice -> choice(choice, scope);
            case Expression.Cast cast -> cast(cast, scope);
            case Expression.Extract extract ->
                    Functions.extract(extract.field(), bind(extract.operand(), scope));
            case Expression.Call call -> call(call, scope);
            case Expression.AggregateCall call -> aggregateCall(call, scope);
            case Expression.WindowCall window -> new WindowBinder(this, scope).bind(window, clause);
            case Expression.Default unused ->
                    throw new SqlException(
                            SqlState.SYNTAX_ERROR,
                            "DEFAULT is not allowed in this context",
                            unused.position());
        };
    }

    private Scalar cast(Expression.Cast cast, Scope scope) {
        if (cast.operand() instanceof Expression.Array array && cast.type().name().endsWith("[]")) {
            SqlType type = SystemFunctions.arrayType(cast.type());
            return ArrayScalar.cast(bindAll(array.values(), scope), type);
        }
        if (cast.type().name().equals("oid")
                && cast.operand() instanceof Expression.Cast inner
                && SystemFunctions.isRoutine(inner.type())) {
            return SystemFunctions.routineOid(bind(inner.operand(), scope), context);
        }
        return cast(bind(cast.operand(), scope), cast.type());
    }

    /// The system's catalog has arrays as texts.
    private Scalar quantified(Expression.QuantifiedArray test, Scope scope) {
        Scalar operand = bind(test.operand(), scope);
        Scalar array = bind(test.array(), scope);
        boolean isIn = test.operator().equals(test.isAll() ? "<>" : "=");
        if (array.type().isVector()) {
            array = ArrayRows.ofCatalog(array);
        } else if (isIn && array.type().isString()) {
            Scalar text = Casts.explicit(operand, SqlType.TEXT);
            Scalar contains = Functions.call("array_contains", List.of(array, text));
            return test.isAll() ? Logic.not(contains) : contains;
        }
        return Logic.quantified(test.operator(), operand, test.isAll(), array);
    }

    /// Of the system's catalog's arrays, those that functions give have names as elements, others
    /// have numbers.
    private Scalar subscript(Expression.Subscript subscript, Scope scope) {
        Scalar operand = bind(subscript.operand(), scope);
        Scalar index = bind(subscript.index(), scope);
        if (operand.type().isArray()) {
            return ArrayFunctions.subscript(operand, index);
        }
        if (operand.type().isVector()) {
            return VectorFunctions.subscript(operand, index);
        }
        if (!operand.type().isString()) {
            throw ArrayFunctions.notSubscripted(operand.type());
        }
        boolean isCall = subscript.operand() instanceof Expression.Call;
        return Functions.call(isCall ? "array_text" : "array_number", List.of(operand, index));
    }

    private Scalar slice(Expression.Slice slice, Scope scope) {
        Scalar operand = bind(slice.operand(), scope);
        if (!operand.type().isArray() && !operand.type().isVector()) {
            throw ArrayFunctions.notSubscripted(operand.type());
        }
        Scalar lower = slice.lower() == null ? null : bind(slice.lower(), scope);
        Scalar upper = slice.upper() == null ? null : bind(slice.upper(), scope);
        return operand.type().isVector()
                ? VectorFunctions.slice(operand, lower, upper)
                : ArrayFunctions.slice(operand, lower, upper);
    }

    private Scalar cast(Scalar operand, TypeName type) {
        Scalar system = SystemFunctions.cast(operand, type, context);
        return system == null ? Casts.explicit(operand, SqlType.named(type)) : system;
    }

    private Scalar parameter(Expression.Parameter parameter) {
        Scalar variable = context.variables().parameter(parameter);
        return variable == null
                ? new ParameterScalar(parameter.index(), context.parameters())
                : variable;
    }

    private Scalar column(Expression.ColumnName name, Scope scope) {
        Scalar variable = context.variables().find(name.qualifier(), name.column());
        if (variable != null) {
            return Variables.chosen(variable, name, scope, context);
        }
        Scalar column = scope.resolve(name.qualifier(), name.column());
        context.noteColumn(column, name.position());
        return column;
    }

    private Scalar unary(Expression.Unary unary, Scope scope) {
        if (unary.operator().equals("not")) {
            return Logic.not(condition(unary.operand(), scope, "NOT"));
        }
        if (unary.operator().equals("-")
                && unary.operand() instanceof Expression.Literal literal
                && literal.kind() == Expression.Literal.Kind.INTEGER) {
            return Literals.negated(literal);
        }
        if (unary.operator().equals("-")
                && unary.operand() instanceof Expression.Unary inner
                && inner.operator().equals("-")
                && inner.operand() instanceof Expression.Literal literal
                && literal.kind() == Expression.Literal.Kind.INTEGER) {
            return Literals.of(literal); // -(-2147483648) is a bigint
        }
        return Functions.unary(unary.operator(), bind(unary.operand(), scope));
    }

    private Scalar between(Expression.Between test, Scope scope) {
        if (test.operand() instanceof Expression.Row row) {
            List<Scalar> values = bindAll(row.values(), scope);
            return RowComparison.between(
                    values,
                    row(test.low(), values.size(), scope),
                    row(test.high(), values.size(), scope),
                    test);
        }
        Scalar operand = bind(test.operand(), scope);
        Scalar low = bind(test.low(), scope);
        Scalar high = bind(test.high(), scope);
        if (!test.isSymmetric()) {
            return Logic.between(operand, low, high, test.negated());
        }
        List<Scalar> either =
                List.of(
                        Logic.between(operand, low, high, test.negated()),
                        Logic.between(operand, high, low, test.negated()));
        return test.negated() ? Conditions.and(either) : Conditions.or(either);
    }

    /// A chain of operators, as `a + b + c`, without recursion to the left: chains may be long.
    private Scalar chain(Expression.Binary last, Scope scope) {
        if (last.operator().equals("and") || last.operator().equals("or")) {
            return junction(last, scope);
        }
        Deque<Expression.Binary> chain = new ArrayDeque<>();
        Expression first = last;
        while (first instanceof Expression.Binary binary && !isLogic(binary.operator())) {
            chain.push(binary);
            first = binary.left();
        }
        if (first instanceof Expression.Row) {
            return rowComparison(chain.pop(), scope);
        }
        Scalar value = bind(first, scope);
        while (!chain.isEmpty()) {
            Expression.Binary next = chain.pop();
            Scalar right = bind(next.right(), scope);
            try {
                value =
                        switch (next.operator()) {
                            case "~", "~*", "!~", "!~*" ->
                                    Functions.matches(next.operator(), value, right);
                            default -> Operators.binary(next.operator(), value, right);
                        };
            } catch (SqlException e) {
                throw e.at(next.position());
            }
        }
        return value;
    }

    private static boolean isLogic(String operator) {
        return operator.equals("and") || operator.equals("or");
    }

    /// A chain of AND or OR, as a balanced tree: chains may be long.
    private Scalar junction(Expression.Binary last, Scope scope) {
        String operator = last.operator();
        Deque<Expression> terms = new ArrayDeque<>();
        Expression first = last;
        while (first instanceof Expression.Binary binary && binary.operator().equals(operator)) {
            terms.push(binary.right());
            first = binary.left();
        }
        terms.push(first);
        String clauseName = operator.toUpperCase(java.util.Locale.ROOT);
        List<Scalar> bound = new ArrayList<>();
        for (Expression term : terms) {
            bound.add(condition(term, scope, clauseName));
        }
        return operator.equals("and") ? Conditions.and(bound) : Conditions.or(bound);
    }

    /// `(a, b) = (1, 2)`: written out column by column.
    private Scalar rowComparison(Expression.Binary binary, Scope scope) {
        if (!(binary.left() instanceof Expression.Row left)) {
            throw noRow(binary.position());
        }
        List<Scalar> values = bindAll(left.values(), scope);
        return RowComparison.of(
                binary.operator(),
                values,
                row(binary.right(), values.size(), scope),
                binary.position());
    }

    /// The values of a row, or of the only row of a query.
    private List<Scalar> row(Expression expression, int width, Scope scope) {
        if (expression instanceof Expression.ScalarQuery query) {
            BoundSubquery row = rowQuery(query, scope);
            requireWidth(row.relation().fields().size(), width, query.position());
            return SubqueryColumn.of(row, row.relation().fields());
        }
        if (expression instanceof Expression.Row row) {
            return bindAll(row.values(), scope);
        }
        throw noRow(expression.position());
    }

    private static SqlException noRow(Position position) {
        return unsupported("a row can only be compared with a row", position);
    }

    /// A query whose only row is taken as a whole.
    public BoundSubquery rowQuery(Expression.ScalarQuery query, Scope scope) {
        Arguments arguments = new Arguments(scope, clause);
        Relation relation = new QueryBinder(context, arguments).bind(query.query());
        return new BoundSubquery(
                Subquery.Form.ROW, SqlType.UNKNOWN, relation, List.of(), arguments.values());
    }

    private static void requireWidth(int found, int wanted, Position position) {
        if (found != wanted) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "subquery has too " + (found > wanted ? "many" : "few") + " columns",
                    position);
        }
    }

    private Scalar isDistinct(Expression.IsDistinct test, Scope scope) {
        if (test.left() instanceof Expression.Row left) {
            List<Scalar> values = bindAll(left.values(), scope);
            List<Scalar> others = row(test.right(), values.size(), scope);
            return RowComparison.isDistinct(values, others, test.negated(), test.position());
        }
        return Logic.isDistinct(
                bind(test.left(), scope), bind(test.right(), scope), test.negated());
    }

    private Scalar isNull(Expression.IsNull test, Scope scope) {
        if (test.operand() instanceof Expression.Row row) {
            return Conditions.and(
                    bindAll(row.values(), scope).stream()
                            .map(value -> Logic.isNull(value, test.negated()))
                            .toList());
        }
        return Logic.isNull(bind(test.operand(), scope), test.negated());
    }

    private Scalar like(Expression.Like like, Scope scope) {
        Expression escape = like.escape();
        return Logic.like(
                bind(like.operand(), scope),
                bind(like.pattern(), scope),
                escape == null ? null : bind(escape, scope),
                like.negated(),
                like.ignoresCase());
    }

    private Scalar inList(Expression.InList in, Scope scope) {
        if (!(in.operand() instanceof Expression.Row row)) {
            List<Scalar> values = in.values().stream().map(v -> bind(v, scope)).toList();
            return Logic.inList(bind(in.operand(), scope), values, in.negated());
        }
        List<Scalar> operands = bindAll(row.values(), scope);
        List<Scalar> terms = new ArrayList<>();
        for (Expression value : in.values()) {
            List<Scalar> candidate = row(value, operands.size(), scope);
            terms.add(RowComparison.of("=", operands, candidate, value.position()));
        }
        Scalar any = Conditions.or(terms);
        return in.negated() ? Logic.not(any) : any;
    }

    private Scalar inQuery(Expression.InQuery in, Scope scope) {
        List<Scalar> tests =
                in.operand() instanceof Expression.Row row
                        ? bindAll(row.values(), scope)
                        : List.of(bind(in.operand(), scope));
        Arguments arguments = new Arguments(scope, clause);
        Relation relation = new QueryBinder(context, arguments).bind(in.query());
        requireWidth(relation.fields().size(), tests.size(), in.position());
        List<SqlType> types = new ArrayList<>();
        for (int i = 0; i < tests.size(); i++) {
            Scalar field = relation.fields().get(i).scalar();
            types.add(Operators.equalAs(tests.get(i), field));
        }
        List<Scalar> aligned = new ArrayList<>();
        for (int i = 0; i < tests.size(); i++) {
            aligned.add(Casts.implicit(tests.get(i), types.get(i)));
        }
        Scalar found =
                new BoundSubquery(
                        Subquery.Form.IN,
                        SqlType.BOOLEAN,
                        Align.to(types, relation, context),
                        aligned,
                        arguments.values());
        return in.negated() ? Logic.not(found) : found;
    }

    /// What is compared belongs to this query, with its aggregates, and the subquery takes it as it
    /// takes columns. A value that takes its type from the comparison must stand in it.
    private Scalar quantified(Expression.Quantified test, Scope scope) {
        if (!(test.operand() instanceof Expression.Row)) {
            Scalar operand = bind(test.operand(), scope);
            boolean isValue =
                    operand instanceof ConstantScalar || operand instanceof ParameterScalar;
            if (!isValue && !operand.type().isUnknown()) {
                String name = Quantifiers.OPERAND;
                return scalarQuery(
                        Quantifiers.query(test, Quantifiers.operand(test.position())),
                        scope.with(name, name, operand));
            }
        }
        return scalarQuery(Quantifiers.query(test, test.operand()), scope);
    }

    private Scalar exists(Expression.Exists exists, Scope scope) {
        Arguments arguments = new Arguments(scope, clause);
        Relation relation = new QueryBinder(context, arguments).bind(withColumn(exists.query()));
        return new BoundSubquery(
                Subquery.Form.EXISTS, SqlType.BOOLEAN, relation, List.of(), arguments.values());
    }

    /// `SELECT FROM t`, which returns rows alone, as `SELECT 1 FROM t`.
    private static Query withColumn(Query query) {
        if (!(query.body() instanceof Query.Select select) || !select.items().isEmpty()) {
            return query;
        }
        Position at = select.position();
        Expression one = new Expression.Literal(Expression.Literal.Kind.INTEGER, "1", at);
        Query.Select some = select.withItems(List.of(new Query.Value(one, null, at)));
        return query.withBody(some);
    }

    private Scalar scalarQuery(Expression.ScalarQuery query, Scope scope) {
        Arguments arguments = new Arguments(scope, clause);
        Relation relation = new QueryBinder(context, arguments).bind(query.query());
        if (relation.fields().size() != 1) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "subquery must return only one column",
                    query.position());
        }
        return new BoundSubquery(
                Subquery.Form.VALUE,
                relation.fields().getFirst().type(),
                relation,
                List.of(),
                arguments.values());
    }

    private Scalar choice(Expression.Case choice, Scope scope) {
        Expression operand = choice.operand();
        Scalar compared = operand == null ? null : bind(operand, scope);
        List<Scalar> conditions = new ArrayList<>();
        List<Scalar> results = new ArrayList<>();
        for (Expression.Case.When when : choice.whens()) {
            if (compared == null) {
                conditions.add(condition(when.condition(), scope, "CASE/WHEN"));
            } else {
                Scalar value = bind(when.condition(), scope);
                conditions.add(Operators.binary("=", compared, value));
            }
            results.add(bind(when.result(), scope));
        }
        SetScalar.refuseIn(results, "CASE");
        Expression otherwise = choice.otherwise();
        return Logic.caseWhen(
                conditions, results, otherwise == null ? null : bind(otherwise, scope));
    }

    private Scalar call(Expression.Call call, Scope scope) {
        Name function = call.function();
        if (!Aggregates.isAggregate(function.text())) {
            if (call.isStar() || call.isDistinct()) {
                throw new SqlException(
                        SqlState.WRONG_OBJECT_TYPE,
                        (call.isStar() ? "(*)" : "DISTINCT")
                                + " specified, but "
                                + function.text()
                                + " is not an aggregate function",
                        call.position());
            }
            if (WindowBinder.isWindowFunction(function.text())) {
                throw new SqlException(
                        SqlState.WRONG_OBJECT_TYPE,
                        "window function " + function.text() + " requires an OVER clause");
            }
            List<Scalar> arguments = bindAll(SystemFunctions.arguments(call, context), scope);
            if (function.text().equals("coalesce")) {
                SetScalar.refuseIn(arguments, "COALESCE");
            }
            if (function.text().equals("grouping")) {
                return grouping(arguments);
            }
            SetScalar set = SetScalar.of(function.text(), arguments);
            if (set != null) {
                if (clause != null && !clause.equals("GROUP BY")) {
                    SetScalar.refuseIn(List.of(set), clause);
                }
                SetScalar.refuseIn(set.operands(), "the arguments of others");
                return set;
            }
            return RoutineScalar.orBuiltin(function, arguments, context);
        }
        return aggregate(call, List.of(), null, scope);
    }

    private Scalar grouping(List<Scalar> arguments) {
        if (clause != null) {
            throw new SqlException(
                    SqlState.GROUPING_ERROR, "grouping operations are not allowed in " + clause);
        }
        return new GroupingScalar(arguments);
    }

    private Scalar aggregateCall(Expression.AggregateCall aggregate, Scope scope) {
        Expression.Call call = aggregate.call();
        if (!Aggregates.isAggregate(call.function().text())) {
            throw new SqlException(
                    SqlState.WRONG_OBJECT_TYPE,
                    (aggregate.filter() == null ? "ORDER BY" : "FILTER")
                            + " specified, but "
                            + call.function().text()
                            + " is not an aggregate function",
                    call.position());
        }
        return aggregate(call, aggregate.orderBy(), aggregate.filter(), scope);
    }

    private Scalar aggregate(
            Expression.Call call,
            List<Query.SortKey> orderBy,
            @Nullable Expression filter,
            Scope scope) {
        AggregateHome home = new AggregateHome(context, scope.arguments(), clause);
        List<Scalar> arguments = bindAll(call.arguments(), scope);
        Aggregate aggregate =
                Aggregates.resolve(
                        call.function().text(), arguments, call.isStar(), call.isDistinct());
        if (!orderBy.isEmpty()) {
            aggregate = ordered(aggregate, arguments, orderBy, scope);
        }
        if (filter != null) {
            aggregate = aggregate.where(condition(filter, scope, "FILTER"));
        }
        if (WindowBinder.hasWindow(aggregate.argument())) {
            throw new SqlException(
                    SqlState.GROUPING_ERROR,
                    "aggregate function calls cannot contain window function calls");
        }
        SetScalar.refuseIn(List.of(aggregate.argument()), "aggregate functions");
        return home.place(new AggregateScalar(aggregate), call.position());
    }

    private Aggregate ordered(
            Aggregate aggregate, List<Scalar> arguments, List<Query.SortKey> orderBy, Scope scope) {
        List<SortedPieceScalar.Key> keys = new ArrayList<>();
        for (Query.SortKey key : orderBy) {
            Scalar value = bind(key.expression(), scope);
            if (aggregate.isDistinct() && !arguments.contains(value)) {
                throw new SqlException(
                        SqlState.INVALID_COLUMN_REFERENCE,
                        "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list",
                        key.position());
            }
            Relation.Ordering order = Ordinals.ordering(value, key);
            keys.add(
                    new SortedPieceScalar.Key(
                            order.value(), order.isDescending(), order.nullsFirst()));
        }
        return aggregate.ordered(keys);
    }

    private List<Scalar> bindAll(List<Expression> expressions, Scope scope) {
        return expressions.stream().map(expression -> bind(expression, scope)).toList();
    }

    private static SqlException unsupported(String message, Position position) {
        return new SqlException(SqlState.FEATURE_NOT_SUPPORTED, message, position);
    }
}
