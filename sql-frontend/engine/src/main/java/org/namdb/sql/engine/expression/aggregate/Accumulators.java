package org.namdb.sql.engine.expression.aggregate;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.number.Integers;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlArray;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.SqlType.Kind;
import org.namdb.sql.language.type.ValueOrder;

/// Accumulators that count, choose and join.
final class Accumulators {
    private Accumulators() {}

    /// How many values.
    static final class Count extends Accumulator {
        private long count;

        @Override
        void accept(Object value) {
            count++;
        }

        @Override
        public Object result() {
            return count;
        }
    }

    /// The sum of small integers, as BIGINT.
    static final class SumOfIntegers extends Accumulator {
        private long sum;
        private boolean hasValue;

        @Override
        void accept(Object value) {
            long number = (Long) value;
            long next = sum + number;
            if (((sum ^ next) & (number ^ next)) < 0) {
                throw Integers.outOfRange(Kind.BIGINT);
            }
            sum = next;
            hasValue = true;
        }

        @Override
        public @Nullable Object result() {
            return hasValue ? sum : null;
        }
    }

    /// All values, as an array; NULL if there are none.
    static final class Collected extends Accumulator {
        private static final long BYTES_PER_VALUE = 40;

        private final SqlType element;
        private final List<@Nullable Object> values = new ArrayList<>();
        private long bytes;

        Collected(SqlType element) {
            this.element = element.unbounded();
        }

        @Override
        void accept(Object value) {
            Object element = ((ElementScalar.Element) value).value();
            values.add(element);
            bytes += BYTES_PER_VALUE;
            if (element instanceof String text) {
                bytes += 2L * text.length();
            }
        }

        @Override
        public @Nullable Object result() {
            return values.isEmpty() ? null : new SqlArray(element, values);
        }

        @Override
        public long retainedBytes() {
            return bytes;
        }
    }

    /// The least or greatest value.
    static final class Extreme extends Accumulator {
        private final ValueOrder order;
        private final boolean isGreatest;
        private @Nullable Object extreme;

        Extreme(ValueOrder order, boolean isGreatest) {
            this.order = order;
            this.isGreatest = isGreatest;
        }

        @Override
        void accept(Object value) {
            if (extreme == null) {
                extreme = value;
                return;
            }
            int comparison = order.compare(value, extreme);
            if (isGreatest ? comparison > 0 : comparison < 0) {
                extreme = value;
            }
        }

        @Override
        public @Nullable Object result() {
            return extreme;
        }
    }

    /// The least or greatest integer, without boxes.
    static final class ExtremeInteger extends Accumulator {
        private final boolean isGreatest;
        private long extreme;
        private boolean hasValue;

        ExtremeInteger(boolean isGreatest) {
            this.isGreatest = isGreatest;
        }

        @Override
        void accept(Object value) {
            long number = (Long) value;
            if (!hasValue || (isGreatest ? number > extreme : number < extreme)) {
                extreme = number;
                hasValue = true;
            }
        }

        @Override
        public @Nullable Object result() {
            return hasValue ? extreme : null;
        }
    }

    /// Whether all are true, or one is.
    static final class Truth extends Accumulator {
        private final boolean wantsAll;
        private @Nullable Boolean truth;

        Truth(boolean wantsAll) {
            this.wantsAll = wantsAll;
        }

        @Override
        void accept(Object value) {
            boolean isDecided = truth != null && truth != wantsAll;
            if (!isDecided) {
                truth = (Boolean) value;
            }
        }

        @Override
        public @Nullable Object result() {
            return truth;
        }
    }

    /// Texts one behind the other.
    static final class Joined extends Accumulator {
        private static final int MAX_LENGTH = 64 << 20;

        private @Nullable StringBuilder text;

        @Override
        void accept(Object value) {
            PieceScalar.Piece piece = (PieceScalar.Piece) value;
            if (text == null) {
                text = new StringBuilder(piece.text());
            } else {
                text.append(piece.delimiter()).append(piece.text());
            }
            if (text.length() > MAX_LENGTH) {
                throw new SqlException(
                        SqlState.PROGRAM_LIMIT_EXCEEDED, "string_agg result is too long");
            }
        }

        @Override
        public @Nullable Object result() {
            return text == null ? null : text.toString();
        }

        @Override
        public long retainedBytes() {
            return text == null ? 0 : 2L * text.capacity();
        }
    }
}
