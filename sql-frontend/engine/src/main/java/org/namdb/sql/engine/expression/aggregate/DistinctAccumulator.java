package org.namdb.sql.engine.expression.aggregate;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.ValueOrder;

/// Hands each value on once.
final class DistinctAccumulator extends Accumulator {
    /// An entry of a hash set and a small value.
    private static final long BYTES_PER_VALUE = 80;

    private final ValueOrder order;
    private final Accumulator target;
    private final Set<Object> seen = new HashSet<>();

    DistinctAccumulator(ValueOrder order, Accumulator target) {
        this.order = order;
        this.target = target;
    }

    @Override
    void accept(Object value) {
        Object key =
                switch (value) {
                    case PieceScalar.Piece piece -> piece;
                    case ElementScalar.Element element -> element;
                    case SortedPieceScalar.SortedPiece sorted -> sorted.piece();
                    default -> order.key(value);
                };
        if (seen.add(key)) {
            target.accept(value);
        }
    }

    @Override
    public @Nullable Object result() {
        return target.result();
    }

    @Override
    public long retainedBytes() {
        return seen.size() * BYTES_PER_VALUE + target.retainedBytes();
    }
}
