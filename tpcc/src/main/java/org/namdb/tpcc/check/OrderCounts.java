package org.namdb.tpcc.check;

import java.util.Arrays;

/// How many orders and new orders each district has, and their least and greatest ids: conditions
/// 2, 3 and 11.
final class OrderCounts {
    private final DistrictIndex index;
    private final Differences differences;
    private final int deliveredAtStart;
    private final long[] nextOrder;
    private final long[] orders;
    private final long[] greatestOrder;
    private final long[] newOrders;
    private final long[] leastNewOrder;
    private final long[] greatestNewOrder;
    private final long[] deliveries;

    /// @param deliveredAtStart how many orders of a district were loaded as delivered
    OrderCounts(DistrictIndex index, Differences differences, int deliveredAtStart) {
        this.index = index;
        this.differences = differences;
        this.deliveredAtStart = deliveredAtStart;
        nextOrder = new long[index.count()];
        orders = new long[index.count()];
        greatestOrder = new long[index.count()];
        newOrders = new long[index.count()];
        leastNewOrder = new long[index.count()];
        greatestNewOrder = new long[index.count()];
        deliveries = new long[index.count()];
        Arrays.fill(leastNewOrder, Long.MAX_VALUE);
    }

    void addDistrict(int district, long next) {
        nextOrder[district] = next;
    }

    void addOrder(int district, long order) {
        orders[district]++;
        greatestOrder[district] = Math.max(greatestOrder[district], order);
    }

    void addNewOrder(int district, long order) {
        newOrders[district]++;
        leastNewOrder[district] = Math.min(leastNewOrder[district], order);
        greatestNewOrder[district] = Math.max(greatestNewOrder[district], order);
    }

    /// Adds what was delivered to a customer.
    void addDeliveries(int district, long count) {
        deliveries[district] += count;
    }

    /// Compares, after everything was added.
    void compare() {
        for (int district = 0; district < index.count(); district++) {
            if (nextOrder[district] > 0) {
                compareLast(district);
            }
            compareNewOrders(district);
            compareDelivered(district);
        }
    }

    /// A district without new orders has no greatest one.
    private void compareLast(int district) {
        long last = nextOrder[district] - 1;
        boolean newOrdersEndThere = newOrders[district] == 0 || greatestNewOrder[district] == last;
        if (greatestOrder[district] != last || !newOrdersEndThere) {
            differences.add(
                    Condition.NEXT_ORDER_FOLLOWS_THE_LAST,
                    () ->
                            "%s: D_NEXT_O_ID is %d, but the greatest O_ID is %d and the greatest NO_O_ID is %s"
                                    .formatted(
                                            index.describe(district),
                                            nextOrder[district],
                                            greatestOrder[district],
                                            newOrders[district] == 0
                                                    ? "none"
                                                    : greatestNewOrder[district]));
        }
    }

    private void compareNewOrders(int district) {
        long count = newOrders[district];
        long range = greatestNewOrder[district] - leastNewOrder[district] + 1;
        if (count != 0 && count != range) {
            differences.add(
                    Condition.NEW_ORDERS_HAVE_NO_GAP,
                    () ->
                            "%s: NO_O_ID goes from %d to %d, but there are %d NEW_ORDER rows"
                                    .formatted(
                                            index.describe(district),
                                            leastNewOrder[district],
                                            greatestNewOrder[district],
                                            count));
        }
    }

    private void compareDelivered(int district) {
        long delivered = orders[district] - newOrders[district];
        long expected = deliveredAtStart + deliveries[district];
        if (delivered != expected) {
            differences.add(
                    Condition.DELIVERED_ORDERS_ARE_COUNTED,
                    () ->
                            "%s: %d orders less %d NEW_ORDER rows are %d, but %d at the start and %d deliveries are %d"
                                    .formatted(
                                            index.describe(district),
                                            orders[district],
                                            newOrders[district],
                                            delivered,
                                            deliveredAtStart,
                                            deliveries[district],
                                            expected));
        }
    }
}
