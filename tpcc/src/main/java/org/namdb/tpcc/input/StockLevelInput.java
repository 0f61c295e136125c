package org.namdb.tpcc.input;

/// The input of a StockLevel transaction (clause 2.8.1), reused.
public final class StockLevelInput {
    static final int MIN_THRESHOLD = 10;
    static final int MAX_THRESHOLD = 20;

    int warehouse;
    int district;
    int threshold;

    public int warehouse() {
        return warehouse;
    }

    /// The terminal's own district.
    public int district() {
        return district;
    }

    /// Stocks below it are counted, 10 to 20.
    public int threshold() {
        return threshold;
    }
}
