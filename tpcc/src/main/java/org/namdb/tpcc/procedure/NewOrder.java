package org.namdb.tpcc.procedure;

import java.nio.charset.StandardCharsets;
import org.namdb.compute.StoredProcedure;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.Key;
import org.namdb.tpcc.input.NewOrderInput;
import org.namdb.tpcc.schema.TpccSchema;

/// NewOrder (clause 2.4.2): one round trip reads warehouse, district, customer, and all items
/// and stocks.
public final class NewOrder implements StoredProcedure<NewOrderInput, NewOrderResult> {
    private static final byte[] ORIGINAL = "ORIGINAL".getBytes(StandardCharsets.US_ASCII);
    private static final int MIN_LEFT = 10;
    private static final int REFILL = 91;
    private static final long ONE = 10_000;

    private final TpccSchema schema;
    private final NewOrderResult result = new NewOrderResult();
    private final Key warehouseKey;
    private final Key districtKey;
    private final Key customerKey;
    private final Key itemKey;
    private final Key stockKey;
    private final Key orderKey;
    private final Key newOrderKey;
    private final Key lineKey;
    private final Row[] items = new Row[NewOrderInput.MAX_LINES];
    private final Row[] stocks = new Row[NewOrderInput.MAX_LINES];

    public NewOrder(TpccSchema schema) {
        this.schema = schema;
        warehouseKey = schema.warehouses.table.newKey();
        districtKey = schema.districts.table.newKey();
        customerKey = schema.customers.table.newKey();
        itemKey = schema.items.table.newKey();
        stockKey = schema.stocks.table.newKey();
        orderKey = schema.orders.table.newKey();
        newOrderKey = schema.newOrders.table.newKey();
        lineKey = schema.orderLines.table.newKey();
    }

    @Override
    public NewOrderResult run(Transaction tx, NewOrderInput input) {
        int w = input.warehouse();
        int d = input.district();
        Row warehouse =
                tx.post(
                        schema.warehouses.table,
                        warehouseKey.set(w),
                        schema.warehouses.forNewOrder);
        Row district =
                tx.post(
                        schema.districts.table,
                        districtKey.set(w, d),
                        schema.districts.forNewOrder);
        Row customer =
                tx.post(
                        schema.customers.table,
                        customerKey.set(w, d, input.customer()),
                        schema.customers.forNewOrder);
        postLines(tx, input);
        tx.await();
        result.rolledBack = false;
        for (int line = 0; line < input.lines(); line++) {
            if (!items[line].exists()) {
                result.rolledBack = true;
                tx.rollback();
                return result;
            }
        }
        long order = district.int64(schema.districts.nextOrder);
        district.setInt64(schema.districts.nextOrder, order + 1);
        insertOrder(tx, input, order);
        long sum = 0;
        for (int line = 0; line < input.lines(); line++) {
            sum += insertLine(tx, input, order, line);
        }
        long tax =
                ONE + warehouse.int64(schema.warehouses.tax) + district.int64(schema.districts.tax);
        long discount = ONE - customer.int64(schema.customers.discount);
        result.orderId = order;
        result.totalCents = (sum * discount / ONE * tax + ONE / 2) / ONE;
        return result;
    }

    private void postLines(Transaction tx, NewOrderInput input) {
        for (int line = 0; line < input.lines(); line++) {
            int item = input.item(line);
            items[line] = tx.post(schema.items.table, itemKey.set(item), schema.items.forNewOrder);
            stocks[line] =
                    tx.post(
                            schema.stocks.table,
                            stockKey.set(input.supplyWarehouse(line), item),
                            schema.stocks.forNewOrder(input.district()));
        }
    }

    private void insertOrder(Transaction tx, NewOrderInput input, long order) {
        int w = input.warehouse();
        int d = input.district();
        tx.insert(schema.orders.table, orderKey.set(w, d, order))
                .setInt64(schema.orders.customer, input.customer())
                .setInt64(schema.orders.lineCount, input.lines())
                .setInt64(schema.orders.allLocal, input.allLocal() ? 1 : 0)
                .setInt64(schema.orders.entryTime, schema.nowMicros());
        tx.insert(schema.newOrders.table, newOrderKey.set(w, d, order));
    }

    /// Takes a line's items from the stock and writes the line.
    ///
    /// @return its amount, in cents
    private long insertLine(Transaction tx, NewOrderInput input, long order, int line) {
        int quantity = input.quantity(line);
        Row stock = stocks[line];
        long before = stock.int64(schema.stocks.quantity);
        long left = before - quantity >= MIN_LEFT ? before - quantity : before - quantity + REFILL;
        stock.setInt64(schema.stocks.quantity, left);
        stock.setInt64(schema.stocks.ytd, stock.int64(schema.stocks.ytd) + quantity);
        stock.setInt64(schema.stocks.orderCount, stock.int64(schema.stocks.orderCount) + 1);
        if (input.supplyWarehouse(line) != input.warehouse()) {
            stock.setInt64(schema.stocks.remoteCount, stock.int64(schema.stocks.remoteCount) + 1);
        }
        Row item = items[line];
        long amount = quantity * item.int64(schema.items.price);
        result.amounts[line] = amount;
        result.stockQuantities[line] = (int) left;
        result.brands[line] =
                holdsOriginal(item, schema.items.data) && holdsOriginal(stock, schema.stocks.data);
        tx.insert(
                        schema.orderLines.table,
                        lineKey.set(input.warehouse(), input.district(), order, line + 1))
                .setInt64(schema.orderLines.item, input.item(line))
                .setInt64(schema.orderLines.supplyWarehouse, input.supplyWarehouse(line))
                .setInt64(schema.orderLines.quantity, quantity)
                .setInt64(schema.orderLines.amount, amount)
                .setFrom(
                        schema.orderLines.districtInfo,
                        stock,
                        schema.stocks.districtInfo(input.district()));
        return amount;
    }

    private static boolean holdsOriginal(Row row, Column column) {
        int last = row.length(column) - ORIGINAL.length;
        for (int start = 0; start <= last; start++) {
            int matched = 0;
            while (matched < ORIGINAL.length
                    && row.byteAt(column, start + matched) == ORIGINAL[matched]) {
                matched++;
            }
            if (matched == ORIGINAL.length) {
                return true;
            }
        }
        return false;
    }
}
