package org.namdb.tpcc.schema;

import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.tpcc.Scale;

/// The table NEW-ORDER, with an ordered index on its key, for a district's oldest
/// undelivered order.
public final class NewOrders {
    public final Table table;
    public final Index inOrder;
    public final Column order;

    NewOrders(TpccTables tables, Scale scale) {
        table =
                tables.table(
                        TableDefinition.named("new_order")
                                .column("no_w_id", ColumnType.INT16)
                                .column("no_d_id", ColumnType.INT8)
                                .column("no_o_id", ColumnType.INT32)
                                .primaryKey("no_w_id", "no_d_id", "no_o_id")
                                .bucketRecords(16)
                                .versions(1)
                                .build());
        inOrder =
                tables.index(
                        IndexDefinition.ordered(
                                "new_order_in_order",
                                "new_order",
                                "no_w_id",
                                "no_d_id",
                                "no_o_id"));
        order = table.column("no_o_id");
    }
}
