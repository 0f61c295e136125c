package org.namdb.tpcc.check;

/// What was delivered to customers, and what they paid: conditions 10 and 12. First deliveries and
/// payments are added, then the customers.
final class CustomerAccounts {
    private final DistrictIndex index;
    private final Differences differences;
    private final int customersPerDistrict;
    private final long[] delivered;
    private final long[] paid;

    CustomerAccounts(DistrictIndex index, Differences differences, int customersPerDistrict) {
        this.index = index;
        this.differences = differences;
        this.customersPerDistrict = customersPerDistrict;
        delivered = new long[index.count() * customersPerDistrict];
        paid = new long[index.count() * customersPerDistrict];
    }

    /// Adds the amount of a delivered order line. One that was never ordered meets no condition.
    void addDelivered(int district, long customer, long amount) {
        if (isKnown(district, customer)) {
            delivered[account(district, customer)] += amount;
        }
    }

    /// Adds a payment.
    void addPayment(int district, long customer, long amount) {
        if (isKnown(district, customer)) {
            paid[account(district, customer)] += amount;
        }
    }

    /// Compares a customer.
    void compare(int district, long customer, long balance, long ytdPayment) {
        if (!isKnown(district, customer)) {
            differences.add(
                    Condition.BALANCE_IS_DELIVERED_LESS_PAID,
                    () -> place(district, customer) + " should not be there");
            return;
        }
        long ordered = delivered[account(district, customer)];
        long payments = paid[account(district, customer)];
        if (balance != ordered - payments) {
            differences.add(
                    Condition.BALANCE_IS_DELIVERED_LESS_PAID,
                    () ->
                            "%s: C_BALANCE is %s, but delivered order lines of %s less payments of %s are %s"
                                    .formatted(
                                            place(district, customer),
                                            Cents.describe(balance),
                                            Cents.describe(ordered),
                                            Cents.describe(payments),
                                            Cents.describe(ordered - payments)));
        }
        if (balance + ytdPayment != ordered) {
            differences.add(
                    Condition.BALANCE_AND_PAYMENTS_ARE_DELIVERED,
                    () ->
                            "%s: C_BALANCE of %s and C_YTD_PAYMENT of %s are %s, but delivered order lines add up to %s"
                                    .formatted(
                                            place(district, customer),
                                            Cents.describe(balance),
                                            Cents.describe(ytdPayment),
                                            Cents.describe(balance + ytdPayment),
                                            Cents.describe(ordered)));
        }
    }

    private boolean isKnown(int district, long customer) {
        return district != DistrictIndex.UNKNOWN
                && customer >= 1
                && customer <= customersPerDistrict;
    }

    private int account(int district, long customer) {
        return (int) (district * (long) customersPerDistrict + customer - 1);
    }

    private String place(int district, long customer) {
        return (district == DistrictIndex.UNKNOWN ? "unknown district" : index.describe(district))
                + ", customer "
                + customer;
    }
}
