package org.namdb.sql.engine.ddl;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.namdb.sql.engine.sequence.SessionSequences;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.Keywords;

/// Which columns, and which sequences, an expression of a constraint or a default names.
final class ExpressionColumns {
    private static final Set<String> SEQUENCE_FUNCTIONS = Set.of("nextval", "currval", "setval");

    private final String place;
    private final List<Name> columns = new ArrayList<>();
    private final List<Expression.ColumnName> qualified = new ArrayList<>();
    private final List<Expression.Literal> sequences = new ArrayList<>();

    private ExpressionColumns(String place) {
        this.place = place;
    }

    /// The columns, in the order of the text; a column that is named twice comes twice.
    ///
    /// @param place what the expression belongs to, as `check constraint`
    /// @throws SqlException 0A000 if there is a subquery in it
    static List<Name> of(Expression expression, String place) {
        ExpressionColumns visitor = new ExpressionColumns(place);
        visitor.visit(expression);
        return List.copyOf(visitor.columns);
    }

    /// The text of an expression after a column has got another name.
    static String renamed(String text, Expression expression, String column, String newName) {
        List<Name> named = new ArrayList<>(of(expression, "check constraint"));
        named.removeIf(name -> !name.text().equals(column));
        named.sort(Comparator.comparingInt((Name name) -> name.position().offset()).reversed());
        StringBuilder renamed = new StringBuilder(text);
        for (Name name : named) {
            int offset = name.position().offset();
            renamed.replace(offset, offset + name.position().length(), Names.quoted(newName));
        }
        return renamed.toString();
    }

    /// The text of an expression without the table's name before its columns.
    static String unqualified(String text, Expression expression) {
        ExpressionColumns visitor = new ExpressionColumns("check constraint");
        visitor.visit(expression);
        StringBuilder changed = new StringBuilder(text);
        visitor.qualified.sort(
                Comparator.comparingInt((Expression.ColumnName e) -> e.position().offset())
                        .reversed());
        for (Expression.ColumnName name : visitor.qualified) {
            changed.delete(name.position().offset(), name.column().position().offset());
        }
        return changed.toString();
    }

    /// The names of the sequences whose values a DEFAULT takes.
    static List<String> sequences(Expression expression) {
        ExpressionColumns visitor = new ExpressionColumns("DEFAULT expression");
        visitor.visit(expression);
        return visitor.sequences.stream().map(each -> SessionSequences.name(each.text())).toList();
    }

    /// The text of a DEFAULT after a sequence has got another name.
    static String renamedSequence(String text, Expression expression, String old, String newName) {
        ExpressionColumns visitor = new ExpressionColumns("DEFAULT expression");
        visitor.visit(expression);
        StringBuilder renamed = new StringBuilder(text);
        visitor.sequences.sort(
                Comparator.comparingInt((Expression.Literal e) -> e.position().offset())
                        .reversed());
        for (Expression.Literal literal : visitor.sequences) {
            if (SessionSequences.name(literal.text()).equals(old)) {
                int offset = literal.position().offset();
                renamed.replace(
                        offset,
                        offset + literal.position().length(),
                        "'" + Keywords.quoted(newName).replace("'", "''") + "'");
            }
        }
        return renamed.toString();
    }

    private void visitCall(Expression.Call call) {
        boolean isOfSequence =
                SEQUENCE_FUNCTIONS.contains(call.function().text()) && !call.arguments().isEmpty();
        Expression first = isOfSequence ? call.arguments().getFirst() : null;
        if (first instanceof Expression.Cast cast) {
            first = cast.operand();
        }
        if (first instanceof Expression.Literal literal
                && literal.kind() == Expression.Literal.Kind.STRING) {
            sequences.add(literal);
        }
        visit(call.arguments());
    }

    private void visit(Expression expression) {
        switch (expression) {
            case Expression.Literal e -> {}
            case Expression.TypedLiteral e -> {}
            case Expression.Parameter e ->
                    throw new SqlException(
                            SqlState.UNDEFINED_PARAMETER,
                            "there is no parameter $" + (e.index() + 1),
                            e.position());
            case Expression.ColumnName e -> {
                columns.add(e.column());
                if (e.qualifier() != null) {
                    qualified.add(e);
                }
            }
            case Expression.Unary e -> visit(e.operand());
            case Expression.Binary e -> visitChain(e);
            case Expression.IsNull e -> visit(e.operand());
            case Expression.IsTruth e -> visit(e.operand());
            case Expression.IsDistinct e -> visit(List.of(e.left(), e.right()));
            case Expression.Between e -> visit(List.of(e.operand(), e.low(), e.high()));
            case Expression.Like e -> {
                visit(List.of(e.operand(), e.pattern()));
                if (e.escape() != null) {
                    visit(e.escape());
                }
            }
            case Expression.InList e -> {
                visit(e.operand());
                visit(e.values());
            }
            case Expression.Quantified e -> throw subquery(e);
            case Expression.QuantifiedArray e -> visit(List.of(e.operand(), e.array()));
            case Expression.Array e -> visit(e.values());
            case Expression.Subscript e -> visit(List.of(e.operand(), e.index()));
            case Expression.Slice e -> visitSlice(e);
            case Expression.AggregateCall e -> visit(e.call());
            case Expression.WindowCall e -> visit(e.call());
            case Expression.InQuery e -> throw subquery(e);
            case Expression.Exists e -> throw subquery(e);
            case Expression.ScalarQuery e -> throw subquery(e);
            case Expression.Row e -> visit(e.values());
            case Expression.Case e -> visitCase(e);
            case Expression.Cast e -> visit(e.operand());
            case Expression.Extract e -> visit(e.operand());
            case Expression.Call e -> visitCall(e);
            case Expression.Default e -> {}
        }
    }

    /// A chain of operators is as deep to the left as it is long.
    private void visitChain(Expression.Binary last) {
        Deque<Expression> operands = new ArrayDeque<>();
        Expression next = last;
        while (next instanceof Expression.Binary binary) {
            operands.push(binary.right());
            next = binary.left();
        }
        visit(next);
        operands.forEach(this::visit);
    }

    private void visitSlice(Expression.Slice slice) {
        visit(slice.operand());
        if (slice.lower() != null) {
            visit(slice.lower());
        }
        if (slice.upper() != null) {
            visit(slice.upper());
        }
    }

    private void visitCase(Expression.Case e) {
        if (e.operand() != null) {
            visit(e.operand());
        }
        for (Expression.Case.When when : e.whens()) {
            visit(List.of(when.condition(), when.result()));
        }
        if (e.otherwise() != null) {
            visit(e.otherwise());
        }
    }

    private void visit(List<Expression> expressions) {
        expressions.forEach(this::visit);
    }

    private SqlException subquery(Expression e) {
        return new SqlException(
                SqlState.FEATURE_NOT_SUPPORTED, "cannot use subquery in " + place, e.position());
    }
}
