package org.namdb.tpcc.procedure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.tpcc.ItemSkew;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.input.DeliveryInput;
import org.namdb.tpcc.input.InputSource;
import org.namdb.tpcc.input.ItemChooser;
import org.namdb.tpcc.input.NewOrderInput;
import org.namdb.tpcc.input.NuRandConstants;
import org.namdb.tpcc.input.OrderStatusInput;
import org.namdb.tpcc.input.PaymentInput;
import org.namdb.tpcc.input.Seeds;
import org.namdb.tpcc.input.StockLevelInput;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.load.LoadedDatabase;
import org.namdb.tpcc.schema.TpccSchema;

/// The five transactions, called by name, return what they have found and done, as the rows show
/// it.
class TpccProceduresTest {
    private static final Scale SCALE = new Scale(1, 2);
    private static final int ROUNDS = 10;
    private static final double TEN_THOUSANDTHS = 1e4;

    private final long seed = Seeds.next();
    private final TpccRandom random = TpccRandom.stream(seed, 0);
    private final NuRandConstants constants = NuRandConstants.of(seed);
    private final InputSource inputs =
            new InputSource(
                    SCALE,
                    ItemChooser.of(new ItemSkew.Standard(), SCALE.items(), constants),
                    constants,
                    OptionalInt.empty(),
                    random);

    private LoadedDatabase loaded;
    private TpccSchema schema;

    @BeforeEach
    void load() {
        loaded = LoadedDatabase.of(SCALE, seed, 1);
        schema = loaded.schema;
        TpccProcedures.register(loaded.db, schema);
    }

    @AfterEach
    void close() {
        loaded.close();
    }

    @Test
    void newOrderReturnsTheOrderAndItsTotal() {
        NewOrderInput input = new NewOrderInput();
        for (int round = 0; round < ROUNDS; round++) {
            inputs.fill(input, 1);
            int d = input.district();
            long next = district(d, schema.districts.nextOrder);
            NewOrderResult result = loaded.db.call("new_order", input);
            assertThat(result.isRolledBack()).as(round(round)).isEqualTo(input.rollback());
            if (!result.isRolledBack()) {
                assertThat(result.orderId()).as(round(round)).isEqualTo(next);
                assertThat(district(d, schema.districts.nextOrder)).isEqualTo(next + 1);
                checkLines(input, result, round);
            }
        }
    }

    private void checkLines(NewOrderInput input, NewOrderResult result, int round) {
        Map<Long, Long> stocks = new HashMap<>();
        loaded.each(
                schema.stocks.table,
                row ->
                        stocks.put(
                                row.int64(schema.stocks.table.column("s_i_id")),
                                row.int64(schema.stocks.quantity)));
        Map<Long, Long> amounts = amounts(input.district(), result.orderId());
        assertThat(amounts).as(round(round)).hasSize(input.lines());
        long sum = 0;
        Set<Integer> later = new HashSet<>();
        for (int line = input.lines() - 1; line >= 0; line--) {
            assertThat(result.amountCents(line)).isEqualTo(amounts.get(line + 1L));
            sum += result.amountCents(line);
            if (later.add(input.item(line))) {
                assertThat((long) result.stockQuantity(line))
                        .as(round(round))
                        .isEqualTo(stocks.get((long) input.item(line)));
            }
        }
        double taxes =
                1
                        + district(input.district(), schema.districts.tax) / TEN_THOUSANDTHS
                        + only(schema.warehouses.table, schema.warehouses.tax) / TEN_THOUSANDTHS;
        double discount =
                customer(input.district(), input.customer(), schema.customers.discount)
                        / TEN_THOUSANDTHS;
        assertThat((double) result.totalCents())
                .as(round(round))
                .isCloseTo(sum * (1 - discount) * taxes, within(2.0));
    }

    @Test
    void paymentReturnsTheBalance() {
        PaymentInput input = new PaymentInput();
        for (int round = 0; round < ROUNDS; round++) {
            inputs.fill(input, 1);
            PaymentResult result = loaded.db.call("payment", input);
            if (!input.byLastName()) {
                assertThat(result.customer()).as(round(round)).isEqualTo(input.customer());
            }
            assertThat(result.balanceCents())
                    .as(round(round))
                    .isEqualTo(
                            customer(
                                    input.customerDistrict(),
                                    result.customer(),
                                    schema.customers.balance));
        }
    }

    @Test
    void orderStatusReturnsTheLatestOrder() {
        OrderStatusInput input = new OrderStatusInput();
        for (int round = 0; round < ROUNDS; round++) {
            inputs.fill(input, 1);
            OrderStatusResult result = loaded.db.call("order_status", input);
            int d = input.district();
            long[] latest = new long[3]; // order, carrier, lines
            loaded.each(
                    schema.orders.table,
                    row -> {
                        long order = row.int64(schema.orders.id);
                        if (isOf(row, schema.orders.table, "o_d_id", d)
                                && row.int64(schema.orders.customer) == result.customer()
                                && order > latest[0]) {
                            latest[0] = order;
                            latest[1] =
                                    row.isNull(schema.orders.carrier)
                                            ? 0
                                            : row.int64(schema.orders.carrier);
                            latest[2] = row.int64(schema.orders.lineCount);
                        }
                    });
            assertThat(new long[] {result.order(), result.carrier(), result.lines()})
                    .as(round(round))
                    .isEqualTo(latest);
            assertThat(result.amountCents())
                    .as(round(round))
                    .isEqualTo(
                            amounts(d, result.order()).values().stream()
                                    .mapToLong(Long::longValue)
                                    .sum());
            assertThat(result.balanceCents())
                    .isEqualTo(customer(d, result.customer(), schema.customers.balance));
        }
    }

    @Test
    void deliveryReturnsTheOrders() {
        DeliveryInput input = new DeliveryInput();
        for (int round = 0; round < ROUNDS; round++) {
            Map<Long, Long> oldest = oldestNewOrders();
            inputs.fill(input, 1);
            DeliveryResult result = loaded.db.call("delivery", input);
            assertThat(result.delivered()).as(round(round)).isEqualTo(oldest.size());
            assertThat(result.skipped()).isEqualTo(Scale.DISTRICTS - oldest.size());
            for (int d = 1; d <= Scale.DISTRICTS; d++) {
                assertThat(result.order(d))
                        .as(round(round))
                        .isEqualTo(oldest.getOrDefault((long) d, 0L));
            }
        }
    }

    private Map<Long, Long> oldestNewOrders() {
        Table table = schema.newOrders.table;
        Map<Long, Long> oldest = new HashMap<>();
        loaded.each(
                table,
                row ->
                        oldest.merge(
                                row.int64(table.column("no_d_id")),
                                row.int64(table.column("no_o_id")),
                                Math::min));
        return oldest;
    }

    @Test
    void stockLevelCountsTheLowStocksOfTheLastOrders() {
        StockLevelInput input = new StockLevelInput();
        for (int round = 0; round < ROUNDS; round++) {
            int d = random.uniform(1, Scale.DISTRICTS);
            inputs.fill(input, 1, d);
            long next = district(d, schema.districts.nextOrder);
            Set<Long> items = new HashSet<>();
            loaded.each(
                    schema.orderLines.table,
                    row -> {
                        long order = row.int64(schema.orderLines.table.column("ol_o_id"));
                        if (isOf(row, schema.orderLines.table, "ol_d_id", d)
                                && order >= next - 20) {
                            items.add(row.int64(schema.orderLines.item));
                        }
                    });
            long[] low = {0};
            loaded.each(
                    schema.stocks.table,
                    row -> {
                        if (items.contains(row.int64(schema.stocks.table.column("s_i_id")))
                                && row.int64(schema.stocks.quantity) < input.threshold()) {
                            low[0]++;
                        }
                    });
            Integer counted = loaded.db.call("stock_level", input);
            assertThat((long) counted).as(round(round)).isEqualTo(low[0]);
        }
    }

    private String round(int round) {
        return "-Dnamdb.seed=" + seed + ", round " + round;
    }

    private static boolean isOf(Row row, Table table, String column, int district) {
        return row.int64(table.column(column)) == district;
    }

    /// The amounts of an order's lines, by their number.
    private Map<Long, Long> amounts(int district, long order) {
        Table table = schema.orderLines.table;
        Map<Long, Long> amounts = new HashMap<>();
        loaded.each(
                table,
                row -> {
                    if (isOf(row, table, "ol_d_id", district)
                            && row.int64(table.column("ol_o_id")) == order) {
                        amounts.put(
                                row.int64(table.column("ol_number")),
                                row.int64(schema.orderLines.amount));
                    }
                });
        return amounts;
    }

    private long district(int district, Column column) {
        long[] value = new long[1];
        loaded.each(
                schema.districts.table,
                row -> {
                    if (isOf(row, schema.districts.table, "d_id", district)) {
                        value[0] = row.int64(column);
                    }
                });
        return value[0];
    }

    private long customer(int district, long customer, Column column) {
        Table table = schema.customers.table;
        long[] value = new long[1];
        loaded.each(
                table,
                row -> {
                    if (isOf(row, table, "c_d_id", district)
                            && row.int64(table.column("c_id")) == customer) {
                        value[0] = row.int64(column);
                    }
                });
        return value[0];
    }

    private long only(Table table, Column column) {
        long[] value = new long[1];
        loaded.each(table, row -> value[0] = row.int64(column));
        return value[0];
    }
}
