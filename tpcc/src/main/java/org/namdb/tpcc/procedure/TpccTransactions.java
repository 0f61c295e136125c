package org.namdb.tpcc.procedure;

import org.namdb.tpcc.input.DeliveryInput;
import org.namdb.tpcc.input.NewOrderInput;
import org.namdb.tpcc.input.OrderStatusInput;
import org.namdb.tpcc.input.PaymentInput;
import org.namdb.tpcc.input.StockLevelInput;
import org.namdb.workload.statistics.CostSource;

/// A thread's five transactions, each run until it has its result.
public interface TpccTransactions extends AutoCloseable {
    /// Clause 2.4.2.
    ///
    /// @return whether it is rolled back, as its input requests
    boolean newOrder(NewOrderInput input);

    /// Clause 2.5.2.
    void payment(PaymentInput input);

    /// Clause 2.6.2.
    void orderStatus(OrderStatusInput input);

    /// Clause 2.7.4.
    void delivery(DeliveryInput input);

    /// Clause 2.8.2.
    void stockLevel(StockLevelInput input);

    /// Copies the orders that the last delivery has delivered, 0 for none, the first district's
    /// first.
    void copyDelivered(long[] target);

    /// What they are counted by.
    CostSource costs();

    @Override
    void close();
}
