package org.namdb.tpcc.load;

import java.util.EnumMap;
import java.util.Map;
import org.namdb.compute.Session;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.input.NuRandConstants;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.schema.TpccSchema;

/// Loads parts, one at a time, in a session of its own.
final class LoadWorker {
    private final Session session;
    private final long seed;
    private final Map<LoadPart.Kind, RowLoader> families = new EnumMap<>(LoadPart.Kind.class);

    LoadWorker(Session session, TpccSchema schema, Scale scale, long seed, long nowMicros) {
        this.session = session;
        this.seed = seed;
        families.put(LoadPart.Kind.ITEMS, new ItemRows(schema.items));
        families.put(LoadPart.Kind.WAREHOUSE, new WarehouseRows(schema, scale));
        families.put(LoadPart.Kind.STOCKS, new StockRows(schema.stocks));
        families.put(
                LoadPart.Kind.CUSTOMERS,
                new CustomerRows(schema, scale, NuRandConstants.of(seed), nowMicros));
        families.put(LoadPart.Kind.ORDERS, new OrderRows(schema, scale, nowMicros));
    }

    /// Loads a part, or as much of it as there is time for before a stop.
    void load(LoadPart part, LoadProgress progress) {
        RowLoader family = java.util.Objects.requireNonNull(families.get(part.kind()));
        family.start(part, part.random(seed, 0));
        int step = part.kind().numbersPerTransaction();
        for (int first = part.first(); first <= part.last(); first += step) {
            if (progress.isStopped()) {
                return;
            }
            int last = Math.min(first + step - 1, part.last());
            progress.addRows(insert(family, part, first, last));
        }
        progress.finish(part);
    }

    private int insert(RowLoader family, LoadPart part, int first, int last) {
        return session.transact(tx -> {
            // The transaction may be run again, and then draws the same.
            TpccRandom random = part.random(seed, first);
            int rows = 0;
            for (int number = first; number <= last; number++) {
                rows += family.insert(tx, random, part, number);
            }
            return rows;
        });
    }
}
