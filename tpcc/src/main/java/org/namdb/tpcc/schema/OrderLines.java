package org.namdb.tpcc.schema;

import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Projection;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.tpcc.Scale;

/// The table ORDER-LINE. The lines of an order are neighbours: one READ gets all of them.
public final class OrderLines {
    private static final int KEY_COLUMNS_OF_ORDER = 3;

    public final Table table;
    public final Column number;
    public final Column item;
    public final Column supplyWarehouse;
    public final Column quantity;
    public final Column amount;
    public final Column deliveryTime;
    public final Column districtInfo;

    /// What Delivery reads.
    public final Projection forDelivery;

    /// What StockLevel reads.
    public final Projection forStockLevel;

    OrderLines(TpccTables tables, Scale scale, int versions) {
        table =
                tables.table(
                        TableDefinition.named("order_line")
                                .column("ol_w_id", ColumnType.INT16)
                                .column("ol_d_id", ColumnType.INT8)
                                .column("ol_o_id", ColumnType.INT32)
                                .column("ol_number", ColumnType.INT8)
                                .nullable("ol_delivery_d", ColumnType.TIMESTAMP)
                                .column("ol_amount", ColumnType.decimal(6, 2))
                                .column("ol_i_id", ColumnType.INT32)
                                .column("ol_supply_w_id", ColumnType.INT16)
                                .column("ol_quantity", ColumnType.INT8)
                                .column(
                                        "ol_dist_info",
                                        ColumnType.character(Stocks.DISTRICT_INFO_BYTES))
                                .primaryKey("ol_w_id", "ol_d_id", "ol_o_id", "ol_number")
                                .neighbours(KEY_COLUMNS_OF_ORDER)
                                .bucketRecords(60)
                                .versions(versions)
                                .build());
        number = table.column("ol_number");
        item = table.column("ol_i_id");
        supplyWarehouse = table.column("ol_supply_w_id");
        quantity = table.column("ol_quantity");
        amount = table.column("ol_amount");
        deliveryTime = table.column("ol_delivery_d");
        districtInfo = table.column("ol_dist_info");
        forDelivery = table.project("ol_delivery_d", "ol_amount");
        forStockLevel = table.project("ol_i_id");
    }
}
