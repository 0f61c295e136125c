package org.namdb.sql.language.type;

import java.math.BigDecimal;
import java.util.Comparator;
import java.util.UUID;

/// The order of a type's values, and which of them are equal. Equal values have equal [#key]s, so
/// that hash tables can be made of those: DECIMAL 1.0 is 1.00, -0.0 is 0.0, and NaN is NaN, greater
/// than all others. Strings are ordered by code points, as their UTF-8 bytes are.
public enum ValueOrder implements Comparator<Object> {
    /// Of integers.
    LONG {
        @Override
        public int compare(Object a, Object b) {
            return Long.compare((Long) a, (Long) b);
        }
    },
    /// Of decimals: by value, not by scale.
    DECIMAL {
        @Override
        public int compare(Object a, Object b) {
            return ((BigDecimal) a).compareTo((BigDecimal) b);
        }

        @Override
        public Object key(Object value) {
            return ((BigDecimal) value).stripTrailingZeros();
        }
    },
    /// Of REAL.
    FLOAT {
        @Override
        public int compare(Object a, Object b) {
            float x = (Float) a;
            float y = (Float) b;
            return x < y ? -1 : x > y ? 1 : x == y ? 0 : Float.compare(x, y);
        }

        @Override
        public Object key(Object value) {
            float x = (Float) value;
            return x == 0 ? (Object) 0.0f : value;
        }
    },
    /// Of DOUBLE PRECISION.
    DOUBLE {
        @Override
        public int compare(Object a, Object b) {
            double x = (Double) a;
            double y = (Double) b;
            return x < y ? -1 : x > y ? 1 : x == y ? 0 : Double.compare(x, y);
        }

        @Override
        public Object key(Object value) {
            double x = (Double) value;
            return x == 0 ? (Object) 0.0 : value;
        }
    },
    /// Of strings.
    STRING {
        @Override
        public int compare(Object a, Object b) {
            return byCodePoints((String) a, (String) b);
        }
    },
    /// Of CHAR: blanks at the end don't count.
    BLANK_PADDED {
        @Override
        public int compare(Object a, Object b) {
            return byCodePoints(withoutBlanks((String) a), withoutBlanks((String) b));
        }

        @Override
        public Object key(Object value) {
            return withoutBlanks((String) value);
        }
    },
    /// Of classes that have the order of the type themselves: booleans, dates, times, bytes.
    NATURAL {
        @Override
        @SuppressWarnings("unchecked")
        public int compare(Object a, Object b) {
            return ((Comparable<Object>) a).compareTo(b);
        }
    },
    /// Of intervals: a month counts as 30 days, a day as 24 hours.
    INTERVAL {
        @Override
        public int compare(Object a, Object b) {
            Interval x = (Interval) a;
            Interval y = (Interval) b;
            int days = Long.compare(x.orderDays(), y.orderDays());
            return days != 0 ? days : Long.compare(x.orderMicros(), y.orderMicros());
        }

        @Override
        public Object key(Object value) {
            Interval x = (Interval) value;
            return new NormalInterval(x.orderDays(), x.orderMicros());
        }
    },
    /// Of UUIDs: as 128-bit numbers without a sign, which is not how [UUID] compares.
    UUID {
        @Override
        public int compare(Object a, Object b) {
            UUID x = (UUID) a;
            UUID y = (UUID) b;
            int high = Long.compareUnsigned(x.getMostSignificantBits(), y.getMostSignificantBits());
            return high != 0
                    ? high
                    : Long.compareUnsigned(
                            x.getLeastSignificantBits(), y.getLeastSignificantBits());
        }
    };

    private record NormalInterval(long days, long micros) {}

    /// The order of a type's values.
    public static ValueOrder of(SqlType type) {
        return switch (type.kind()) {
            case SMALLINT, INTEGER, BIGINT -> LONG;
            case DECIMAL -> DECIMAL;
            case REAL -> FLOAT;
            case DOUBLE -> DOUBLE;
            case VARCHAR, TEXT, UNKNOWN -> STRING;
            case CHAR -> BLANK_PADDED;
            case BOOLEAN, DATE, TIME, TIMESTAMP, TIMESTAMPTZ, BYTEA, ARRAY -> NATURAL;
            case INTERVAL -> INTERVAL;
            case UUID -> UUID;
        };
    }

    /// Below 0 if `a` is first, above 0 if `b` is, 0 if they are equal. Neither is null.
    @Override
    public abstract int compare(Object a, Object b);

    /// Whether two values are equal. Neither is null.
    public boolean isEqual(Object a, Object b) {
        return compare(a, b) == 0;
    }

    /// The key of the value in a hash table: the keys of equal values are equal by [Object#equals].
    public Object key(Object value) {
        return value;
    }

    /// A hash that equal values share.
    public int hash(Object value) {
        return key(value).hashCode();
    }

    static int byCodePoints(String a, String b) {
        int end = Math.min(a.length(), b.length());
        for (int i = 0; i < end; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                return inUtf8(x) - inUtf8(y);
            }
        }
        return a.length() - b.length();
    }

    /// Surrogates are less than the last characters of the basic plane, but stand for greater ones.
    private static int inUtf8(char c) {
        return c < Character.MIN_SURROGATE
                ? c
                : c > Character.MAX_SURROGATE ? c - 0x800 : c + 0x2000;
    }

    private static String withoutBlanks(String text) {
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == ' ') {
            end--;
        }
        return end == text.length() ? text : text.substring(0, end);
    }
}
