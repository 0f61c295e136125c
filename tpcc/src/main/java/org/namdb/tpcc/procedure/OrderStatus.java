package org.namdb.tpcc.procedure;

import org.namdb.compute.StoredProcedure;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.read.Rows;
import org.namdb.mvcc.schema.Key;
import org.namdb.tpcc.input.OrderStatusInput;
import org.namdb.tpcc.schema.TpccSchema;

/// OrderStatus (clause 2.6.2): a customer's latest order and its lines.
public final class OrderStatus implements StoredProcedure<OrderStatusInput, OrderStatusResult> {
    private final TpccSchema schema;
    private final CustomerChoice choice;
    private final OrderStatusResult result = new OrderStatusResult();
    private final Key ordersKey;
    private final Key lineKey;
    private final Rows lines = new Rows();

    public OrderStatus(TpccSchema schema) {
        this.schema = schema;
        this.choice = new CustomerChoice(schema.customers);
        this.ordersKey = schema.orders.byCustomer.newKey();
        this.lineKey = schema.orderLines.table.newKey();
    }

    @Override
    public OrderStatusResult run(Transaction tx, OrderStatusInput input) {
        int w = input.warehouse();
        int d = input.district();
        Row customer = null;
        RowCursor orders = null;
        if (input.byLastName()) {
            choice.postByLastName(tx, w, d, input.lastName(), schema.customers.forOrderStatus);
        } else {
            customer = choice.post(tx, w, d, input.customer(), schema.customers.forOrderStatus);
            orders = postOrders(tx, w, d, input.customer());
        }
        tx.await();
        if (customer == null || orders == null) {
            customer = choice.middle(input.lastName());
            orders = postOrders(tx, w, d, customer.int64(schema.customers.id));
        }
        result.customer = customer.int64(schema.customers.id);
        result.balanceCents = customer.int64(schema.customers.balance);
        result.order = 0;
        result.carrier = 0;
        result.lines = 0;
        result.amountCents = 0;
        Row order = orders.next();
        orders.close();
        if (order != null) {
            showOrder(tx, w, d, order);
        }
        return result;
    }

    /// Posts the read of a customer's last order.
    private RowCursor postOrders(Transaction tx, int w, int d, long customer) {
        ordersKey.set(w, d, customer);
        return tx.postDescending(
                schema.orders.byCustomer,
                schema.orders.table,
                ordersKey,
                ordersKey,
                schema.orders.table.schema().all());
    }

    private void showOrder(Transaction tx, int w, int d, Row order) {
        result.order = order.int64(schema.orders.id);
        result.carrier =
                order.isNull(schema.orders.carrier) ? 0 : order.int64(schema.orders.carrier);
        tx.neighbours(
                schema.orderLines.table,
                lineKey.set(w, d, result.order),
                schema.orderLines.table.schema().all(),
                lines);
        result.lines = lines.size();
        for (int i = 0; i < lines.size(); i++) {
            result.amountCents += lines.row(i).int64(schema.orderLines.amount);
        }
    }
}
