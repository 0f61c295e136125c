package org.namdb.sql.engine.expression;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.SqlType;

/// `row_number()` of a window: counts the rows of each partition. The rows must come partition by
/// partition, in the window's order, and each once.
public final class RowNumberScalar extends Scalar {
    private final List<Scalar> partition;

    /// @param partition what the rows of a partition agree in
    public RowNumberScalar(List<Scalar> partition) {
        super(SqlType.BIGINT);
        this.partition = List.copyOf(partition);
    }

    private static final class Count {
        private @Nullable Object @Nullable [] partition;
        private long rows;
    }

    @Override
    public Object evaluate(Frame frame) {
        Count count = frame.memory(this, Count::new);
        @Nullable Object[] values = new @Nullable Object[partition.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = partition.get(i).evaluate(frame);
        }
        if (!Arrays.equals(values, count.partition)) {
            count.partition = values;
            count.rows = 0;
        }
        return ++count.rows;
    }

    @Override
    public List<Scalar> operands() {
        return partition;
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new RowNumberScalar(newOperands);
    }

    @Override
    public Volatility volatility() {
        return Volatility.VOLATILE;
    }

    /// No two are equal, as each counts for itself.
    @Override
    protected @Nullable Object traits() {
        return null;
    }

    @Override
    public String toString() {
        return partition.stream()
                .map(Scalar::toString)
                .collect(Collectors.joining(", ", "row_number() OVER (PARTITION BY ", ")"));
    }
}
