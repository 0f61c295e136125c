package org.namdb.tpcc.schema;

import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Projection;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.tpcc.Scale;

/// The table WAREHOUSE.
public final class Warehouses {
    public final Table table;
    public final Column ytd;
    public final Column tax;
    public final Column name;
    public final Column street1;
    public final Column street2;
    public final Column city;
    public final Column state;
    public final Column zip;

    /// What NewOrder reads.
    public final Projection forNewOrder;

    Warehouses(TpccTables tables, Scale scale, int versions) {
        table =
                tables.table(
                        TableDefinition.named("warehouse")
                                .column("w_id", ColumnType.INT16)
                                .column("w_ytd", ColumnType.decimal(12, 2))
                                .column("w_tax", ColumnType.decimal(4, 4))
                                .column("w_name", ColumnType.varchar(10))
                                .column("w_street_1", ColumnType.varchar(20))
                                .column("w_street_2", ColumnType.varchar(20))
                                .column("w_city", ColumnType.varchar(20))
                                .column("w_state", ColumnType.character(2))
                                .column("w_zip", ColumnType.character(9))
                                .primaryKey("w_id")
                                .bucketRecords(1)
                                .load(10)
                                .versions(versions)
                                .expectedRows(scale.warehouses())
                                .build());
        ytd = table.column("w_ytd");
        tax = table.column("w_tax");
        name = table.column("w_name");
        street1 = table.column("w_street_1");
        street2 = table.column("w_street_2");
        city = table.column("w_city");
        state = table.column("w_state");
        zip = table.column("w_zip");
        forNewOrder = table.project("w_tax");
    }
}
