package org.namdb.tpcc.procedure;

/// What an OrderStatus transaction shows (clause 2.6.3.3), reused.
public final class OrderStatusResult {
    long customer;
    long balanceCents;
    long order;
    long carrier;
    int lines;
    long amountCents;

    /// The customer's id.
    public long customer() {
        return customer;
    }

    /// The customer's balance.
    public long balanceCents() {
        return balanceCents;
    }

    /// The id of the latest order, 0 if there is none.
    public long order() {
        return order;
    }

    /// The carrier, 0 if there is none yet.
    public long carrier() {
        return carrier;
    }

    /// How many lines it has.
    public int lines() {
        return lines;
    }

    /// The sum of its lines.
    public long amountCents() {
        return amountCents;
    }
}
