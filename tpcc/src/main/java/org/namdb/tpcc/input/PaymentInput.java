package org.namdb.tpcc.input;

/// The input of a Payment transaction (clause 2.5.1), reused.
public final class PaymentInput {
    static final int MIN_CENTS = 100;
    static final int MAX_CENTS = 500_000;

    int warehouse;
    int district;
    int customerWarehouse;
    int customerDistrict;
    boolean byLastName;
    int lastName;
    int customer;
    int amountCents;

    /// The warehouse that is paid.
    public int warehouse() {
        return warehouse;
    }

    /// The district that is paid.
    public int district() {
        return district;
    }

    /// The customer's warehouse; in 15 of 100 cases another than that which is paid.
    public int customerWarehouse() {
        return customerWarehouse;
    }

    public int customerDistrict() {
        return customerDistrict;
    }

    /// Whether the customer is chosen by last name, else by id.
    public boolean byLastName() {
        return byLastName;
    }

    /// The number of the last name, as in [LastNames#ascii]; only if [#byLastName].
    public int lastName() {
        return lastName;
    }

    /// The customer's id; only if not [#byLastName].
    public int customer() {
        return customer;
    }

    /// What is paid.
    public int amountCents() {
        return amountCents;
    }
}
