package org.namdb.sql.engine.expression.aggregate;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;

/// The arguments of `string_agg` or `array_agg` with what its ORDER BY sorts by; NULL if the value
/// for the aggregate is.
public final class SortedPieceScalar extends Scalar {
    private final Scalar piece;
    private final List<Key> keys;

    /// One part of the order.
    public record Key(Scalar value, boolean isDescending, boolean nullsFirst) {}

    /// @param keys the values of the keys
    record SortedPiece(Object piece, List<@Nullable Object> keys) {}

    /// @param piece of an aggregate for which the order matters
    SortedPieceScalar(Scalar piece, List<Key> keys) {
        super(piece.type());
        this.piece = piece;
        this.keys = List.copyOf(keys);
    }

    /// What it sorts by.
    List<Key> keys() {
        return keys;
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        Object value = piece.evaluate(frame);
        if (value == null) {
            return null;
        }
        List<@Nullable Object> values = new ArrayList<>(keys.size());
        for (Key key : keys) {
            values.add(key.value().evaluate(frame));
        }
        return new SortedPiece(value, values);
    }

    @Override
    public List<Scalar> operands() {
        List<Scalar> operands = new ArrayList<>();
        operands.add(piece);
        keys.forEach(key -> operands.add(key.value()));
        return operands;
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        List<Key> renewed = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            Key key = keys.get(i);
            renewed.add(new Key(newOperands.get(i + 1), key.isDescending(), key.nullsFirst()));
        }
        return new SortedPieceScalar(newOperands.getFirst(), renewed);
    }

    /// Not to be folded: its value is of no SQL type.
    @Override
    public Volatility volatility() {
        return Volatility.STABLE;
    }

    @Override
    protected Object traits() {
        return keys.stream().map(key -> List.of(key.isDescending(), key.nullsFirst())).toList();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(piece.toString());
        String separator = " ORDER BY ";
        for (Key key : keys) {
            text.append(separator).append(key.value()).append(key.isDescending() ? " DESC" : "");
            separator = ", ";
        }
        return text.toString();
    }
}
