package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.OuterColumnScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// A function that gives rows in the list of what is selected, before the rows are made.
final class SetScalar extends Scalar {
    private final RowFunction function;

    /// @param type of the first column of its rows
    private SetScalar(RowFunction function, SqlType type) {
        super(type);
        this.function = function;
    }

    /// A call; null if a function of this name does not give rows.
    ///
    /// @throws SqlException 42883 if it takes no such arguments
    static @Nullable SetScalar of(String name, List<Scalar> arguments) {
        if (Series.isSeries(name)) {
            Series series = Series.of(name, arguments);
            return new SetScalar(series, series.type());
        }
        ArrayRows rows = ArrayRows.of(name, arguments);
        return rows == null || rows.arrays().size() > 1
                ? null
                : new SetScalar(rows, rows.arrays().getFirst().type().element());
    }

    /// @throws SqlException 0A000 if there is one in an expression
    static void refuseIn(List<Scalar> scalars, String construct) {
        if (!in(scalars).isEmpty()) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "set-returning functions are not allowed in " + construct);
        }
    }

    /// All different ones in some expressions.
    static List<SetScalar> in(List<Scalar> scalars) {
        List<SetScalar> found = new ArrayList<>();
        for (Scalar scalar : scalars) {
            Rewrite.visit(
                    scalar,
                    part -> {
                        if (part instanceof SetScalar set && !found.contains(set)) {
                            found.add(set);
                        }
                    });
        }
        return found;
    }

    /// Each row with the rows of these functions, side by side.
    ///
    /// @param columns gets the column of each function's value
    static Relation expand(
            Relation input, List<SetScalar> sets, BindContext context, List<Field> columns) {
        List<Scalar> arguments = new ArrayList<>();
        List<RowFunction> functions = new ArrayList<>();
        List<Field> fields = new ArrayList<>();
        for (SetScalar set : sets) {
            functions.add(
                    set.function.map(scalar -> {
                        arguments.add(scalar);
                        return new OuterColumnScalar(
                                1, arguments.size() - 1, scalar.type(), scalar.toString());
                    }));
            Field column = context.field(set.function.name(), set.type());
            columns.add(column);
            fields.add(column);
            if (set.function instanceof ArrayRows) {
                fields.add(context.field("ordinality", SqlType.BIGINT));
            }
        }
        RowFunction all = functions.size() == 1 ? functions.getFirst() : new RowsFrom(functions);
        return new Relation.Lateral(
                JoinKind.INNER, input, new Relation.Generated(all, fields), arguments, null);
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        throw new IllegalStateException("a function whose rows are not made: " + this);
    }

    @Override
    public List<Scalar> operands() {
        return function.scalars();
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        Iterator<Scalar> next = newOperands.iterator();
        return new SetScalar(function.map(_ -> next.next()), type());
    }

    @Override
    protected Object traits() {
        return function.name();
    }

    @Override
    public String toString() {
        return operands().stream()
                .map(Scalar::toString)
                .collect(Collectors.joining(", ", function.name() + "(", ")"));
    }
}
