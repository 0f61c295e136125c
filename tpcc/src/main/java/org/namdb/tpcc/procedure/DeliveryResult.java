package org.namdb.tpcc.procedure;

import org.namdb.tpcc.Scale;

/// What a Delivery transaction did (clause 2.7.4), reused.
public final class DeliveryResult {
    final long[] orders = new long[Scale.DISTRICTS];
    int delivered;

    /// How many districts had an order to deliver.
    public int delivered() {
        return delivered;
    }

    /// How many districts had none.
    public int skipped() {
        return Scale.DISTRICTS - delivered;
    }

    /// The order that was delivered in a district, counted from 1; 0 if there was none.
    public long order(int district) {
        return orders[district - 1];
    }

    /// Copies the orders of all districts, the first district's first.
    public void copyOrders(long[] target) {
        System.arraycopy(orders, 0, target, 0, Scale.DISTRICTS);
    }
}
