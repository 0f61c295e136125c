package org.namdb.tpcc.input;

import java.util.OptionalInt;
import org.namdb.tpcc.Scale;

/// Draws the inputs of one thread's transactions by the rules of clauses 2.4.1 to 2.8.1.
public final class InputSource {
    private static final int ROLLBACK_PERCENT = 1;
    private static final int REMOTE_LINE_PERCENT = 1;
    private static final int REMOTE_PAYMENT_PERCENT = 15;
    private static final int BY_LAST_NAME_PERCENT = 60;

    private final Scale scale;
    private final ItemChooser items;
    private final NuRandConstants constants;
    private final OptionalInt distributionPercent;
    private final TpccRandom random;

    /// A source of inputs.
    ///
    /// @param distributionPercent how many of a hundred new orders have one line that a remote
    ///     warehouse supplies, or absent: each line by itself with one percent
    public InputSource(
            Scale scale,
            ItemChooser items,
            NuRandConstants constants,
            OptionalInt distributionPercent,
            TpccRandom random) {
        this.scale = scale;
        this.items = items;
        this.constants = constants;
        this.distributionPercent = distributionPercent;
        this.random = random;
    }

    /// Draws a NewOrder for a terminal's warehouse.
    public void fill(NewOrderInput input, int warehouse) {
        input.warehouse = warehouse;
        input.district = random.uniform(1, Scale.DISTRICTS);
        input.customer = customer();
        input.lines = random.uniform(NewOrderInput.MIN_LINES, NewOrderInput.MAX_LINES);
        input.allLocal = true;
        for (int line = 0; line < input.lines; line++) {
            input.items[line] = items.next(random);
            input.supplyWarehouses[line] = warehouse;
            input.quantities[line] = random.uniform(1, NewOrderInput.MAX_QUANTITY);
        }
        supplyRemotely(input);
        input.rollback = random.chance(ROLLBACK_PERCENT);
        if (input.rollback) {
            input.items[input.lines - 1] = unusedItem();
        }
    }

    /// Draws a Payment for a terminal's warehouse.
    public void fill(PaymentInput input, int warehouse) {
        input.warehouse = warehouse;
        input.district = random.uniform(1, Scale.DISTRICTS);
        boolean remote = scale.warehouses() > 1 && random.chance(REMOTE_PAYMENT_PERCENT);
        input.customerWarehouse = remote ? otherWarehouse(warehouse) : warehouse;
        input.customerDistrict = remote ? random.uniform(1, Scale.DISTRICTS) : input.district;
        input.byLastName = random.chance(BY_LAST_NAME_PERCENT);
        input.lastName = input.byLastName ? lastName() : 0;
        input.customer = input.byLastName ? 0 : customer();
        input.amountCents = random.uniform(PaymentInput.MIN_CENTS, PaymentInput.MAX_CENTS);
    }

    /// Draws an OrderStatus for a terminal's warehouse.
    public void fill(OrderStatusInput input, int warehouse) {
        input.warehouse = warehouse;
        input.district = random.uniform(1, Scale.DISTRICTS);
        input.byLastName = random.chance(BY_LAST_NAME_PERCENT);
        input.lastName = input.byLastName ? lastName() : 0;
        input.customer = input.byLastName ? 0 : customer();
    }

    /// Draws a Delivery for a terminal's warehouse.
    public void fill(DeliveryInput input, int warehouse) {
        input.warehouse = warehouse;
        input.carrier = random.uniform(1, DeliveryInput.MAX_CARRIER);
    }

    /// Draws a StockLevel for a terminal's warehouse and district.
    public void fill(StockLevelInput input, int warehouse, int district) {
        input.warehouse = warehouse;
        input.district = district;
        input.threshold =
                random.uniform(StockLevelInput.MIN_THRESHOLD, StockLevelInput.MAX_THRESHOLD);
    }

    /// An id that no item has.
    private int unusedItem() {
        return scale.items() + 1;
    }

    private void supplyRemotely(NewOrderInput input) {
        if (scale.warehouses() == 1) {
            return;
        }
        if (distributionPercent.isPresent()) {
            if (random.chance(distributionPercent.getAsInt())) {
                supplyRemotely(input, random.uniform(0, input.lines - 1));
            }
            return;
        }
        for (int line = 0; line < input.lines; line++) {
            if (random.chance(REMOTE_LINE_PERCENT)) {
                supplyRemotely(input, line);
            }
        }
    }

    private void supplyRemotely(NewOrderInput input, int line) {
        input.supplyWarehouses[line] = otherWarehouse(input.warehouse);
        input.allLocal = false;
    }

    private int otherWarehouse(int warehouse) {
        int other = random.uniform(1, scale.warehouses() - 1);
        return other < warehouse ? other : other + 1;
    }

    private int customer() {
        return random.nuRand(
                NuRandConstants.CUSTOMER_A, constants.customer(), 1, scale.customersPerDistrict());
    }

    private int lastName() {
        return random.nuRand(
                NuRandConstants.LAST_NAME_A, constants.lastNameRun(), 0, scale.lastNames() - 1);
    }
}
