package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Expression.Literal;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.TypeName;
import org.namdb.sql.language.ast.WindowFrame;

/// Random expressions, of every kind that a text can be read as.
final class RandomExpressions {
    private static final Position NONE = Position.NONE;
    private static final List<String> NAMES =
            List.of(
                    "a",
                    "b",
                    "t",
                    "Upper",
                    "two words",
                    "user",
                    "key",
                    "position",
                    "set",
                    "date",
                    "ü",
                    "x\"y");
    private static final List<String> OPERATORS =
            List.of(
                    "+", "-", "*", "/", "%", "^", "||", "=", "<>", "<", "<=", ">", ">=", "and",
                    "or");
    private static final List<String> FUNCTIONS =
            List.of(
                    "count",
                    "substring",
                    "position",
                    "left",
                    "btrim",
                    "current_date",
                    "Odd",
                    "first");
    private static final List<String> TYPES =
            List.of("int", "double precision", "character varying", "interval", "Odd", "timestamp");

    final Random random;
    private final RandomQueries queries;

    RandomExpressions(Random random) {
        this.random = random;
        this.queries = new RandomQueries(this);
    }

    RandomQueries queries() {
        return queries;
    }

    Name name() {
        return new Name(one(NAMES), NONE);
    }

    @Nullable Name maybeName() {
        return random.nextBoolean() ? name() : null;
    }

    <T> T one(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    /// At least some, at most two more.
    <T> List<T> list(int least, Supplier<T> element) {
        List<T> elements = new ArrayList<>();
        int size = least + random.nextInt(3);
        while (elements.size() < size) {
            elements.add(element.get());
        }
        return elements;
    }

    boolean flip() {
        return random.nextBoolean();
    }

    TypeName type() {
        String name = one(TYPES);
        List<Integer> arguments =
                name.equals("interval") ? List.of() : list(0, () -> random.nextInt(99) - 9);
        boolean inBytes = !arguments.isEmpty() && flip();
        return new TypeName(flip() ? name : name + "[]", arguments, inBytes, NONE);
    }

    @Nullable Expression maybe(int depth) {
        return flip() ? expression(depth) : null;
    }

    /// @param depth how deep it may be at most
    Expression expression(int depth) {
        if (depth <= 0) {
            return leaf();
        }
        int d = depth - 1;
        return switch (random.nextInt(20)) {
            case 0, 1, 2, 3 ->
                    new Expression.Binary(one(OPERATORS), expression(d), expression(d), NONE);
            case 4, 5 -> new Expression.Unary(one(List.of("-", "+", "not")), expression(d), NONE);
            case 6 -> new Expression.IsNull(expression(d), flip(), NONE);
            case 7 ->
                    new Expression.IsTruth(
                            expression(d), flip() ? null : Boolean.valueOf(flip()), flip(), NONE);
            case 8 -> new Expression.IsDistinct(expression(d), expression(d), flip(), NONE);
            case 9 ->
                    new Expression.Between(
                            expression(d), expression(d), expression(d), flip(), NONE);
            case 10 ->
                    new Expression.Like(
                            expression(d), expression(d), maybe(d), flip(), flip(), NONE);
            case 11 -> in(d);
            case 12 -> new Expression.Exists(queries.query(d), NONE);
            case 13 -> new Expression.ScalarQuery(queries.query(d), NONE);
            case 14 -> new Expression.Row(list(1, () -> expression(d)), NONE);
            case 15 ->
                    new Expression.Case(
                            maybe(d),
                            list(1, () -> new Expression.Case.When(expression(d), expression(d))),
                            maybe(d),
                            NONE);
            case 16 -> new Expression.Cast(expression(d), type(), NONE);
            case 17 ->
                    new Expression.Extract(
                            one(List.of("year", "epoch", "day")), expression(d), NONE);
            case 18 -> array(d);
            default -> flip() ? call(d) : windowCall(d);
        };
    }

    private Expression array(int depth) {
        Expression.Array array = new Expression.Array(list(0, () -> expression(depth)), NONE);
        return switch (random.nextInt(4)) {
            case 0 -> array;
            case 1 -> new Expression.Subscript(expression(depth), expression(depth), NONE);
            case 2 ->
                    new Expression.Slice(
                            expression(depth),
                            flip() ? expression(depth) : null,
                            flip() ? expression(depth) : null,
                            NONE);
            default ->
                    new Expression.QuantifiedArray(
                            one(List.of("=", "<>", "<", ">=")),
                            expression(depth),
                            flip(),
                            array,
                            NONE);
        };
    }

    private Expression in(int depth) {
        Expression operand = expression(depth);
        return flip()
                ? new Expression.InQuery(operand, queries.query(depth), flip(), NONE)
                // One query in parentheses would be the query of IN itself.
                : new Expression.InList(operand, list(2, () -> expression(depth)), flip(), NONE);
    }

    private Expression windowCall(int depth) {
        WindowFrame.Unit unit = one(List.of(WindowFrame.Unit.values()));
        Expression.Call call = call(depth); // CURRENT_DATE has no window
        return new Expression.WindowCall(
                new Expression.Call(
                        new Name("rank", NONE),
                        call.arguments(),
                        call.isStar(),
                        call.isDistinct(),
                        NONE),
                maybe(depth),
                list(0, () -> expression(depth)),
                list(0, () -> queries.sortKey(depth)),
                flip()
                        ? null
                        : new WindowFrame(
                                unit,
                                bound(depth),
                                bound(depth),
                                one(List.of(WindowFrame.Exclusion.values())),
                                NONE),
                NONE);
    }

    private WindowFrame.Bound bound(int depth) {
        WindowFrame.Kind kind = one(List.of(WindowFrame.Kind.values()));
        boolean hasOffset =
                kind == WindowFrame.Kind.PRECEDING || kind == WindowFrame.Kind.FOLLOWING;
        return new WindowFrame.Bound(kind, hasOffset ? expression(depth) : null);
    }

    private Expression.Call call(int depth) {
        Name function = new Name(one(FUNCTIONS), NONE);
        if (random.nextInt(5) == 0) {
            return new Expression.Call(function, List.of(), true, false, NONE);
        }
        List<Expression> arguments = list(0, () -> expression(depth));
        boolean isDistinct = !arguments.isEmpty() && flip();
        return new Expression.Call(function, arguments, false, isDistinct, NONE);
    }

    private Expression leaf() {
        return switch (random.nextInt(9)) {
            case 0 -> new Literal(Literal.Kind.NULL, "", NONE);
            case 1 -> new Literal(Literal.Kind.BOOLEAN, flip() ? "TRUE" : "FALSE", NONE);
            case 2 -> new Literal(Literal.Kind.INTEGER, "" + random.nextInt(1000), NONE);
            case 3 -> new Literal(Literal.Kind.DECIMAL, one(List.of("1.5", "1.", ".5")), NONE);
            case 4 -> new Literal(Literal.Kind.FLOAT, one(List.of("1e5", ".5E-3")), NONE);
            case 5 -> new Literal(Literal.Kind.STRING, string(), NONE);
            case 6 ->
                    new Expression.TypedLiteral(
                            new TypeName(
                                    one(List.of("date", "interval", "double precision", "x")),
                                    List.of(),
                                    false,
                                    NONE),
                            string(),
                            NONE);
            case 7 -> new Expression.Parameter(random.nextInt(9), NONE);
            default -> new Expression.ColumnName(maybeName(), name(), NONE);
        };
    }

    String string() {
        return one(List.of("", "it's", "a\\n", "--", "/*", ";", "'", "$$", "é😀", "a\nb"));
    }
}
