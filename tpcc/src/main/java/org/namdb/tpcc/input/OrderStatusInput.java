package org.namdb.tpcc.input;

/// The input of an OrderStatus transaction (clause 2.6.1), reused.
public final class OrderStatusInput {
    int warehouse;
    int district;
    boolean byLastName;
    int lastName;
    int customer;

    public int warehouse() {
        return warehouse;
    }

    public int district() {
        return district;
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
}
