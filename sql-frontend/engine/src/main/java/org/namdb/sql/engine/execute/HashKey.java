package org.namdb.sql.engine.execute;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.type.ValueOrder;

/// Makes keys for hash tables: equal for values that SQL takes for equal.
final class HashKey {
    private final Scalar[] values;
    private final ValueOrder[] orders;

    HashKey(List<Scalar> values, List<ValueOrder> orders) {
        this.values = values.toArray(new Scalar[0]);
        this.orders = orders.toArray(new ValueOrder[0]);
    }

    static HashKey of(List<Scalar> values) {
        return new HashKey(
                values, values.stream().map(value -> ValueOrder.of(value.type())).toList());
    }

    /// Whether keys are single integers.
    boolean isInteger() {
        return orders.length == 1 && orders[0] == ValueOrder.LONG;
    }

    /// The key for the frame's tuple; null if one of its values is NULL.
    @Nullable Object orNull(EvaluationFrame frame) {
        if (values.length == 1) {
            Object value = values[0].evaluate(frame);
            return value == null ? null : orders[0].key(value);
        }
        @Nullable Object[] keys = new @Nullable Object[values.length];
        for (int i = 0; i < values.length; i++) {
            Object value = values[i].evaluate(frame);
            if (value == null) {
                return null;
            }
            keys[i] = orders[i].key(value);
        }
        return new Several(keys);
    }

    /// The key of values, in which NULLs are equal.
    ///
    /// @param tuple the values themselves, as many as the key has
    Several withNulls(@Nullable Object[] tuple) {
        @Nullable Object[] keys = new @Nullable Object[orders.length];
        for (int i = 0; i < orders.length; i++) {
            Object value = tuple[i];
            keys[i] = value == null ? null : orders[i].key(value);
        }
        return new Several(keys);
    }

    /// The values that the key is made of, of the frame's tuple.
    @Nullable Object[] values(EvaluationFrame frame) {
        @Nullable Object[] tuple = new @Nullable Object[values.length];
        for (int i = 0; i < values.length; i++) {
            tuple[i] = values[i].evaluate(frame);
        }
        return tuple;
    }

    /// Several values as one key.
    static final class Several {
        private final @Nullable Object[] keys;
        private final int hash;

        private Several(@Nullable Object[] keys) {
            this.keys = keys;
            this.hash = Arrays.hashCode(keys);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Several that
                    && hash == that.hash
                    && Arrays.equals(keys, that.keys);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }
}
