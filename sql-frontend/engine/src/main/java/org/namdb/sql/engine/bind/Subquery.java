package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.List;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.type.SqlType;

/// A query within an expression. What it takes from the query around it are its arguments: within
/// it they are outer columns of depth 1, by their place in the list.
public abstract class Subquery extends Scalar {
    /// What is computed of the query.
    public enum Form {
        /// The value of its only row and column; NULL without a row.
        VALUE,
        /// The values of its only row; NULL without a row.
        ROW,
        /// Whether it has a row.
        EXISTS,
        /// Whether the tests are among its rows.
        IN
    }

    private final Form form;
    private final List<Scalar> tests;
    private final List<Scalar> arguments;

    protected Subquery(Form form, SqlType type, List<Scalar> tests, List<Scalar> arguments) {
        super(type);
        this.form = form;
        this.tests = List.copyOf(tests);
        this.arguments = List.copyOf(arguments);
    }

    /// What is computed.
    public final Form form() {
        return form;
    }

    /// The values that are searched for, of the same types as the query's columns; empty unless the
    /// form is IN.
    public final List<Scalar> tests() {
        return tests;
    }

    /// What the query takes from the one around it.
    public final List<Scalar> arguments() {
        return arguments;
    }

    /// The tests, then the arguments.
    @Override
    public final List<Scalar> operands() {
        List<Scalar> all = new ArrayList<>(tests);
        all.addAll(arguments);
        return all;
    }

    @Override
    public final Scalar withOperands(List<Scalar> newOperands) {
        return with(
                newOperands.subList(0, tests.size()),
                newOperands.subList(tests.size(), newOperands.size()));
    }

    /// The same query with other tests and arguments.
    protected abstract Scalar with(List<Scalar> newTests, List<Scalar> newArguments);

    @Override
    public final String toString() {
        return switch (form) {
            case VALUE, ROW -> "(subquery)";
            case EXISTS -> "EXISTS (subquery)";
            case IN -> (tests.size() == 1 ? tests.getFirst() : tests) + " IN (subquery)";
        };
    }
}
