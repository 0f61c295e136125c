package org.namdb.tpcc.schema;

import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Projection;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.tpcc.Scale;

/// The table ITEM.
public final class Items {
    public final Table table;
    public final Column price;
    public final Column imageId;
    public final Column name;
    public final Column data;

    /// What NewOrder reads.
    public final Projection forNewOrder;

    Items(TpccTables tables, Scale scale) {
        table =
                tables.table(
                        TableDefinition.named("item")
                                .column("i_id", ColumnType.INT32)
                                .column("i_price", ColumnType.decimal(5, 2))
                                .column("i_name", ColumnType.varchar(24))
                                .column("i_data", ColumnType.varchar(50))
                                .column("i_im_id", ColumnType.INT32)
                                .primaryKey("i_id")
                                .bucketRecords(3)
                                .versions(1)
                                .build());
        price = table.column("i_price");
        imageId = table.column("i_im_id");
        name = table.column("i_name");
        data = table.column("i_data");
        forNewOrder = table.project("i_price", "i_name", "i_data");
    }
}
