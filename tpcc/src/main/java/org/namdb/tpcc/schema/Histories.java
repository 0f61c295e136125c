package org.namdb.tpcc.schema;

import org.namdb.compute.NamDb;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.tpcc.Scale;

/// The table HISTORY. The standard gives it no key; ours is a number that the session which inserts
/// a row has to itself, and a counter, whose runs of eight are neighbours, so that a session
/// fills one bucket after the other.
public final class Histories {
    private static final int NEIGHBOURS = 8;
    private static final int SHIFT = 3;

    public final Table table;
    public final Column customer;
    public final Column customerDistrict;
    public final Column customerWarehouse;
    public final Column district;
    public final Column warehouse;
    public final Column time;
    public final Column amount;
    public final Column data;
    private final NamDb db;

    Histories(NamDb db, TpccTables tables, Scale scale) {
        table =
                tables.table(
                        TableDefinition.named("history")
                                .column("h_writer", ColumnType.INT64)
                                .column("h_run", ColumnType.INT32)
                                .column("h_number", ColumnType.INT8)
                                .column("h_c_id", ColumnType.INT32)
                                .column("h_c_d_id", ColumnType.INT8)
                                .column("h_c_w_id", ColumnType.INT16)
                                .column("h_d_id", ColumnType.INT8)
                                .column("h_w_id", ColumnType.INT16)
                                .column("h_date", ColumnType.TIMESTAMP)
                                .column("h_amount", ColumnType.decimal(6, 2))
                                .column("h_data", ColumnType.varchar(24))
                                .primaryKey("h_writer", "h_run", "h_number")
                                .neighbours(2)
                                .bucketRecords(4 * NEIGHBOURS)
                                .versions(1)
                                .build());
        customer = table.column("h_c_id");
        customerDistrict = table.column("h_c_d_id");
        customerWarehouse = table.column("h_c_w_id");
        district = table.column("h_d_id");
        warehouse = table.column("h_w_id");
        time = table.column("h_date");
        amount = table.column("h_amount");
        data = table.column("h_data");
        this.db = db;
    }

    /// Keys of rows that one session inserts.
    public NewKeys newKeys() {
        return new NewKeys();
    }

    /// Gives out keys that no row has, for one thread at a time.
    public final class NewKeys {
        private final Key key = table.newKey();
        private long writer;
        private int number;

        private NewKeys() {}

        /// The next one, in place of the one before.
        public Key next() {
            if (writer == 0) {
                writer = db.uniqueNumber();
            }
            int next = number++;
            return key.set(writer, next >>> SHIFT, next & NEIGHBOURS - 1);
        }
    }
}
