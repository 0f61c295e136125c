package org.namdb.tpcc;

import java.util.List;
import org.namdb.workload.TransactionKind;

/// The five transactions of TPC-C, in the order of their clauses (2.4 to 2.8).
public enum TransactionType implements TransactionKind {
    NEW_ORDER(0, "NewOrder", 18, 12),
    PAYMENT(1, "Payment", 3, 12),
    ORDER_STATUS(2, "OrderStatus", 2, 10),
    DELIVERY(3, "Delivery", 2, 5),
    STOCK_LEVEL(4, "StockLevel", 2, 5);

    /// How many types there are.
    public static final int COUNT = 5;

    private static final List<TransactionType> ALL = List.of(values());

    private final int index;
    private final String label;
    private final int keyingSeconds;
    private final int meanThinkSeconds;

    TransactionType(int index, String label, int keyingSeconds, int meanThinkSeconds) {
        this.index = index;
        this.label = label;
        this.keyingSeconds = keyingSeconds;
        this.meanThinkSeconds = meanThinkSeconds;
    }

    /// All types in their order.
    public static List<TransactionType> all() {
        return ALL;
    }

    /// The type of this number.
    public static TransactionType at(int index) {
        return ALL.get(index);
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public String label() {
        return label;
    }

    /// How long a person types the input (clause 5.2.5.2).
    public int keyingSeconds() {
        return keyingSeconds;
    }

    /// How long a person reads the output, on average (clause 5.2.5.4).
    public int meanThinkSeconds() {
        return meanThinkSeconds;
    }
}
