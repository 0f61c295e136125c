package org.namdb.tpcc.schema;

import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Projection;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.tpcc.Scale;

/// The table CUSTOMER, with a hashed index on the last name.
public final class Customers {
    /// The longest C_DATA, in bytes.
    public static final int DATA_BYTES = 500;

    public final Table table;
    public final Index byLastName;
    public final Column id;
    public final Column balance;
    public final Column ytdPayment;
    public final Column paymentCount;
    public final Column deliveryCount;
    public final Column credit;
    public final Column middle;
    public final Column discount;
    public final Column last;
    public final Column first;
    public final Column creditLimit;
    public final Column since;
    public final Column street1;
    public final Column street2;
    public final Column city;
    public final Column state;
    public final Column zip;
    public final Column phone;
    public final Column data;

    /// What NewOrder reads.
    public final Projection forNewOrder;

    /// What Payment reads: everything but C_DATA, which only customers with bad credit need.
    public final Projection forPayment;

    /// What OrderStatus reads.
    public final Projection forOrderStatus;

    /// What Delivery reads.
    public final Projection forDelivery;

    Customers(TpccTables tables, Scale scale, int versions) {
        table =
                tables.table(
                        TableDefinition.named("customer")
                                .column("c_w_id", ColumnType.INT16)
                                .column("c_d_id", ColumnType.INT8)
                                .column("c_id", ColumnType.INT32)
                                .column("c_balance", ColumnType.decimal(12, 2))
                                .column("c_ytd_payment", ColumnType.decimal(12, 2))
                                .column("c_payment_cnt", ColumnType.INT32)
                                .column("c_delivery_cnt", ColumnType.INT32)
                                .column("c_credit", ColumnType.character(2))
                                .column("c_middle", ColumnType.character(2))
                                .column("c_discount", ColumnType.decimal(4, 4))
                                .column("c_last", ColumnType.varchar(16))
                                .column("c_first", ColumnType.varchar(16))
                                .column("c_credit_lim", ColumnType.decimal(12, 2))
                                .column("c_since", ColumnType.TIMESTAMP)
                                .column("c_street_1", ColumnType.varchar(20))
                                .column("c_street_2", ColumnType.varchar(20))
                                .column("c_city", ColumnType.varchar(20))
                                .column("c_state", ColumnType.character(2))
                                .column("c_zip", ColumnType.character(9))
                                .column("c_phone", ColumnType.character(16))
                                .column("c_data", ColumnType.varchar(DATA_BYTES))
                                .primaryKey("c_w_id", "c_d_id", "c_id")
                                .bucketRecords(3)
                                .versions(versions)
                                .build());
        byLastName =
                tables.index(
                        IndexDefinition.hash(
                                "customer_by_last_name", "customer", "c_w_id", "c_d_id", "c_last"));
        id = table.column("c_id");
        balance = table.column("c_balance");
        ytdPayment = table.column("c_ytd_payment");
        paymentCount = table.column("c_payment_cnt");
        deliveryCount = table.column("c_delivery_cnt");
        credit = table.column("c_credit");
        middle = table.column("c_middle");
        discount = table.column("c_discount");
        last = table.column("c_last");
        first = table.column("c_first");
        creditLimit = table.column("c_credit_lim");
        since = table.column("c_since");
        street1 = table.column("c_street_1");
        street2 = table.column("c_street_2");
        city = table.column("c_city");
        state = table.column("c_state");
        zip = table.column("c_zip");
        phone = table.column("c_phone");
        data = table.column("c_data");
        forNewOrder = table.project("c_discount", "c_last", "c_credit");
        forPayment =
                table.project(
                        "c_balance",
                        "c_ytd_payment",
                        "c_payment_cnt",
                        "c_credit",
                        "c_middle",
                        "c_discount",
                        "c_last",
                        "c_first",
                        "c_credit_lim",
                        "c_since",
                        "c_street_1",
                        "c_street_2",
                        "c_city",
                        "c_state",
                        "c_zip",
                        "c_phone");
        forOrderStatus = table.project("c_balance", "c_first", "c_middle", "c_last");
        forDelivery = table.project("c_balance", "c_delivery_cnt");
    }
}
