package org.namdb.tpcc.input;

/// The input of a NewOrder transaction (clause 2.4.1), reused.
public final class NewOrderInput {
    /// The most lines of an order.
    public static final int MAX_LINES = 15;

    static final int MIN_LINES = 5;
    static final int MAX_QUANTITY = 10;

    int warehouse;
    int district;
    int customer;
    int lines;
    boolean allLocal;
    boolean rollback;
    final int[] items = new int[MAX_LINES];
    final int[] supplyWarehouses = new int[MAX_LINES];
    final int[] quantities = new int[MAX_LINES];

    /// The home warehouse.
    public int warehouse() {
        return warehouse;
    }

    public int district() {
        return district;
    }

    public int customer() {
        return customer;
    }

    /// How many lines the order has, 5 to 15.
    public int lines() {
        return lines;
    }

    /// Whether the home warehouse supplies every line.
    public boolean allLocal() {
        return allLocal;
    }

    /// Whether the last line's item doesn't exist, so that the transaction is to be rolled back.
    public boolean rollback() {
        return rollback;
    }

    /// The item of line `line`, counted from 0.
    public int item(int line) {
        return items[line];
    }

    /// The warehouse that supplies line `line`.
    public int supplyWarehouse(int line) {
        return supplyWarehouses[line];
    }

    /// How many pieces of the item line `line` orders, 1 to 10.
    public int quantity(int line) {
        return quantities[line];
    }
}
