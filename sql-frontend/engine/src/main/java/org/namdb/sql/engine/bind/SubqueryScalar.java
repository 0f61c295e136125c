package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Frame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.type.SqlType;

/// A query within an expression, before it is planned. What it takes from the query around it are
/// its arguments: within its relation they are outer columns of depth 1, by their place in
/// the list.
public final class SubqueryScalar extends Scalar {
    /// What is computed of the query.
    public enum Form {
        /// The value of its only row and column; NULL without a row.
        VALUE,
        /// Whether it has a row.
        EXISTS,
        /// Whether the tests are among its rows.
        IN
    }

    private final Form form;
    private final Relation relation;
    private final List<Scalar> tests;
    private final List<Scalar> arguments;

    SubqueryScalar(
            Form form,
            SqlType type,
            Relation relation,
            List<Scalar> tests,
            List<Scalar> arguments) {
        super(type);
        this.form = form;
        this.relation = relation;
        this.tests = List.copyOf(tests);
        this.arguments = List.copyOf(arguments);
    }

    /// What is computed.
    public Form form() {
        return form;
    }

    /// What the query means.
    public Relation relation() {
        return relation;
    }

    /// The values that are searched for, of the same types as the relation's columns; empty unless
    /// the form is IN.
    public List<Scalar> tests() {
        return tests;
    }

    /// What the query takes from the one around it.
    public List<Scalar> arguments() {
        return arguments;
    }

    @Override
    public @Nullable Object evaluate(Frame frame) {
        throw new IllegalStateException("a subquery that is not planned");
    }

    /// The tests, then the arguments.
    @Override
    public List<Scalar> operands() {
        List<Scalar> all = new ArrayList<>(tests);
        all.addAll(arguments);
        return all;
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new SubqueryScalar(
                form,
                type(),
                relation,
                newOperands.subList(0, tests.size()),
                newOperands.subList(tests.size(), newOperands.size()));
    }

    @Override
    public String toString() {
        return form == Form.VALUE ? "(subquery)" : form + " (subquery)";
    }
}
