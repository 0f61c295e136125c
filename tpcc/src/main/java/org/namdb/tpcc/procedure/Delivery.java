package org.namdb.tpcc.procedure;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.StoredProcedure;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.read.Rows;
import org.namdb.mvcc.schema.Key;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.input.DeliveryInput;
import org.namdb.tpcc.schema.TpccSchema;

/// Delivery (clause 2.7.4): the oldest undelivered order of every district, in one transaction.
public final class Delivery implements StoredProcedure<DeliveryInput, DeliveryResult> {
    private final TpccSchema schema;
    private final DeliveryResult result = new DeliveryResult();
    private final Key oldestKey;
    private final Key orderKey;
    private final Key lineKey;
    private final Key customerKey;
    private final Rows[] lines = new Rows[Scale.DISTRICTS];
    private final @Nullable Row[] newOrders = new @Nullable Row[Scale.DISTRICTS];
    private final RowCursor[] oldest = new RowCursor[Scale.DISTRICTS];
    private final Row[] orders = new Row[Scale.DISTRICTS];
    private final Row[] customers = new Row[Scale.DISTRICTS];
    private final long[] amounts = new long[Scale.DISTRICTS];

    public Delivery(TpccSchema schema) {
        this.schema = schema;
        this.oldestKey = schema.newOrders.inOrder.newKey();
        this.orderKey = schema.orders.table.newKey();
        this.lineKey = schema.orderLines.table.newKey();
        this.customerKey = schema.customers.table.newKey();
        Arrays.setAll(lines, d -> new Rows());
    }

    @Override
    public DeliveryResult run(Transaction tx, DeliveryInput input) {
        findOldest(tx, input.warehouse());
        deliverOrders(tx, input);
        payCustomers(tx);
        return result;
    }

    private void findOldest(Transaction tx, int w) {
        result.delivered = 0;
        Arrays.fill(newOrders, null);
        for (int d = 0; d < Scale.DISTRICTS; d++) {
            oldestKey.set(w, d + 1);
            oldest[d] =
                    tx.postAscending(
                            schema.newOrders.inOrder,
                            schema.newOrders.table,
                            oldestKey,
                            oldestKey,
                            schema.newOrders.table.schema().all());
        }
        tx.await();
        for (int d = 0; d < Scale.DISTRICTS; d++) {
            Row row = oldest[d].next();
            oldest[d].close();
            newOrders[d] = row;
            result.orders[d] = 0;
            if (row != null) {
                result.delivered++;
                long order = row.int64(schema.newOrders.order);
                result.orders[d] = order;
                orders[d] =
                        tx.post(
                                schema.orders.table,
                                orderKey.set(w, d + 1, order),
                                schema.orders.forDelivery);
                tx.postNeighbours(
                        schema.orderLines.table,
                        lineKey.set(w, d + 1, order),
                        schema.orderLines.forDelivery,
                        lines[d]);
            }
        }
    }

    private void deliverOrders(Transaction tx, DeliveryInput input) {
        tx.await();
        int w = input.warehouse();
        long now = schema.nowMicros();
        for (int d = 0; d < Scale.DISTRICTS; d++) {
            Row newOrder = newOrders[d];
            if (newOrder == null) {
                continue;
            }
            tx.delete(newOrder);
            Row order = orders[d];
            order.setInt64(schema.orders.carrier, input.carrier());
            customers[d] =
                    tx.post(
                            schema.customers.table,
                            customerKey.set(w, d + 1, order.int64(schema.orders.customer)),
                            schema.customers.forDelivery);
            amounts[d] = deliverLines(lines[d], now);
        }
    }

    private long deliverLines(Rows lines, long now) {
        long amount = 0;
        for (int i = 0; i < lines.size(); i++) {
            Row line = lines.row(i);
            line.setInt64(schema.orderLines.deliveryTime, now);
            amount += line.int64(schema.orderLines.amount);
        }
        return amount;
    }

    private void payCustomers(Transaction tx) {
        tx.await();
        for (int d = 0; d < Scale.DISTRICTS; d++) {
            if (newOrders[d] != null) {
                Row customer = customers[d];
                customer.setInt64(
                        schema.customers.balance,
                        customer.int64(schema.customers.balance) + amounts[d]);
                customer.setInt64(
                        schema.customers.deliveryCount,
                        customer.int64(schema.customers.deliveryCount) + 1);
            }
        }
    }
}
