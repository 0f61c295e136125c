package org.namdb.tpcc.schema;

import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Projection;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.tpcc.Scale;

/// The table ORDER, with an ordered index by customer, for a customer's latest order.
public final class Orders {
    public final Table table;
    public final Index byCustomer;
    public final Column id;
    public final Column customer;
    public final Column carrier;
    public final Column lineCount;
    public final Column allLocal;
    public final Column entryTime;

    /// What Delivery reads.
    public final Projection forDelivery;

    Orders(TpccTables tables, Scale scale, int versions) {
        table =
                tables.table(
                        TableDefinition.named("orders")
                                .column("o_w_id", ColumnType.INT16)
                                .column("o_d_id", ColumnType.INT8)
                                .column("o_id", ColumnType.INT32)
                                .column("o_c_id", ColumnType.INT32)
                                .nullable("o_carrier_id", ColumnType.INT8)
                                .column("o_ol_cnt", ColumnType.INT8)
                                .column("o_all_local", ColumnType.INT8)
                                .column("o_entry_d", ColumnType.TIMESTAMP)
                                .primaryKey("o_w_id", "o_d_id", "o_id")
                                .bucketRecords(8)
                                .versions(versions)
                                .build());
        byCustomer =
                tables.index(
                        IndexDefinition.ordered(
                                "orders_by_customer", "orders", "o_w_id", "o_d_id", "o_c_id"));
        id = table.column("o_id");
        customer = table.column("o_c_id");
        carrier = table.column("o_carrier_id");
        lineCount = table.column("o_ol_cnt");
        allLocal = table.column("o_all_local");
        entryTime = table.column("o_entry_d");
        forDelivery = table.project("o_c_id", "o_carrier_id");
    }
}
