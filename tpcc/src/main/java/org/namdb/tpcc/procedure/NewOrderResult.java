package org.namdb.tpcc.procedure;

import org.namdb.tpcc.input.NewOrderInput;

/// What a NewOrder transaction shows (clause 2.4.3.3), reused.
public final class NewOrderResult {
    long orderId;
    long totalCents;
    boolean rolledBack;
    final long[] amounts = new long[NewOrderInput.MAX_LINES];
    final int[] stockQuantities = new int[NewOrderInput.MAX_LINES];
    final boolean[] brands = new boolean[NewOrderInput.MAX_LINES];

    /// The order's id, O_ID.
    public long orderId() {
        return orderId;
    }

    /// The total amount with discount and taxes.
    public long totalCents() {
        return totalCents;
    }

    /// Whether an item did not exist, so that nothing was ordered.
    public boolean isRolledBack() {
        return rolledBack;
    }

    /// OL_AMOUNT of line `line`, counted from 0.
    public long amountCents(int line) {
        return amounts[line];
    }

    /// S_QUANTITY of line `line` after the order.
    public int stockQuantity(int line) {
        return stockQuantities[line];
    }

    /// Whether line `line` is of the brand "B", else of "G".
    public boolean isBrand(int line) {
        return brands[line];
    }
}
