package org.namdb.tpcc.schema;

import java.time.Instant;
import java.util.Set;
import org.namdb.compute.NamDb;
import org.namdb.fabric.Host;
import org.namdb.tpcc.Scale;

/// The tables of a TPC-C database; shared by all threads.
public final class TpccSchema {
    /// Versions of a hot record that are kept in its buffer, at least.
    private static final int HOT_VERSIONS = 8;

    /// The names of the tables.
    public static final Set<String> TABLES =
            Set.of(
                    "warehouse",
                    "district",
                    "customer",
                    "item",
                    "stock",
                    "orders",
                    "new_order",
                    "order_line",
                    "history");

    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final int NANOS_PER_MICRO = 1_000;

    public final Warehouses warehouses;
    public final Districts districts;
    public final Customers customers;
    public final Items items;
    public final Stocks stocks;
    public final Orders orders;
    public final NewOrders newOrders;
    public final OrderLines orderLines;
    public final Histories histories;

    private final Host host;

    private TpccSchema(NamDb db, TpccTables tables, Scale scale, int versions) {
        host = db.options().host();
        int hotVersions = versions == 1 ? 1 : Math.max(versions, HOT_VERSIONS);
        warehouses = new Warehouses(tables, scale, hotVersions);
        districts = new Districts(tables, scale, hotVersions);
        customers = new Customers(tables, scale, versions);
        items = new Items(tables, scale);
        stocks = new Stocks(tables, scale, versions);
        orders = new Orders(tables, scale, versions);
        newOrders = new NewOrders(tables, scale);
        orderLines = new OrderLines(tables, scale, versions);
        histories = new Histories(db, tables, scale);
    }

    /// Makes the tables and their indexes, empty.
    ///
    /// @param versions the length of old-version buffers; 1 for all, or more, of which warehouses
    ///     and districts have at least 8
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for the bucket arrays
    public static TpccSchema create(NamDb db, Scale scale, int versions) {
        return new TpccSchema(db, TpccTables.create(db), scale, versions);
    }

    /// The tables of a database that has them.
    ///
    /// @param scale what they were made for
    /// @throws IllegalArgumentException if there is none of a name
    public static TpccSchema open(NamDb db, Scale scale) {
        return new TpccSchema(db, TpccTables.open(db), scale, 1);
    }

    /// The time of day for TIMESTAMP columns: microseconds since 1970-01-01 UTC.
    public long nowMicros() {
        Instant now = host.instant();
        return now.getEpochSecond() * MICROS_PER_SECOND + now.getNano() / NANOS_PER_MICRO;
    }
}
