package org.namdb.tpcc.check;

import java.util.Arrays;

/// The payments recorded by warehouses and districts, against each other and against the payments:
/// conditions 1, 8 and 9.
final class YearToDate {
    /// Of a warehouse or a district that has not been seen. No sum of payments is that low.
    private static final long MISSING = Long.MIN_VALUE;

    private final DistrictIndex index;
    private final Differences differences;
    private final long[] warehouses;
    private final long[] districts;
    private final long[] paid;

    YearToDate(DistrictIndex index, Differences differences) {
        this.index = index;
        this.differences = differences;
        warehouses = new long[index.warehouses()];
        districts = new long[index.count()];
        paid = new long[index.count()];
        Arrays.fill(warehouses, MISSING);
        Arrays.fill(districts, MISSING);
    }

    void addWarehouse(long warehouse, long ytd) {
        if (index.isWarehouse(warehouse)) {
            warehouses[(int) warehouse - 1] = ytd;
        } else {
            differences.add(
                    Condition.WAREHOUSE_YTD_IS_SUM_OF_DISTRICTS,
                    () -> "warehouse " + warehouse + " should not be there");
        }
    }

    void addDistrict(long warehouse, long district, long ytd) {
        int number = index.of(warehouse, district);
        if (number != DistrictIndex.UNKNOWN) {
            districts[number] = ytd;
        } else {
            differences.add(
                    Condition.WAREHOUSE_YTD_IS_SUM_OF_DISTRICTS,
                    () -> unknown("a district", warehouse, district));
        }
    }

    /// Adds a payment to a district.
    void addPayment(long warehouse, long district, long amount) {
        int number = index.of(warehouse, district);
        if (number != DistrictIndex.UNKNOWN) {
            paid[number] += amount;
        } else {
            differences.add(
                    Condition.DISTRICT_YTD_IS_SUM_OF_HISTORY,
                    () -> unknown("a payment", warehouse, district));
        }
    }

    /// Compares, after everything was added.
    void compare() {
        long[] districtSums = new long[index.warehouses()];
        long[] paidSums = new long[index.warehouses()];
        for (int number = 0; number < index.count(); number++) {
            int warehouse = index.warehouse(number) - 1;
            paidSums[warehouse] += paid[number];
            if (districts[number] != MISSING) {
                districtSums[warehouse] += districts[number];
                compareDistrict(number);
            } else {
                String place = index.describe(number);
                differences.add(
                        Condition.WAREHOUSE_YTD_IS_SUM_OF_DISTRICTS, () -> place + " is missing");
            }
        }
        for (int warehouse = 0; warehouse < warehouses.length; warehouse++) {
            compareWarehouse(warehouse, districtSums[warehouse], paidSums[warehouse]);
        }
    }

    private void compareDistrict(int number) {
        if (districts[number] != paid[number]) {
            differences.add(
                    Condition.DISTRICT_YTD_IS_SUM_OF_HISTORY,
                    () ->
                            "%s: D_YTD is %s, but its payments add up to %s"
                                    .formatted(
                                            index.describe(number),
                                            Cents.describe(districts[number]),
                                            Cents.describe(paid[number])));
        }
    }

    private void compareWarehouse(int warehouse, long districtSum, long paidSum) {
        long ytd = warehouses[warehouse];
        String place = "warehouse " + (warehouse + 1);
        if (ytd == MISSING) {
            differences.add(
                    Condition.WAREHOUSE_YTD_IS_SUM_OF_DISTRICTS, () -> place + " is missing");
            return;
        }
        if (ytd != districtSum) {
            differences.add(
                    Condition.WAREHOUSE_YTD_IS_SUM_OF_DISTRICTS,
                    () -> differs(place, ytd, "the D_YTD of its districts", districtSum));
        }
        if (ytd != paidSum) {
            differences.add(
                    Condition.WAREHOUSE_YTD_IS_SUM_OF_HISTORY,
                    () -> differs(place, ytd, "its payments", paidSum));
        }
    }

    private static String differs(String place, long ytd, String parts, long sum) {
        return "%s: W_YTD is %s, but %s add up to %s"
                .formatted(place, Cents.describe(ytd), parts, Cents.describe(sum));
    }

    private static String unknown(String what, long warehouse, long district) {
        return "%s is of warehouse %d, district %d, which should not be there"
                .formatted(what, warehouse, district);
    }
}
