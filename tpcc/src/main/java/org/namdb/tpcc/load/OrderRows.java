package org.namdb.tpcc.load;

import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.mvcc.schema.Key;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.schema.NewOrders;
import org.namdb.tpcc.schema.OrderLines;
import org.namdb.tpcc.schema.Orders;
import org.namdb.tpcc.schema.Stocks;
import org.namdb.tpcc.schema.TpccSchema;

/// A district's orders with their lines, one for each customer, in a random order of the customers;
/// a number is an order's id. The last ones are not yet delivered.
final class OrderRows implements RowLoader {
    private static final int MIN_LINES = 5;
    private static final int MAX_LINES = 15;
    private static final int MAX_CARRIER = 10;
    private static final int QUANTITY = 5;
    private static final int MAX_AMOUNT_CENTS = 999_999;

    private final Orders orders;
    private final NewOrders newOrders;
    private final OrderLines lines;
    private final int items;
    private final int delivered;
    private final long nowMicros;
    private final int[] customers;
    private final Key orderKey;
    private final Key newOrderKey;
    private final Key lineKey;
    private final ColumnText text = new ColumnText();

    OrderRows(TpccSchema schema, Scale scale, long nowMicros) {
        this.orders = schema.orders;
        this.newOrders = schema.newOrders;
        this.lines = schema.orderLines;
        this.items = scale.items();
        this.delivered = scale.deliveredPerDistrict();
        this.nowMicros = nowMicros;
        this.customers = new int[scale.customersPerDistrict()];
        this.orderKey = orders.table.newKey();
        this.newOrderKey = newOrders.table.newKey();
        this.lineKey = lines.table.newKey();
    }

    @Override
    public void start(LoadPart part, TpccRandom random) {
        random.permutation(customers, 1);
    }

    @Override
    public int insert(Transaction tx, TpccRandom random, LoadPart part, int number) {
        int w = part.warehouse();
        int d = part.district();
        boolean isDelivered = number <= delivered;
        int count = random.uniform(MIN_LINES, MAX_LINES);
        Row order =
                tx.insert(orders.table, orderKey.set(w, d, number))
                        .setInt64(orders.customer, customers[number - 1])
                        .setInt64(orders.lineCount, count)
                        .setInt64(orders.allLocal, 1)
                        .setInt64(orders.entryTime, nowMicros);
        if (isDelivered) {
            order.setInt64(orders.carrier, random.uniform(1, MAX_CARRIER));
        } else {
            tx.insert(newOrders.table, newOrderKey.set(w, d, number));
        }
        for (int line = 1; line <= count; line++) {
            lineKey.set(w, d, number, line);
            insertLine(tx, random, w, isDelivered);
        }
        return 1 + (isDelivered ? 0 : 1) + count;
    }

    private void insertLine(Transaction tx, TpccRandom random, int w, boolean isDelivered) {
        Row line =
                tx.insert(lines.table, lineKey)
                        .setInt64(lines.item, random.uniform(1, items))
                        .setInt64(lines.supplyWarehouse, w)
                        .setInt64(lines.quantity, QUANTITY);
        if (isDelivered) {
            line.setInt64(lines.deliveryTime, nowMicros).setInt64(lines.amount, 0);
        } else {
            line.setInt64(lines.amount, random.uniform(1, MAX_AMOUNT_CENTS));
        }
        text.alphanumeric(
                line,
                lines.districtInfo,
                random,
                Stocks.DISTRICT_INFO_BYTES,
                Stocks.DISTRICT_INFO_BYTES);
    }
}
