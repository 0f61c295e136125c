package org.namdb.tpcc.check;

/// The twelve consistency conditions.
public enum Condition {
    WAREHOUSE_YTD_IS_SUM_OF_DISTRICTS(1, "W_YTD = sum(D_YTD)"),
    NEXT_ORDER_FOLLOWS_THE_LAST(2, "D_NEXT_O_ID - 1 = max(O_ID) = max(NO_O_ID)"),
    NEW_ORDERS_HAVE_NO_GAP(3, "max(NO_O_ID) - min(NO_O_ID) + 1 = count(NEW_ORDER)"),
    DISTRICT_HAS_ALL_LINES(4, "sum(O_OL_CNT) = count(ORDER_LINE), by district"),
    NEW_ORDER_HAS_NO_CARRIER(5, "O_CARRIER_ID is null if and only if there is a NEW_ORDER row"),
    ORDER_HAS_ALL_LINES(6, "O_OL_CNT = count(ORDER_LINE), by order"),
    LINES_ARE_DELIVERED_WITH_THEIR_ORDER(
            7, "OL_DELIVERY_D is null if and only if O_CARRIER_ID is null"),
    WAREHOUSE_YTD_IS_SUM_OF_HISTORY(8, "W_YTD = sum(H_AMOUNT)"),
    DISTRICT_YTD_IS_SUM_OF_HISTORY(9, "D_YTD = sum(H_AMOUNT)"),
    BALANCE_IS_DELIVERED_LESS_PAID(
            10, "C_BALANCE = sum(OL_AMOUNT of delivered lines) - sum(H_AMOUNT)"),
    /// The standard compares with 2,100, which holds for the freshly loaded database. Each delivery
    /// takes a NEW_ORDER row and is counted in C_DELIVERY_CNT, so with that sum the condition holds
    /// at any time.
    DELIVERED_ORDERS_ARE_COUNTED(
            11, "count(ORDERS) - count(NEW_ORDER) = 2100 + sum(C_DELIVERY_CNT)"),
    BALANCE_AND_PAYMENTS_ARE_DELIVERED(
            12, "C_BALANCE + C_YTD_PAYMENT = sum(OL_AMOUNT of delivered lines)");

    private final int number;
    private final String formula;

    Condition(int number, String formula) {
        this.number = number;
        this.formula = formula;
    }

    /// The clause that has it, as in `3.3.2.1`.
    public String clause() {
        return "3.3.2." + number;
    }

    /// What must hold, in the standard's names.
    public String formula() {
        return formula;
    }
}
