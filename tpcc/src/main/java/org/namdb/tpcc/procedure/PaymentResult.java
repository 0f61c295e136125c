package org.namdb.tpcc.procedure;

/// What a Payment transaction shows of the customer (clause 2.5.3.3), reused.
public final class PaymentResult {
    long customer;
    long balanceCents;

    /// The customer's id.
    public long customer() {
        return customer;
    }

    /// The customer's balance after the payment.
    public long balanceCents() {
        return balanceCents;
    }
}
