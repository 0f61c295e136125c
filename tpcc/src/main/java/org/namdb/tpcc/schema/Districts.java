package org.namdb.tpcc.schema;

import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Projection;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.tpcc.Scale;

/// The table DISTRICT.
public final class Districts {
    public final Table table;
    public final Column ytd;
    public final Column tax;
    public final Column nextOrder;
    public final Column name;
    public final Column street1;
    public final Column street2;
    public final Column city;
    public final Column state;
    public final Column zip;

    /// What NewOrder reads.
    public final Projection forNewOrder;

    /// What StockLevel reads.
    public final Projection forStockLevel;

    Districts(TpccTables tables, Scale scale, int versions) {
        table =
                tables.table(
                        TableDefinition.named("district")
                                .column("d_w_id", ColumnType.INT16)
                                .column("d_id", ColumnType.INT8)
                                .column("d_ytd", ColumnType.decimal(12, 2))
                                .column("d_tax", ColumnType.decimal(4, 4))
                                .column("d_next_o_id", ColumnType.INT32)
                                .column("d_name", ColumnType.varchar(10))
                                .column("d_street_1", ColumnType.varchar(20))
                                .column("d_street_2", ColumnType.varchar(20))
                                .column("d_city", ColumnType.varchar(20))
                                .column("d_state", ColumnType.character(2))
                                .column("d_zip", ColumnType.character(9))
                                .primaryKey("d_w_id", "d_id")
                                .bucketRecords(1)
                                .load(10)
                                .versions(versions)
                                .expectedRows(scale.districts())
                                .build());
        ytd = table.column("d_ytd");
        tax = table.column("d_tax");
        nextOrder = table.column("d_next_o_id");
        name = table.column("d_name");
        street1 = table.column("d_street_1");
        street2 = table.column("d_street_2");
        city = table.column("d_city");
        state = table.column("d_state");
        zip = table.column("d_zip");
        forNewOrder = table.project("d_tax", "d_next_o_id");
        forStockLevel = table.project("d_next_o_id");
    }
}
