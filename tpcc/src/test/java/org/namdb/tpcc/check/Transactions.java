package org.namdb.tpcc.check;

import java.util.OptionalInt;
import org.namdb.compute.Session;
import org.namdb.tpcc.ItemSkew;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.input.DeliveryInput;
import org.namdb.tpcc.input.InputSource;
import org.namdb.tpcc.input.ItemChooser;
import org.namdb.tpcc.input.NewOrderInput;
import org.namdb.tpcc.input.NuRandConstants;
import org.namdb.tpcc.input.OrderStatusInput;
import org.namdb.tpcc.input.PaymentInput;
import org.namdb.tpcc.input.StockLevelInput;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.load.LoadedDatabase;
import org.namdb.tpcc.procedure.Delivery;
import org.namdb.tpcc.procedure.NewOrder;
import org.namdb.tpcc.procedure.OrderStatus;
import org.namdb.tpcc.procedure.Payment;
import org.namdb.tpcc.procedure.StockLevel;
import org.namdb.tpcc.schema.TpccSchema;

/// One thread that runs transactions.
final class Transactions implements AutoCloseable {
    private final Session session;
    private final Scale scale;
    private final InputSource inputs;
    private final TpccRandom random;
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

    Transactions(LoadedDatabase loaded, long seed, int thread) {
        session = loaded.db.session();
        scale = loaded.scale;
        random = TpccRandom.stream(seed, thread);
        NuRandConstants constants = NuRandConstants.of(seed);
        ItemChooser items = ItemChooser.of(new ItemSkew.Standard(), scale.items(), constants);
        inputs = new InputSource(scale, items, constants, OptionalInt.empty(), random);
        TpccSchema schema = loaded.schema;
        newOrder = new NewOrder(schema);
        payment = new Payment(schema);
        orderStatus = new OrderStatus(schema);
        delivery = new Delivery(schema);
        stockLevel = new StockLevel(schema);
    }

    /// Runs one transaction of each type for a random warehouse.
    void runOneOfEach() {
        int warehouse = random.uniform(1, scale.warehouses());
        inputs.fill(newOrderInput, warehouse);
        session.call(newOrder, newOrderInput);
        inputs.fill(paymentInput, warehouse);
        session.call(payment, paymentInput);
        inputs.fill(orderStatusInput, warehouse);
        session.call(orderStatus, orderStatusInput);
        inputs.fill(deliveryInput, warehouse);
        session.call(delivery, deliveryInput);
        inputs.fill(stockLevelInput, warehouse, random.uniform(1, Scale.DISTRICTS));
        session.call(stockLevel, stockLevelInput);
    }

    @Override
    public void close() {
        session.close();
    }
}
