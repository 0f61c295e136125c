package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;

/// A column of the only row of a subquery; NULL where there is no row.
public final class SubqueryColumn extends Scalar {
    private final Scalar row;
    private final int column;

    private SubqueryColumn(Scalar row, int column, SqlType type) {
        super(type);
        this.row = row;
        this.column = column;
    }

    /// All columns of a row.
    ///
    /// @param row a subquery of the form [Subquery.Form#ROW]
    /// @param fields its columns
    public static List<Scalar> of(Scalar row, List<Field> fields) {
        List<Scalar> columns = new ArrayList<>();
        for (Field field : fields) {
            columns.add(new SubqueryColumn(row, columns.size(), field.type()));
        }
        return columns;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        @Nullable Object @Nullable [] values = (@Nullable Object[]) row.evaluate(frame);
        return values == null ? null : values[column];
    }

    @Override
    public List<Scalar> operands() {
        return List.of(row);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new SubqueryColumn(newOperands.getFirst(), column, type());
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return column;
    }

    @Override
    public String toString() {
        return row + "." + (column + 1);
    }
}
