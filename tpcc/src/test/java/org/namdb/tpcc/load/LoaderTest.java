package org.namdb.tpcc.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.input.LastNames;
import org.namdb.tpcc.input.Seeds;
import org.namdb.tpcc.schema.TpccSchema;

/// One warehouse of the standard's size, clause by clause.
class LoaderTest {
    private static final long NOW_MICROS = LoadedDatabase.NOW.toEpochMilli() * 1_000;

    private static LoadedDatabase loaded;
    private static TpccSchema schema;

    @BeforeAll
    static void load() {
        loaded = LoadedDatabase.of(new Scale(1, 100), Seeds.next(), 2);
        schema = loaded.schema;
    }

    @AfterAll
    static void close() {
        loaded.close();
    }

    // Of millions of values, AssertJ describes those alone that are wrong.

    private static void assertIs(long value, long expected) {
        if (value != expected) {
            assertThat(value).isEqualTo(expected);
        }
    }

    private static void assertBetween(long value, long least, long greatest) {
        if (value < least || value > greatest) {
            assertThat(value).isBetween(least, greatest);
        }
    }

    private static void assertMatches(String text, Pattern pattern) {
        if (!pattern.matcher(text).matches()) {
            assertThat(text).matches(pattern);
        }
    }

    @Test
    void everyTableHasItsRows() {
        assertThat(loaded.count(schema.items.table)).isEqualTo(100_000);
        assertThat(loaded.count(schema.warehouses.table)).isEqualTo(1);
        assertThat(loaded.count(schema.districts.table)).isEqualTo(10);
        assertThat(loaded.count(schema.stocks.table)).isEqualTo(100_000);
        assertThat(loaded.count(schema.customers.table)).isEqualTo(30_000);
        assertThat(loaded.count(schema.histories.table)).isEqualTo(30_000);
        assertThat(loaded.count(schema.orders.table)).isEqualTo(30_000);
        assertThat(loaded.count(schema.newOrders.table)).isEqualTo(9_000);
        long[] expectedLines = {0};
        loaded.each(
                schema.orders.table, row -> expectedLines[0] += row.int64(schema.orders.lineCount));
        assertThat(loaded.count(schema.orderLines.table))
                .isEqualTo(expectedLines[0])
                .isBetween(295_000L, 305_000L);
    }

    @Test
    void progressEndsWithEveryRow() {
        assertThat(loaded.progress.isComplete()).isTrue();
        assertThat(loaded.progress.warehousesDone()).isEqualTo(1);
        assertThat(loaded.progress.fraction()).isBetween(0.98, 1.0);
        long lines = loaded.count(schema.orderLines.table);
        assertThat(loaded.progress.rows()).isEqualTo(100_000 + 199_011 + lines);
    }

    @Test
    void items() {
        Set<Long> ids = new HashSet<>();
        int[] original = {0};
        Column id = schema.items.table.column("i_id");
        Pattern name = Pattern.compile("[0-9A-Za-z]{14,24}");
        Pattern data = Pattern.compile("[0-9A-Za-z]{26,50}");
        loaded.each(
                schema.items.table,
                row -> {
                    ids.add(row.int64(id));
                    assertBetween(row.int64(schema.items.imageId), 1, 10_000);
                    assertBetween(row.int64(schema.items.price), 100, 10_000);
                    assertMatches(row.string(schema.items.name), name);
                    assertMatches(row.string(schema.items.data), data);
                    original[0] += row.string(schema.items.data).contains("ORIGINAL") ? 1 : 0;
                });
        assertThat(ids).hasSize(100_000).contains(1L, 100_000L);
        assertThat(original[0]).isBetween(9_400, 10_600);
    }

    @Test
    void stocks() {
        int[] original = {0};
        int[] quantities = new int[101];
        loaded.each(
                schema.stocks.table,
                row -> {
                    quantities[row.int32(schema.stocks.quantity)]++;
                    assertIs(row.int64(schema.stocks.ytd), 0);
                    assertIs(row.int64(schema.stocks.orderCount), 0);
                    assertIs(row.int64(schema.stocks.remoteCount), 0);
                    for (int d = 1; d <= Scale.DISTRICTS; d++) {
                        assertIs(row.length(schema.stocks.districtInfo(d)), 24);
                    }
                    assertBetween(row.length(schema.stocks.data), 26, 50);
                    original[0] += row.string(schema.stocks.data).contains("ORIGINAL") ? 1 : 0;
                });
        assertThat(original[0]).isBetween(9_400, 10_600);
        assertThat(Arrays.stream(quantities, 0, 10)).containsOnly(0);
        assertThat(Arrays.stream(quantities, 10, 101)).allMatch(n -> n > 850 && n < 1_350);
    }

    @Test
    void warehouseAndDistricts() {
        loaded.each(
                schema.warehouses.table,
                row -> {
                    assertThat(row.int64(schema.warehouses.ytd)).isEqualTo(30_000_000);
                    assertThat(row.int64(schema.warehouses.tax)).isBetween(0L, 2_000L);
                    assertThat(row.string(schema.warehouses.name)).matches("[0-9A-Za-z]{6,10}");
                    assertThat(row.string(schema.warehouses.street1)).matches("[0-9A-Za-z]{10,20}");
                    assertThat(row.string(schema.warehouses.street2)).matches("[0-9A-Za-z]{10,20}");
                    assertThat(row.string(schema.warehouses.city)).matches("[0-9A-Za-z]{10,20}");
                    assertThat(row.string(schema.warehouses.state)).matches("[A-Z]{2}");
                    assertThat(row.string(schema.warehouses.zip)).matches("[0-9]{4}11111");
                });
        loaded.each(
                schema.districts.table,
                row -> {
                    assertThat(row.int64(schema.districts.ytd)).isEqualTo(3_000_000);
                    assertThat(row.int64(schema.districts.tax)).isBetween(0L, 2_000L);
                    assertThat(row.int64(schema.districts.nextOrder)).isEqualTo(3_001);
                    assertThat(row.string(schema.districts.name)).matches("[0-9A-Za-z]{6,10}");
                    assertThat(row.string(schema.districts.zip)).matches("[0-9]{4}11111");
                });
    }

    @Test
    void customers() {
        int[] bad = {0};
        Pattern first = Pattern.compile("[0-9A-Za-z]{8,16}");
        Pattern phone = Pattern.compile("[0-9]{16}");
        Pattern zip = Pattern.compile("[0-9]{4}11111");
        loaded.each(
                schema.customers.table,
                row -> {
                    assertIs(row.int64(schema.customers.balance), -1_000);
                    assertIs(row.int64(schema.customers.ytdPayment), 1_000);
                    assertIs(row.int64(schema.customers.paymentCount), 1);
                    assertIs(row.int64(schema.customers.deliveryCount), 0);
                    assertIs(row.int64(schema.customers.creditLimit), 5_000_000);
                    assertBetween(row.int64(schema.customers.discount), 0, 5_000);
                    assertIs(row.int64(schema.customers.since), NOW_MICROS);
                    assertThat(row.string(schema.customers.middle)).isEqualTo("OE");
                    assertThat(row.string(schema.customers.credit)).isIn("GC", "BC");
                    assertMatches(row.string(schema.customers.first), first);
                    assertMatches(row.string(schema.customers.phone), phone);
                    assertMatches(row.string(schema.customers.zip), zip);
                    assertBetween(row.length(schema.customers.data), 300, 500);
                    bad[0] += row.string(schema.customers.credit).equals("BC") ? 1 : 0;
                });
        assertThat(bad[0]).isBetween(2_650, 3_350);
    }

    @Test
    void everyDistrictHasEachLastNameAndSomeMoreOften() {
        Map<String, Integer> counts = new HashMap<>();
        Column district = schema.customers.table.column("c_d_id");
        loaded.each(
                schema.customers.table,
                row -> {
                    String last = row.string(schema.customers.last);
                    int id = row.int32(schema.customers.id);
                    if (id <= 1_000) {
                        assertThat(last.getBytes(java.nio.charset.StandardCharsets.US_ASCII))
                                .isEqualTo(LastNames.ascii(id - 1));
                    }
                    counts.merge(row.int64(district) + last, 1, Integer::sum);
                });
        assertThat(counts).hasSize(10_000);
        // Uniform names would be at most some 15 times in 3,000.
        assertThat(counts.values()).anyMatch(n -> n > 20);
    }

    @Test
    void histories() {
        Set<List<Long>> customers = new HashSet<>();
        loaded.each(
                schema.histories.table,
                row -> {
                    assertIs(row.int64(schema.histories.amount), 1_000);
                    assertIs(row.int64(schema.histories.time), NOW_MICROS);
                    assertIs(row.int64(schema.histories.warehouse), 1);
                    assertIs(row.int64(schema.histories.customerWarehouse), 1);
                    assertIs(
                            row.int64(schema.histories.district),
                            row.int64(schema.histories.customerDistrict));
                    assertBetween(row.length(schema.histories.data), 12, 24);
                    customers.add(
                            List.of(
                                    row.int64(schema.histories.district),
                                    row.int64(schema.histories.customer)));
                });
        assertThat(customers).hasSize(30_000);
    }

    @Test
    void orders() {
        int[] lineCounts = new int[16];
        int[] carriers = new int[11];
        List<Set<Long>> customers = new ArrayList<>();
        IntStream.range(0, 10).forEach(i -> customers.add(new HashSet<>()));
        Column district = schema.orders.table.column("o_d_id");
        int[] inOrder = {0};
        loaded.each(
                schema.orders.table,
                row -> {
                    long customer = row.int64(schema.orders.customer);
                    customers.get(row.int32(district) - 1).add(customer);
                    inOrder[0] += customer == row.int64(schema.orders.id) ? 1 : 0;
                    lineCounts[row.int32(schema.orders.lineCount)]++;
                    assertIs(row.int64(schema.orders.allLocal), 1);
                    assertIs(row.int64(schema.orders.entryTime), NOW_MICROS);
                    assertThat(row.isNull(schema.orders.carrier))
                            .isEqualTo(row.int64(schema.orders.id) > 2_100);
                    if (!row.isNull(schema.orders.carrier)) {
                        carriers[row.int32(schema.orders.carrier)]++;
                    }
                });
        assertThat(customers).allMatch(ids -> ids.size() == 3_000);
        assertThat(inOrder[0]).as("customers in the order of their ids").isLessThan(50);
        assertThat(Arrays.stream(lineCounts, 0, 5)).containsOnly(0);
        assertThat(Arrays.stream(lineCounts, 5, 16)).allMatch(n -> n > 2_400 && n < 3_050);
        assertThat(carriers[0]).isZero();
        assertThat(Arrays.stream(carriers, 1, 11)).allMatch(n -> n > 1_800 && n < 2_400);
    }

    @Test
    void orderLines() {
        Table table = schema.orderLines.table;
        Column order = table.column("ol_o_id");
        long[] greatest = {0};
        loaded.each(
                table,
                row -> {
                    boolean delivered = row.int64(order) <= 2_100;
                    assertThat(row.isNull(schema.orderLines.deliveryTime)).isEqualTo(!delivered);
                    long amount = row.int64(schema.orderLines.amount);
                    if (delivered) {
                        assertIs(row.int64(schema.orderLines.deliveryTime), NOW_MICROS);
                        assertIs(amount, 0);
                    } else {
                        assertBetween(amount, 1, 999_999);
                        greatest[0] = Math.max(greatest[0], amount);
                    }
                    checkLine(row);
                });
        assertThat(greatest[0]).isGreaterThan(990_000);
    }

    private static void checkLine(Row row) {
        assertBetween(row.int64(schema.orderLines.item), 1, 100_000);
        assertIs(row.int64(schema.orderLines.supplyWarehouse), 1);
        assertIs(row.int64(schema.orderLines.quantity), 5);
        assertIs(row.length(schema.orderLines.districtInfo), 24);
    }

    @Test
    void newOrdersAreTheLastOrders() {
        long[] least = {Long.MAX_VALUE};
        long[] greatest = {0};
        loaded.each(
                schema.newOrders.table,
                row -> {
                    least[0] = Math.min(least[0], row.int64(schema.newOrders.order));
                    greatest[0] = Math.max(greatest[0], row.int64(schema.newOrders.order));
                });
        assertThat(least[0]).isEqualTo(2_101);
        assertThat(greatest[0]).isEqualTo(3_000);
    }
}
