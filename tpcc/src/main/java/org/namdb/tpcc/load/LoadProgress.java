package org.namdb.tpcc.load;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import org.namdb.tpcc.Scale;

/// How far a load is, for other threads to look at; and their way to stop it. For one load.
public final class LoadProgress {
    private static final int LINES_PER_ORDER = 10;

    private final long expectedRows;
    private final LongAdder rows = new LongAdder();
    private final AtomicInteger partsLeft = new AtomicInteger();
    private final AtomicIntegerArray partsLeftOfWarehouse;
    private final AtomicInteger warehousesDone = new AtomicInteger();
    private volatile boolean stopped;

    public LoadProgress(Scale scale) {
        expectedRows = expectedRows(scale);
        partsLeftOfWarehouse = new AtomicIntegerArray(scale.warehouses() + 1);
        for (LoadPart part : LoadPart.all(scale)) {
            partsLeft.incrementAndGet();
            partsLeftOfWarehouse.incrementAndGet(part.warehouse());
        }
    }

    /// About how many rows a load has; orders have 5 to 15 lines.
    public static long expectedRows(Scale scale) {
        long customers = (long) scale.districts() * scale.customersPerDistrict();
        long undelivered = (long) scale.districts() * scale.undeliveredPerDistrict();
        long stocks = (long) scale.warehouses() * scale.items();
        // A customer has a history row, and an order with its lines.
        return scale.items()
                + scale.warehouses()
                + scale.districts()
                + stocks
                + (3 + LINES_PER_ORDER) * customers
                + undelivered;
    }

    /// How many rows are committed.
    public long rows() {
        return rows.sum();
    }

    /// How much is loaded, 0 to 1.
    public double fraction() {
        return Math.min(1, (double) rows() / expectedRows);
    }

    /// How many warehouses are whole.
    public int warehousesDone() {
        return warehousesDone.get();
    }

    /// Whether everything is loaded.
    public boolean isComplete() {
        return partsLeft.get() == 0;
    }

    /// Makes the load end early, with the database in part loaded.
    public void stop() {
        stopped = true;
    }

    boolean isStopped() {
        return stopped;
    }

    void addRows(int count) {
        rows.add(count);
    }

    void finish(LoadPart part) {
        int warehouse = part.warehouse();
        if (partsLeftOfWarehouse.decrementAndGet(warehouse) == 0 && warehouse > 0) {
            warehousesDone.incrementAndGet();
        }
        partsLeft.decrementAndGet();
    }
}
