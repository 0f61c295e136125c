package org.namdb.sql.engine.expression.aggregate;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.ValueOrder;

/// Keeps the values of a group, and hands them on in order.
final class SortingAccumulator extends Accumulator {
    /// A value with its keys.
    private static final long BYTES_PER_VALUE = 120;

    private final List<SortedPieceScalar.Key> keys;
    private final Accumulator target;
    private final List<SortedPieceScalar.SortedPiece> pieces = new ArrayList<>();

    SortingAccumulator(List<SortedPieceScalar.Key> keys, Accumulator target) {
        this.keys = keys;
        this.target = target;
    }

    @Override
    void accept(Object value) {
        pieces.add((SortedPieceScalar.SortedPiece) value);
    }

    @Override
    public @Nullable Object result() {
        pieces.sort((a, b) -> compare(a.keys(), b.keys()));
        pieces.forEach(piece -> target.accept(piece.piece()));
        pieces.clear();
        return target.result();
    }

    private int compare(List<@Nullable Object> a, List<@Nullable Object> b) {
        for (int i = 0; i < a.size(); i++) {
            SortedPieceScalar.Key key = keys.get(i);
            Object x = a.get(i);
            Object y = b.get(i);
            int order;
            if (x == null || y == null) {
                order = x == null && y == null ? 0 : (x == null) == key.nullsFirst() ? -1 : 1;
            } else {
                int ascending = ValueOrder.of(key.value().type()).compare(x, y);
                order = key.isDescending() ? -ascending : ascending;
            }
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    @Override
    public long retainedBytes() {
        return pieces.size() * BYTES_PER_VALUE + target.retainedBytes();
    }
}
