package org.namdb.tpcc.driver;

import org.namdb.compute.Session;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.input.DeliveryInput;
import org.namdb.tpcc.input.InputSource;
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
import org.namdb.tpcc.schema.TpccSchema;

/// What one thread's terminals do: draws the input of a transaction, and runs it. Inputs,
/// procedures and results are reused.
public final class TerminalWork {
    private final Session session;
    private final InputSource inputs;
    private final NewOrder newOrder;
    private final Payment payment;
    private final OrderStatus orderStatus;
    private final Delivery delivery;
    private final StockLevel stockLevel;
    private final NewOrderInput newOrderInput = new NewOrderInput();
    private final PaymentInput paymentInput = new PaymentInput();
    private final OrderStatusInput orderStatusInput = new OrderStatusInput();
    private final DeliveryInput deliveryInput = new DeliveryInput();
    private final StockLevelInput stockLevelInput = new StockLevelInput();
    private DeliveryResult delivered = new DeliveryResult();

    /// For one thread.
    ///
    /// @param session runs the transactions
    /// @param inputs what they are about
    public TerminalWork(Session session, TpccSchema schema, InputSource inputs) {
        this.session = session;
        this.inputs = inputs;
        newOrder = new NewOrder(schema);
        payment = new Payment(schema);
        orderStatus = new OrderStatus(schema);
        delivery = new Delivery(schema);
        stockLevel = new StockLevel(schema);
    }

    /// Runs a transaction until it has its result.
    ///
    /// @return whether the result is the rollback that its input requested
    /// @throws org.namdb.compute.TransactionException if it had to be given up
    public boolean run(TransactionType type, Terminal terminal) {
        return switch (type) {
            case NEW_ORDER -> runNewOrder(terminal);
            case PAYMENT -> runPayment(terminal);
            case ORDER_STATUS -> runOrderStatus(terminal);
            case DELIVERY -> runDelivery(terminal);
            case STOCK_LEVEL -> runStockLevel(terminal);
        };
    }

    /// What the last Delivery did.
    DeliveryResult delivered() {
        return delivered;
    }

    /// The carrier of the last Delivery.
    int carrier() {
        return deliveryInput.carrier();
    }

    private boolean runNewOrder(Terminal terminal) {
        inputs.fill(newOrderInput, terminal.warehouse());
        return session.call(newOrder, newOrderInput).isRolledBack();
    }

    private boolean runPayment(Terminal terminal) {
        inputs.fill(paymentInput, terminal.warehouse());
        session.call(payment, paymentInput);
        return false;
    }

    private boolean runOrderStatus(Terminal terminal) {
        inputs.fill(orderStatusInput, terminal.warehouse());
        session.call(orderStatus, orderStatusInput);
        return false;
    }

    private boolean runDelivery(Terminal terminal) {
        inputs.fill(deliveryInput, terminal.warehouse());
        delivered = session.call(delivery, deliveryInput);
        return false;
    }

    private boolean runStockLevel(Terminal terminal) {
        inputs.fill(stockLevelInput, terminal.warehouse(), terminal.district());
        session.call(stockLevel, stockLevelInput);
        return false;
    }
}
