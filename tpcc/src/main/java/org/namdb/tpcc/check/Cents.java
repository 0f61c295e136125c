package org.namdb.tpcc.check;

import java.math.BigDecimal;

/// Amounts of money in words.
final class Cents {
    private Cents() {}

    /// As in `300000.01`.
    static String describe(long cents) {
        return BigDecimal.valueOf(cents, 2).toPlainString();
    }
}
