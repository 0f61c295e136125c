package org.namdb.tpcc.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.tpcc.ItemSkew;
import org.namdb.tpcc.Scale;

/// Clauses 2.4.1 to 2.8.1: the inputs of terminals.
class InputSourceTest {
    private static final int DRAWS = 100_000;
    private static final Scale SCALE = new Scale(5, 100);

    private final long seed = Seeds.next();

    private InputSource source(Scale scale, OptionalInt distributionPercent) {
        NuRandConstants constants = NuRandConstants.of(seed);
        ItemChooser items = ItemChooser.of(new ItemSkew.Standard(), scale.items(), constants);
        return new InputSource(scale, items, constants, distributionPercent, new TpccRandom(seed));
    }

    private static void isAbout(int count, double percent) {
        assertThat(100.0 * count / DRAWS).isCloseTo(percent, within(0.05 * percent + 0.15));
    }

    @Test
    void newOrderIsInItsRanges() {
        InputSource source = source(SCALE, OptionalInt.empty());
        NewOrderInput input = new NewOrderInput();
        long lines = 0;
        int rollbacks = 0;
        int remotes = 0;
        for (int i = 0; i < DRAWS; i++) {
            source.fill(input, 3);
            assertThat(input.warehouse()).isEqualTo(3);
            assertThat(input.district()).isBetween(1, 10);
            assertThat(input.customer()).isBetween(1, 3_000);
            assertThat(input.lines()).isBetween(5, 15);
            lines += input.lines();
            rollbacks += input.rollback() ? 1 : 0;
            remotes += checkLines(input);
        }
        assertThat((double) lines / DRAWS).isCloseTo(10, within(0.1));
        isAbout(rollbacks, 1);
        assertThat((double) remotes / lines).isCloseTo(0.01, within(0.001));
    }

    private static int checkLines(NewOrderInput input) {
        int remotes = 0;
        for (int line = 0; line < input.lines(); line++) {
            boolean unused = input.rollback() && line == input.lines() - 1;
            assertThat(input.item(line))
                    .isBetween(unused ? 100_001 : 1, unused ? 100_001 : 100_000);
            assertThat(input.quantity(line)).isBetween(1, 10);
            assertThat(input.supplyWarehouse(line)).isBetween(1, 5);
            remotes += input.supplyWarehouse(line) != input.warehouse() ? 1 : 0;
        }
        assertThat(input.allLocal()).isEqualTo(remotes == 0);
        return remotes;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 30, 100})
    void theDegreeOfDistributionIsTheShareOfNewOrdersWithARemoteLine(int percent) {
        InputSource source = source(SCALE, OptionalInt.of(percent));
        NewOrderInput input = new NewOrderInput();
        int distributed = 0;
        for (int i = 0; i < DRAWS; i++) {
            source.fill(input, 5);
            int remotes = checkLines(input);
            assertThat(remotes).isLessThanOrEqualTo(1);
            distributed += remotes;
        }
        if (percent % 100 == 0) {
            assertThat(distributed).isEqualTo(DRAWS / 100 * percent);
        }
        isAbout(distributed, percent);
    }

    @Test
    void aRemoteWarehouseIsAnyOther() {
        InputSource source = source(SCALE, OptionalInt.of(100));
        NewOrderInput input = new NewOrderInput();
        int[] supplied = new int[6];
        for (int i = 0; i < DRAWS; i++) {
            source.fill(input, 2);
            for (int line = 0; line < input.lines(); line++) {
                supplied[input.supplyWarehouse(line)] += input.supplyWarehouse(line) == 2 ? 0 : 1;
            }
        }
        for (int warehouse : new int[] {1, 3, 4, 5}) {
            isAbout(supplied[warehouse], 25);
        }
    }

    @Test
    void paymentIsInItsRanges() {
        InputSource source = source(SCALE, OptionalInt.empty());
        PaymentInput input = new PaymentInput();
        int remotes = 0;
        int byLastName = 0;
        for (int i = 0; i < DRAWS; i++) {
            source.fill(input, 1);
            assertThat(input.warehouse()).isEqualTo(1);
            assertThat(input.district()).isBetween(1, 10);
            assertThat(input.amountCents()).isBetween(100, 500_000);
            assertThat(input.customerWarehouse()).isBetween(1, 5);
            assertThat(input.customerDistrict()).isBetween(1, 10);
            boolean remote = input.customerWarehouse() != 1;
            assertThat(remote || input.customerDistrict() == input.district()).isTrue();
            remotes += remote ? 1 : 0;
            byLastName += input.byLastName() ? 1 : 0;
            checkCustomer(input.byLastName(), input.lastName(), input.customer());
        }
        isAbout(remotes, 15);
        isAbout(byLastName, 60);
    }

    private static void checkCustomer(boolean byLastName, int lastName, int customer) {
        if (byLastName) {
            assertThat(lastName).isBetween(0, 999);
        } else {
            assertThat(customer).isBetween(1, 3_000);
        }
    }

    @Test
    void orderStatusIsInItsRanges() {
        InputSource source = source(SCALE, OptionalInt.empty());
        OrderStatusInput input = new OrderStatusInput();
        int byLastName = 0;
        for (int i = 0; i < DRAWS; i++) {
            source.fill(input, 4);
            assertThat(input.warehouse()).isEqualTo(4);
            assertThat(input.district()).isBetween(1, 10);
            byLastName += input.byLastName() ? 1 : 0;
            checkCustomer(input.byLastName(), input.lastName(), input.customer());
        }
        isAbout(byLastName, 60);
    }

    @Test
    void deliveryAndStockLevelAreInTheirRanges() {
        InputSource source = source(SCALE, OptionalInt.empty());
        DeliveryInput delivery = new DeliveryInput();
        StockLevelInput stockLevel = new StockLevelInput();
        int[] carriers = new int[11];
        int[] thresholds = new int[21];
        for (int i = 0; i < DRAWS; i++) {
            source.fill(delivery, 2);
            carriers[delivery.carrier()]++;
            source.fill(stockLevel, 2, 7);
            thresholds[stockLevel.threshold()]++;
        }
        assertThat(delivery.warehouse()).isEqualTo(2);
        assertThat(stockLevel.warehouse()).isEqualTo(2);
        assertThat(stockLevel.district()).isEqualTo(7);
        for (int carrier = 1; carrier <= 10; carrier++) {
            isAbout(carriers[carrier], 10);
        }
        for (int threshold = 10; threshold <= 20; threshold++) {
            isAbout(thresholds[threshold], 100.0 / 11);
        }
    }

    @Test
    void oneWarehouseHasNoRemoteOnes() {
        InputSource source = source(new Scale(1, 100), OptionalInt.empty());
        NewOrderInput order = new NewOrderInput();
        PaymentInput payment = new PaymentInput();
        for (int i = 0; i < DRAWS; i++) {
            source.fill(order, 1);
            assertThat(order.allLocal()).isTrue();
            source.fill(payment, 1);
            assertThat(payment.customerWarehouse()).isEqualTo(1);
        }
    }

    @Test
    void aSmallPopulationIsNotLeft() {
        Scale small = new Scale(1, 1);
        InputSource source = source(small, OptionalInt.empty());
        NewOrderInput order = new NewOrderInput();
        PaymentInput payment = new PaymentInput();
        for (int i = 0; i < DRAWS; i++) {
            source.fill(order, 1);
            assertThat(order.customer()).isBetween(1, 30);
            assertThat(order.item(0)).isBetween(1, 1_000);
            source.fill(payment, 1);
            assertThat(payment.lastName()).isBetween(0, 29);
        }
    }
}
