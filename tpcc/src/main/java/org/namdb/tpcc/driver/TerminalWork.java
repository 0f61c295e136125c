package org.namdb.tpcc.driver;

import org.namdb.compute.Session;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.input.DeliveryInput;
import org.namdb.tpcc.input.InputSource;
import org.namdb.tpcc.input.NewOrderInput;
import org.namdb.tpcc.input.OrderStatusInput;
import org.namdb.tpcc.input.PaymentInput;
import org.namdb.tpcc.input.StockLevelInput;
import org.namdb.tpcc.procedure.TpccTransactions;
import org.namdb.tpcc.schema.TpccSchema;

/// What one thread's terminals do: draws the input of a transaction, and runs it. Inputs,
/// procedures and results are reused.
public final class TerminalWork {
    private final TpccTransactions transactions;
    private final InputSource inputs;
    private final NewOrderInput newOrderInput = new NewOrderInput();
    private final PaymentInput paymentInput = new PaymentInput();
    private final OrderStatusInput orderStatusInput = new OrderStatusInput();
    private final DeliveryInput deliveryInput = new DeliveryInput();
    private final StockLevelInput stockLevelInput = new StockLevelInput();

    /// For one thread.
    ///
    /// @param session runs the transactions
    /// @param inputs what they are about
    public TerminalWork(Session session, TpccSchema schema, InputSource inputs) {
        this(new RowTransactions(session, schema), inputs);
    }

    /// The same with other transactions.
    public TerminalWork(TpccTransactions transactions, InputSource inputs) {
        this.transactions = transactions;
        this.inputs = inputs;
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

    /// What runs the transactions.
    TpccTransactions transactions() {
        return transactions;
    }

    /// The carrier of the last Delivery.
    int carrier() {
        return deliveryInput.carrier();
    }

    private boolean runNewOrder(Terminal terminal) {
        inputs.fill(newOrderInput, terminal.warehouse());
        return transactions.newOrder(newOrderInput);
    }

    private boolean runPayment(Terminal terminal) {
        inputs.fill(paymentInput, terminal.warehouse());
        transactions.payment(paymentInput);
        return false;
    }

    private boolean runOrderStatus(Terminal terminal) {
        inputs.fill(orderStatusInput, terminal.warehouse());
        transactions.orderStatus(orderStatusInput);
        return false;
    }

    private boolean runDelivery(Terminal terminal) {
        inputs.fill(deliveryInput, terminal.warehouse());
        transactions.delivery(deliveryInput);
        return false;
    }

    private boolean runStockLevel(Terminal terminal) {
        inputs.fill(stockLevelInput, terminal.warehouse(), terminal.district());
        transactions.stockLevel(stockLevelInput);
        return false;
    }
}
