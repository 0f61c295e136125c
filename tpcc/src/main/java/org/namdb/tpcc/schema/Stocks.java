package org.namdb.tpcc.schema;

import java.util.ArrayList;
import java.util.List;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Projection;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.tpcc.Scale;

/// The table STOCK.
public final class Stocks {
    /// The bytes of S_DIST_xx.
    public static final int DISTRICT_INFO_BYTES = 24;

    public final Table table;
    public final Column ytd;
    public final Column quantity;
    public final Column orderCount;
    public final Column remoteCount;
    public final Column data;

    /// What StockLevel reads.
    public final Projection forStockLevel;

    private final List<Column> districtInfos = new ArrayList<>();
    private final List<Projection> forNewOrder = new ArrayList<>();

    Stocks(TpccTables tables, Scale scale, int versions) {
        TableDefinition.Builder definition =
                TableDefinition.named("stock")
                        .column("s_w_id", ColumnType.INT16)
                        .column("s_i_id", ColumnType.INT32)
                        .column("s_ytd", ColumnType.INT64)
                        .column("s_quantity", ColumnType.INT32)
                        .column("s_order_cnt", ColumnType.INT32)
                        .column("s_remote_cnt", ColumnType.INT32)
                        .column("s_data", ColumnType.varchar(50));
        for (int district = 1; district <= Scale.DISTRICTS; district++) {
            definition.column(districtColumn(district), ColumnType.character(DISTRICT_INFO_BYTES));
        }
        table =
                tables.table(
                        definition
                                .primaryKey("s_w_id", "s_i_id")
                                .bucketRecords(3)
                                .versions(versions)
                                .build());
        ytd = table.column("s_ytd");
        quantity = table.column("s_quantity");
        orderCount = table.column("s_order_cnt");
        remoteCount = table.column("s_remote_cnt");
        data = table.column("s_data");
        for (int district = 1; district <= Scale.DISTRICTS; district++) {
            districtInfos.add(table.column(districtColumn(district)));
            forNewOrder.add(
                    table.project(
                            "s_ytd",
                            "s_quantity",
                            "s_order_cnt",
                            "s_remote_cnt",
                            "s_data",
                            districtColumn(district)));
        }
        forStockLevel = table.project("s_quantity");
    }

    /// The column S_DIST_xx of a district, 1 to 10.
    public Column districtInfo(int district) {
        return districtInfos.get(district - 1);
    }

    /// What NewOrder reads for an order of this district.
    public Projection forNewOrder(int district) {
        return forNewOrder.get(district - 1);
    }

    private static String districtColumn(int district) {
        return (district < 10 ? "s_dist_0" : "s_dist_") + district;
    }
}
