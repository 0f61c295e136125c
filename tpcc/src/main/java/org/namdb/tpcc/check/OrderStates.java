package org.namdb.tpcc.check;

import java.util.Arrays;

/// Every order with its lines and its NEW_ORDER row: conditions 4 to 7. First the orders are added,
/// then all else. Ids are dense, so an order is a word in an array of its district:
/// ```
///  63        32 31         16 15         8 7     3  2   1   0
/// |  customer  | lines found |  O_OL_CNT  |  ...  | N | C | P |    NEW_ORDER row, carrier, present
/// ```
final class OrderStates {
    private static final long PRESENT = 1;
    private static final long HAS_CARRIER = 1 << 1;
    private static final long HAS_NEW_ORDER = 1 << 2;
    private static final int COUNT_SHIFT = 8;
    private static final int FOUND_SHIFT = 16;
    private static final long ONE_FOUND = 1L << FOUND_SHIFT;
    private static final int CUSTOMER_SHIFT = 32;

    /// Orders beyond the next one of their district, which should not be there, have some space; it
    /// is limited, so that an impossible next order doesn't take all memory.
    private static final int SLACK = 1 << 10;

    private static final int MAX_ORDERS = 1 << 26;

    private final DistrictIndex index;
    private final Differences differences;
    private final long[][] orders;
    private final long[] linesExpected;
    private final long[] linesFound;

    OrderStates(DistrictIndex index, Differences differences) {
        this.index = index;
        this.differences = differences;
        orders = new long[index.count()][];
        Arrays.fill(orders, new long[0]);
        linesExpected = new long[index.count()];
        linesFound = new long[index.count()];
    }

    /// Makes space for a district's orders.
    ///
    /// @param nextOrder the id after that of the last
    void addDistrict(int district, long nextOrder) {
        orders[district] = new long[Math.clamp(nextOrder + SLACK, 0, MAX_ORDERS)];
    }

    void addOrder(int district, long order, long customer, long lineCount, boolean hasCarrier) {
        linesExpected[district] += lineCount;
        if (isOutside(district, order)) {
            differences.add(
                    Condition.NEXT_ORDER_FOLLOWS_THE_LAST,
                    () -> place(district, order) + " should not be there");
            return;
        }
        orders[district][(int) order] =
                customer << CUSTOMER_SHIFT
                        | (lineCount & 0xff) << COUNT_SHIFT
                        | (hasCarrier ? HAS_CARRIER : 0)
                        | PRESENT;
    }

    void addNewOrder(int district, long order) {
        if ((state(district, order) & PRESENT) == 0) {
            differences.add(
                    Condition.NEW_ORDER_HAS_NO_CARRIER,
                    () -> place(district, order) + ": there is a NEW_ORDER row, but no order");
            return;
        }
        orders[district][(int) order] |= HAS_NEW_ORDER;
    }

    /// Adds an order line.
    ///
    /// @return the customer of its order, or 0 if there is no such order
    long addLine(int district, long order, long line, boolean isDelivered) {
        linesFound[district]++;
        long state = state(district, order);
        if ((state & PRESENT) == 0) {
            differences.add(
                    Condition.ORDER_HAS_ALL_LINES,
                    () -> place(district, order) + ": there is line " + line + ", but no order");
            return 0;
        }
        orders[district][(int) order] = state + ONE_FOUND;
        boolean hasCarrier = (state & HAS_CARRIER) != 0;
        if (isDelivered != hasCarrier) {
            differences.add(
                    Condition.LINES_ARE_DELIVERED_WITH_THEIR_ORDER,
                    () ->
                            "%s: line %d %s, but the order %s"
                                    .formatted(
                                            place(district, order),
                                            line,
                                            isDelivered
                                                    ? "has OL_DELIVERY_D"
                                                    : "has no OL_DELIVERY_D",
                                            describeCarrier(hasCarrier)));
        }
        return state >>> CUSTOMER_SHIFT;
    }

    /// Compares, after everything was added.
    void compare() {
        for (int district = 0; district < orders.length; district++) {
            compareDistrict(district);
            for (int order = 0; order < orders[district].length; order++) {
                if ((orders[district][order] & PRESENT) != 0) {
                    compareOrder(district, order, orders[district][order]);
                }
            }
        }
    }

    private void compareDistrict(int district) {
        if (linesExpected[district] != linesFound[district]) {
            differences.add(
                    Condition.DISTRICT_HAS_ALL_LINES,
                    () ->
                            "%s: O_OL_CNT adds up to %d, but there are %d order lines"
                                    .formatted(
                                            index.describe(district),
                                            linesExpected[district],
                                            linesFound[district]));
        }
    }

    private void compareOrder(int district, int order, long state) {
        boolean hasCarrier = (state & HAS_CARRIER) != 0;
        boolean hasNewOrder = (state & HAS_NEW_ORDER) != 0;
        if (hasCarrier == hasNewOrder) {
            differences.add(
                    Condition.NEW_ORDER_HAS_NO_CARRIER,
                    () ->
                            "%s: there is %s NEW_ORDER row, but the order %s"
                                    .formatted(
                                            place(district, order),
                                            hasNewOrder ? "a" : "no",
                                            describeCarrier(hasCarrier)));
        }
        long expected = (byte) (state >>> COUNT_SHIFT);
        long found = state >>> FOUND_SHIFT & 0xffff;
        if (expected != found) {
            differences.add(
                    Condition.ORDER_HAS_ALL_LINES,
                    () ->
                            "%s: O_OL_CNT is %d, but there are %d order lines"
                                    .formatted(place(district, order), expected, found));
        }
    }

    private long state(int district, long order) {
        return isOutside(district, order) ? 0 : orders[district][(int) order];
    }

    private boolean isOutside(int district, long order) {
        return order < 0 || order >= orders[district].length;
    }

    private String place(int district, long order) {
        return index.describe(district) + ", order " + order;
    }

    private static String describeCarrier(boolean hasCarrier) {
        return hasCarrier ? "has O_CARRIER_ID" : "has no O_CARRIER_ID";
    }
}
