package org.namdb.tpcc.lines;

import java.util.Locale;

/// The tables and indexes on lines, whose keys are packed into words: the first column in the
/// highest bits.
@SuppressWarnings("ImmutableEnumChecker") // the array is never changed
enum LineTable {
    WAREHOUSE(16),
    DISTRICT(16, 4),
    CUSTOMER(16, 4, 12),
    ITEM(20),
    STOCK(16, 20),
    ORDERS(16, 4, 28),
    NEW_ORDER(16, 4, 28),
    ORDER_LINE(16, 4, 28, 4),
    /// By its inserter's number, and a count.
    HISTORY(30, 32),
    /// Customers by the number of their last name; no tuples of its own.
    CUSTOMER_BY_NAME(16, 4, 10, 12),
    /// Orders by customer, the last one first; no tuples of its own.
    ORDERS_BY_CUSTOMER(16, 4, 12, 28);

    /// The highest number of an order.
    static final long MAX_ORDER = (1L << 28) - 1;

    private final int[] bits;

    LineTable(int... bits) {
        this.bits = bits;
    }

    /// The key with these first columns, and zeroes for the others.
    long key(long... columns) {
        long key = 0;
        for (int i = 0; i < bits.length; i++) {
            long value = i < columns.length ? columns[i] : 0;
            assert value >>> bits[i] == 0 : this + " column " + i + ": " + value;
            key = key << bits[i] | value;
        }
        return key;
    }

    /// The highest key with these first columns.
    long lastKey(long... columns) {
        int rest = 0;
        for (int i = columns.length; i < bits.length; i++) {
            rest += bits[i];
        }
        return key(columns) | (1L << rest) - 1;
    }

    /// A column of a key.
    long column(long key, int index) {
        int shift = 0;
        for (int i = bits.length - 1; i > index; i--) {
            shift += bits[i];
        }
        return key >>> shift & (1L << bits[index]) - 1;
    }

    /// Whether it is an index of another table's tuples.
    boolean isIndex() {
        return this == CUSTOMER_BY_NAME || this == ORDERS_BY_CUSTOMER;
    }

    /// That of the table of rows with a name.
    static LineTable of(String tableName) {
        return valueOf(tableName.toUpperCase(Locale.ROOT));
    }

    /// The name of the table of rows with the same columns.
    String tableName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
