package org.namdb.tpcc.load;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.namdb.tpcc.Scale;
import org.namdb.workload.load.RowProgress;

/// How far a load of TPC-C is, by warehouses, too.
public final class LoadProgress extends RowProgress {
    private static final int LINES_PER_ORDER = 10;

    private final AtomicIntegerArray partsLeftOfWarehouse;
    private final AtomicInteger warehousesDone = new AtomicInteger();

    public LoadProgress(Scale scale) {
        super(expectedRows(scale), LoadPart.all(scale).size());
        partsLeftOfWarehouse = new AtomicIntegerArray(scale.warehouses() + 1);
        for (LoadPart part : LoadPart.all(scale)) {
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

    /// How many warehouses are whole.
    public int warehousesDone() {
        return warehousesDone.get();
    }

    void finish(LoadPart part) {
        int warehouse = part.warehouse();
        if (partsLeftOfWarehouse.decrementAndGet(warehouse) == 0 && warehouse > 0) {
            warehousesDone.incrementAndGet();
        }
        finishPart();
    }
}
