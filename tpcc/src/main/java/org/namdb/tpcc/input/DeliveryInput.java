package org.namdb.tpcc.input;

/// The input of a Delivery transaction (clause 2.7.1), reused.
public final class DeliveryInput {
    static final int MAX_CARRIER = 10;

    int warehouse;
    int carrier;

    /// The warehouse, of which each district delivers one order.
    public int warehouse() {
        return warehouse;
    }

    /// The carrier, 1 to 10.
    public int carrier() {
        return carrier;
    }
}
