package org.namdb.tpcc.load;

import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.mvcc.schema.Key;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.schema.Districts;
import org.namdb.tpcc.schema.TpccSchema;
import org.namdb.tpcc.schema.Warehouses;

/// A warehouse and its districts. Each customer has paid 10.00 so far, which is what their sums
/// show.
final class WarehouseRows implements RowLoader {
    private static final int MAX_TAX = 2_000;

    private final Warehouses warehouses;
    private final Districts districts;
    private final int customersPerDistrict;
    private final Key warehouseKey;
    private final Key districtKey;
    private final ColumnText text = new ColumnText();

    WarehouseRows(TpccSchema schema, Scale scale) {
        this.warehouses = schema.warehouses;
        this.districts = schema.districts;
        this.customersPerDistrict = scale.customersPerDistrict();
        this.warehouseKey = warehouses.table.newKey();
        this.districtKey = districts.table.newKey();
    }

    @Override
    public int insert(Transaction tx, TpccRandom random, LoadPart part, int number) {
        insertWarehouse(tx, random, part.warehouse());
        for (int d = 1; d <= Scale.DISTRICTS; d++) {
            insertDistrict(tx, random, part.warehouse(), d);
        }
        return 1 + Scale.DISTRICTS;
    }

    private void insertWarehouse(Transaction tx, TpccRandom random, int w) {
        Row row = tx.insert(warehouses.table, warehouseKey.set(w));
        text.alphanumeric(row, warehouses.name, random, 6, 10);
        text.street(row, warehouses.street1, random);
        text.street(row, warehouses.street2, random);
        text.street(row, warehouses.city, random);
        text.state(row, warehouses.state, random);
        text.zip(row, warehouses.zip, random);
        row.setInt64(warehouses.tax, random.uniform(0, MAX_TAX));
        row.setInt64(warehouses.ytd, Scale.DISTRICTS * districtYtd());
    }

    private void insertDistrict(Transaction tx, TpccRandom random, int w, int d) {
        Row row = tx.insert(districts.table, districtKey.set(w, d));
        text.alphanumeric(row, districts.name, random, 6, 10);
        text.street(row, districts.street1, random);
        text.street(row, districts.street2, random);
        text.street(row, districts.city, random);
        text.state(row, districts.state, random);
        text.zip(row, districts.zip, random);
        row.setInt64(districts.tax, random.uniform(0, MAX_TAX));
        row.setInt64(districts.ytd, districtYtd());
        row.setInt64(districts.nextOrder, customersPerDistrict + 1L);
    }

    private long districtYtd() {
        return customersPerDistrict * CustomerRows.PAID_CENTS;
    }
}
