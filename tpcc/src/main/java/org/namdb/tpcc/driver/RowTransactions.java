package org.namdb.tpcc.driver;

import org.namdb.compute.Session;
import org.namdb.tpcc.input.DeliveryInput;
import org.namdb.tpcc.input.NewOrderInput;
import org.namdb.tpcc.input.OrderStatusInput;
import org.namdb.tpcc.input.PaymentInput;
import org.namdb.tpcc.input.StockLevelInput;
import org.namdb.tpcc.procedure.Delivery;
import org.namdb.tpcc.procedure.DeliveryResult;
import org.namdb.tpcc.procedure.NewOrder;
import org.namdb.tpcc.procedure.OrderStatus;
import org.namdb.tpcc.procedure.Payment;
import org.namdb.tpcc.procedure.StockLevel;
import org.namdb.tpcc.procedure.TpccTransactions;
import org.namdb.tpcc.schema.TpccSchema;
import org.namdb.workload.statistics.CostSource;

/// The transactions on rows: procedures of a session, which its thread closes. They are reused.
final class RowTransactions implements TpccTransactions {
    private final Session session;
    private final NewOrder newOrder;
    private final Payment payment;
    private final OrderStatus orderStatus;
    private final Delivery delivery;
    private final StockLevel stockLevel;
    private DeliveryResult delivered = new DeliveryResult();

    RowTransactions(Session session, TpccSchema schema) {
        this.session = session;
        newOrder = new NewOrder(schema);
        payment = new Payment(schema);
        orderStatus = new OrderStatus(schema);
        delivery = new Delivery(schema);
        stockLevel = new StockLevel(schema);
    }

    @Override
    public boolean newOrder(NewOrderInput input) {
        return session.call(newOrder, input).isRolledBack();
    }

    @Override
    public void payment(PaymentInput input) {
        session.call(payment, input);
    }

    @Override
    public void orderStatus(OrderStatusInput input) {
        session.call(orderStatus, input);
    }

    @Override
    public void delivery(DeliveryInput input) {
        delivered = session.call(delivery, input);
    }

    @Override
    public void stockLevel(StockLevelInput input) {
        session.call(stockLevel, input);
    }

    @Override
    public void copyDelivered(long[] target) {
        delivered.copyOrders(target);
    }

    @Override
    public CostSource costs() {
        return CostSource.of(session);
    }

    @Override
    public void close() {}
}
