package org.namdb.tpcc.schema;

import org.namdb.compute.NamDb;
import org.namdb.tpcc.Scale;

/// The tables of a TPC-C database; shared by all threads.
public final class TpccSchema {
    /// Versions of a hot record that are kept in its buffer, at least.
    private static final int HOT_VERSIONS = 8;

    public final Warehouses warehouses;
    public final Districts districts;
    public final Customers customers;
    public final Items items;
    public final Stocks stocks;
    public final Orders orders;
    public final NewOrders newOrders;
    public final OrderLines orderLines;
    public final Histories histories;

    private TpccSchema(NamDb db, Scale scale, int versions) {
        int hotVersions = versions == 1 ? 1 : Math.max(versions, HOT_VERSIONS);
        warehouses = new Warehouses(db, scale, hotVersions);
        districts = new Districts(db, scale, hotVersions);
        customers = new Customers(db, scale, versions);
        items = new Items(db, scale);
        stocks = new Stocks(db, scale, versions);
        orders = new Orders(db, scale, versions);
        newOrders = new NewOrders(db, scale);
        orderLines = new OrderLines(db, scale, versions);
        histories = new Histories(db, scale);
    }

    /// Makes the tables and their indexes, empty.
    ///
    /// @param versions the length of old-version buffers; 1 for all, or more, of which warehouses
    ///     and districts have at least 8
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for the bucket arrays
    public static TpccSchema create(NamDb db, Scale scale, int versions) {
        return new TpccSchema(db, scale, versions);
    }
}
