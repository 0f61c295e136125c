package org.namdb.sql.language.parser;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.ast.TypeName;
import org.namdb.sql.language.ast.WindowFrame;

/// Writes expressions as SQL, with the parentheses that they need and no others.
final class ExpressionWriter {
    // How tight operators are, as in the grammar.
    private static final int OR = 1;
    private static final int AND = 2;
    private static final int NOT = 3;
    private static final int IS = 4;
    private static final int COMPARISON = 5;
    private static final int LIKE = 6;
    private static final int CONCAT = 7;
    private static final int PLUS = 8;
    private static final int TIMES = 9;
    private static final int POWER = 10;
    private static final int SIGN = 11;
    private static final int PRIMARY = 12;

    /// Calls that are written without parentheses.
    private static final Set<String> WORDS =
            Set.of(
                    "current_date",
                    "current_time",
                    "current_timestamp",
                    "localtime",
                    "localtimestamp",
                    "current_user",
                    "session_user",
                    "user",
                    "current_role",
                    "current_catalog",
                    "current_schema");

    private static final Set<String> TYPES_OF_TWO_WORDS =
            Set.of("double precision", "character varying", "char varying");

    private final StringBuilder text;
    private final QueryWriter queries;

    ExpressionWriter(StringBuilder text) {
        this.text = text;
        this.queries = new QueryWriter(text, this);
    }

    QueryWriter queries() {
        return queries;
    }

    void write(Expression expression) {
        write(expression, OR);
    }

    /// In parentheses, unless it is a literal, a name, a call, or such.
    void writePrimary(Expression expression) {
        write(expression, PRIMARY);
    }

    /// In parentheses if it is looser than what it stands in.
    private void write(Expression expression, int tightness) {
        boolean isInParentheses = tightness(expression) < tightness;
        if (isInParentheses) {
            text.append('(');
        }
        writeBare(expression);
        if (isInParentheses) {
            text.append(')');
        }
    }

    void list(List<Expression> expressions) {
        String separator = "";
        for (Expression expression : expressions) {
            text.append(separator);
            write(expression);
            separator = ", ";
        }
    }

    private static int tightness(Expression expression) {
        return switch (expression) {
            case Expression.Binary b -> tightness(b.operator());
            case Expression.Unary u ->
                    switch (u.operator()) {
                        case "not" -> NOT;
                        case "-", "+" -> SIGN;
                        default -> CONCAT;
                    };
            case Expression.IsNull i -> IS;
            case Expression.IsTruth i -> IS;
            case Expression.IsDistinct i -> IS;
            case Expression.Between b -> LIKE;
            case Expression.Like l -> LIKE;
            case Expression.InList i -> LIKE;
            case Expression.InQuery i -> LIKE;
            case Expression.Quantified q -> quantified(q.operator());
            case Expression.QuantifiedArray q -> quantified(q.operator());
            case Expression.Array a -> PRIMARY;
            case Expression.Subscript s -> PRIMARY;
            case Expression.Slice s -> PRIMARY;
            case Expression.Literal l -> PRIMARY;
            case Expression.TypedLiteral l -> PRIMARY;
            case Expression.Parameter p -> PRIMARY;
            case Expression.ColumnName c -> PRIMARY;
            case Expression.Exists e -> PRIMARY;
            case Expression.ScalarQuery q -> PRIMARY;
            case Expression.Row r -> PRIMARY;
            case Expression.Case c -> PRIMARY;
            case Expression.Cast c -> PRIMARY;
            case Expression.Extract e -> PRIMARY;
            case Expression.Call c -> PRIMARY;
            case Expression.AggregateCall c -> PRIMARY;
            case Expression.WindowCall c -> PRIMARY;
            case Expression.Default d -> PRIMARY;
        };
    }

    private static int tightness(String operator) {
        return switch (operator) {
            case "or" -> OR;
            case "and" -> AND;
            case "||", "~", "~*", "!~", "!~*", "&", "|", "#", "<<", ">>", "&&", "@>", "<@" ->
                    CONCAT;
            case "+", "-" -> PLUS;
            case "*", "/", "%" -> TIMES;
            case "^" -> POWER;
            default -> COMPARISON;
        };
    }

    private void writeBare(Expression expression) {
        switch (expression) {
            case Expression.Binary b -> binary(b);
            case Expression.Unary u -> unary(u);
            case Expression.IsNull i -> is(i.operand(), i.negated(), "NULL");
            case Expression.IsTruth i ->
                    is(
                            i.operand(),
                            i.negated(),
                            i.value() == null ? "UNKNOWN" : i.value() ? "TRUE" : "FALSE");
            case Expression.IsDistinct i -> {
                is(i.left(), i.negated(), "DISTINCT FROM ");
                write(i.right(), COMPARISON);
            }
            case Expression.Between b -> between(b);
            case Expression.Like l -> like(l);
            case Expression.InList i -> {
                in(i.operand(), i.negated());
                list(i.values());
                text.append(')');
            }
            case Expression.InQuery i -> {
                in(i.operand(), i.negated());
                queries.write(i.query());
                text.append(')');
            }
            case Expression.Quantified q -> {
                quantifier(q.operand(), q.operator(), q.isAll());
                queries.writeInParentheses(q.query());
            }
            case Expression.QuantifiedArray q -> {
                quantifier(q.operand(), q.operator(), q.isAll());
                text.append('(');
                write(q.array());
                text.append(')');
            }
            case Expression.Array a -> {
                text.append("ARRAY[");
                list(a.values());
                text.append(']');
            }
            case Expression.Subscript s -> {
                text.append('(');
                write(s.operand());
                text.append(")[");
                write(s.index());
                text.append(']');
            }
            case Expression.Slice s -> {
                text.append('(');
                write(s.operand());
                text.append(")[");
                if (s.lower() != null) {
                    write(s.lower());
                }
                text.append(" : "); // apart from what might be a cast
                if (s.upper() != null) {
                    write(s.upper());
                }
                text.append(']');
            }
            case Expression.Literal l -> literal(l);
            case Expression.TypedLiteral l -> {
                type(l.type());
                text.append(' ');
                string(l.text());
            }
            case Expression.Parameter p -> text.append('$').append(p.index() + 1);
            case Expression.ColumnName c -> {
                if (c.qualifier() != null) {
                    text.append(Keywords.quoted(c.qualifier().text())).append('.');
                }
                text.append(Keywords.quoted(c.column().text()));
            }
            case Expression.Exists e -> {
                text.append("EXISTS ");
                queries.writeInParentheses(e.query());
            }
            case Expression.ScalarQuery q -> queries.writeInParentheses(q.query());
            case Expression.Row r -> {
                text.append(r.values().size() < 2 ? "ROW(" : "(");
                list(r.values());
                text.append(')');
            }
            case Expression.Case c -> writeCase(c);
            case Expression.Cast c -> {
                text.append("CAST(");
                write(c.operand());
                text.append(" AS ");
                type(c.type());
                text.append(')');
            }
            case Expression.Extract e -> {
                text.append("EXTRACT(").append(Keywords.quoted(e.field())).append(" FROM ");
                write(e.operand());
                text.append(')');
            }
            case Expression.Call c -> call(c);
            case Expression.AggregateCall c -> aggregateCall(c);
            case Expression.WindowCall c -> windowCall(c);
            case Expression.Default d -> text.append("DEFAULT");
        }
    }

    /// Chains are deep on the left, so that side is walked in a loop: down with the opening
    /// parentheses, and up again with the right operands.
    private void binary(Expression.Binary outermost) {
        Deque<Expression.Binary> chain = new ArrayDeque<>();
        Deque<Boolean> parentheses = new ArrayDeque<>();
        Expression innermost = outermost;
        while (innermost instanceof Expression.Binary link) {
            boolean isInParentheses =
                    tightness(link.left()) < leftTightness(tightness(link.operator()));
            if (isInParentheses) {
                text.append('(');
            }
            chain.push(link);
            parentheses.push(isInParentheses);
            innermost = link.left();
        }
        writeBare(innermost);
        Iterator<Boolean> closing = parentheses.iterator();
        for (Expression.Binary link : chain) {
            if (closing.next()) {
                text.append(')');
            }
            text.append(' ').append(link.operator().toUpperCase(Locale.ROOT)).append(' ');
            write(link.right(), tightness(link.operator()) + 1);
        }
    }

    /// Comparisons don't chain.
    private static int leftTightness(int operator) {
        return operator == COMPARISON ? COMPARISON + 1 : operator;
    }

    private void unary(Expression.Unary unary) {
        if (unary.operator().equals("not")) {
            text.append("NOT ");
            write(unary.operand(), NOT);
        } else if (tightness(unary) == CONCAT) {
            text.append(unary.operator()).append(' ');
            write(unary.operand(), PLUS);
        } else {
            // Two signs in a row would begin a comment.
            text.append(unary.operator());
            write(unary.operand(), SIGN + 1);
        }
    }

    private void is(Expression operand, boolean negated, String what) {
        write(operand, COMPARISON);
        text.append(negated ? " IS NOT " : " IS ").append(what);
    }

    private void in(Expression operand, boolean negated) {
        write(operand, CONCAT);
        text.append(negated ? " NOT IN (" : " IN (");
    }

    private void between(Expression.Between between) {
        write(between.operand(), CONCAT);
        text.append(between.negated() ? " NOT BETWEEN " : " BETWEEN ");
        text.append(between.isSymmetric() ? "SYMMETRIC " : "");
        write(between.low(), CONCAT);
        text.append(" AND ");
        write(between.high(), CONCAT);
    }

    private void windowCall(Expression.WindowCall window) {
        call(window.call());
        if (window.filter() != null) {
            text.append(" FILTER (WHERE ");
            write(window.filter());
            text.append(')');
        }
        text.append(" OVER (");
        String separator = "PARTITION BY ";
        for (Expression key : window.partition()) {
            text.append(separator);
            write(key);
            separator = ", ";
        }
        separator = window.partition().isEmpty() ? "ORDER BY " : " ORDER BY ";
        for (Query.SortKey key : window.orderBy()) {
            text.append(separator);
            queries.sortKey(key);
            separator = ", ";
        }
        WindowFrame frame = window.frame();
        if (frame != null) {
            boolean isFirst = window.partition().isEmpty() && window.orderBy().isEmpty();
            text.append(isFirst ? "" : " ").append(frame.unit()).append(" BETWEEN ");
            bound(frame.start());
            text.append(" AND ");
            bound(frame.end());
            if (frame.exclusion() != WindowFrame.Exclusion.NO_OTHERS) {
                text.append(" EXCLUDE ").append(frame.exclusion().text());
            }
        }
        text.append(')');
    }

    private void bound(WindowFrame.Bound bound) {
        if (bound.offset() != null) {
            write(bound.offset(), CONCAT);
            text.append(' ');
        }
        text.append(bound.kind().text());
    }

    private void aggregateCall(Expression.AggregateCall aggregate) {
        call(aggregate.call());
        if (!aggregate.orderBy().isEmpty()) {
            text.setLength(text.length() - 1);
            text.append(" ORDER BY ");
            String separator = "";
            for (Query.SortKey key : aggregate.orderBy()) {
                text.append(separator);
                queries.sortKey(key);
                separator = ", ";
            }
            text.append(')');
        }
        if (aggregate.filter() != null) {
            text.append(" FILTER (WHERE ");
            write(aggregate.filter());
            text.append(')');
        }
    }

    private static int quantified(String operator) {
        return switch (operator) {
            case "~~", "!~~", "~~*", "!~~*" -> LIKE;
            case "~", "!~", "~*", "!~*" -> CONCAT;
            default -> COMPARISON;
        };
    }

    private void quantifier(Expression operand, String operator, boolean isAll) {
        int tightness = quantified(operator);
        write(operand, tightness == CONCAT ? CONCAT : tightness + 1);
        String word =
                switch (operator) {
                    case "~~" -> "LIKE";
                    case "!~~" -> "NOT LIKE";
                    case "~~*" -> "ILIKE";
                    case "!~~*" -> "NOT ILIKE";
                    default -> operator;
                };
        text.append(' ').append(word).append(isAll ? " ALL " : " ANY ");
    }

    private void like(Expression.Like like) {
        write(like.operand(), CONCAT);
        text.append(like.negated() ? " NOT" : "").append(like.ignoresCase() ? " ILIKE " : " LIKE ");
        write(like.pattern(), CONCAT);
        if (like.escape() != null) {
            text.append(" ESCAPE ");
            write(like.escape(), CONCAT);
        }
    }

    private void literal(Expression.Literal literal) {
        switch (literal.kind()) {
            case NULL -> text.append("NULL");
            case BOOLEAN, INTEGER, DECIMAL, FLOAT -> text.append(literal.text());
            case STRING -> string(literal.text());
        }
    }

    /// A string literal.
    void string(String value) {
        text.append('\'').append(value.replace("'", "''")).append('\'');
    }

    void type(TypeName type) {
        boolean isArray = type.name().endsWith("[]");
        String name = isArray ? type.name().substring(0, type.name().length() - 2) : type.name();
        text.append(
                TYPES_OF_TWO_WORDS.contains(name) || name.equals("interval")
                        ? name
                        : Keywords.quoted(name));
        writeArguments(type);
        text.append(isArray ? "[]" : "");
    }

    private void writeArguments(TypeName type) {
        if (type.arguments().isEmpty()) {
            return;
        }
        String separator = "(";
        for (int argument : type.arguments()) {
            text.append(separator).append(argument);
            if (separator.equals("(") && type.inBytes()) {
                text.append(" BYTES");
            }
            separator = ", ";
        }
        text.append(')');
    }

    private void writeCase(Expression.Case expression) {
        text.append("CASE");
        if (expression.operand() != null) {
            text.append(' ');
            write(expression.operand());
        }
        for (Expression.Case.When when : expression.whens()) {
            text.append(" WHEN ");
            write(when.condition());
            text.append(" THEN ");
            write(when.result());
        }
        if (expression.otherwise() != null) {
            text.append(" ELSE ");
            write(expression.otherwise());
        }
        text.append(" END");
    }

    /// In quotes a function that has a syntax of its own takes its arguments as others do.
    void functionName(String function) {
        text.append(
                Keywords.all().contains(function)
                        ? '"' + function + '"'
                        : Keywords.quoted(function));
    }

    private void call(Expression.Call call) {
        String function = call.function().text();
        if (WORDS.contains(function) && call.arguments().isEmpty() && !call.isStar()) {
            text.append(function.toUpperCase(Locale.ROOT));
            return;
        }
        functionName(function);
        text.append('(');
        if (call.isStar()) {
            text.append('*');
        }
        if (call.isDistinct()) {
            text.append("DISTINCT ");
        }
        list(call.arguments());
        text.append(')');
    }
}
