package org.namdb.tpcc.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.Key;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.input.Seeds;
import org.namdb.tpcc.load.LoadedDatabase;
import org.namdb.tpcc.schema.TpccSchema;

/// Each condition notices its kind of damage, reports where it is, and no other fails. A district
/// has orders 1 to 30; the first 21 are delivered, with lines that cost nothing.
class DamageTest {
    private static final long LAST = 30;

    private LoadedDatabase loaded;
    private TpccSchema schema;

    @BeforeEach
    void load() {
        loaded = LoadedDatabase.of(new Scale(2, 1), Seeds.next(), 2);
        schema = loaded.schema;
    }

    @AfterEach
    void close() {
        loaded.close();
    }

    private interface Damage {
        void inflict(Transaction tx);
    }

    private void damage(Damage damage) {
        loaded.db.transact(tx -> {
            damage.inflict(tx);
            return true;
        });
    }

    /// Inserts a row whose columns are NULL, or where they can't be, 0 or empty.
    private static void insertBlank(Transaction tx, Table table, long... key) {
        Key whole = table.newKey();
        for (long part : key) {
            whole.add(part);
        }
        Row row = tx.insert(table, whole);
        for (Column column : table.schema().payloadColumns()) {
            if (!column.nullable() && column.type().isSized()) {
                row.setBytes(column, new byte[0], 0, 0);
            } else if (!column.nullable()) {
                row.setInt64(column, 0);
            }
        }
    }

    private static Row read(Transaction tx, Table table, long... key) {
        Key whole = table.newKey();
        for (long part : key) {
            whole.add(part);
        }
        return tx.read(table, whole);
    }

    private static void add(Row row, Column column, long change) {
        row.setInt64(column, row.int64(column) + change);
    }

    /// The payment that customer 7 of warehouse 1, district 3 has made.
    private Row payment(Transaction tx) {
        Table table = schema.histories.table;
        long[] key = new long[3];
        loaded.each(
                table,
                row -> {
                    if (row.int64(schema.histories.warehouse) == 1
                            && row.int64(schema.histories.district) == 3
                            && row.int64(schema.histories.customer) == 7) {
                        key[0] = row.int64(table.column("h_writer"));
                        key[1] = row.int64(table.column("h_run"));
                        key[2] = row.int64(table.column("h_number"));
                    }
                });
        return read(tx, table, key);
    }

    private List<ConditionResult> failures() {
        return ConsistencyCheckTest.check(loaded).stream()
                .filter(result -> !result.holds())
                .toList();
    }

    /// @param clauses the last numbers of the clauses that fail, each in one place
    private List<String> assertFailing(int... clauses) {
        List<ConditionResult> failures = failures();
        assertThat(failures)
                .extracting(failure -> failure.condition().ordinal() + 1)
                .containsExactly(java.util.Arrays.stream(clauses).boxed().toArray(Integer[]::new));
        return failures.stream().flatMap(failure -> failure.examples().stream()).toList();
    }

    @Test
    void condition1WarehouseAndDistricts() {
        damage(tx -> add(read(tx, schema.warehouses.table, 1), schema.warehouses.ytd, 1));
        assertThat(assertFailing(1, 8))
                .containsExactly(
                        "warehouse 1: W_YTD is 3000.01, but the D_YTD of its districts add up to 3000.00",
                        "warehouse 1: W_YTD is 3000.01, but its payments add up to 3000.00");
    }

    @Test
    void condition1MissingWarehouse() {
        damage(tx -> tx.delete(read(tx, schema.warehouses.table, 2)));
        assertThat(assertFailing(1)).containsExactly("warehouse 2 is missing");
    }

    @Test
    void condition1MissingDistrict() {
        damage(tx -> tx.delete(read(tx, schema.districts.table, 2, 10)));
        assertThat(assertFailing(1, 2, 5, 6).subList(0, 2))
                .containsExactly(
                        "warehouse 2, district 10 is missing",
                        "warehouse 2: W_YTD is 3000.00, but the D_YTD of its districts add up to 2700.00");
    }

    @Test
    void condition2NextOrder() {
        damage(tx -> add(read(tx, schema.districts.table, 1, 3), schema.districts.nextOrder, 1));
        assertThat(assertFailing(2))
                .containsExactly(
                        "warehouse 1, district 3: D_NEXT_O_ID is 32, but the greatest O_ID is 30 and the greatest NO_O_ID is 30");
    }

    @Test
    void condition2NextOrderTooLow() {
        damage(tx -> add(read(tx, schema.districts.table, 1, 3), schema.districts.nextOrder, -1));
        assertFailing(2);
    }

    @Test
    void condition2NextOrderThatCannotBe() {
        damage(tx ->
                read(tx, schema.districts.table, 1, 3)
                        .setInt64(schema.districts.nextOrder, Integer.MAX_VALUE));
        assertFailing(2);
    }

    @Test
    void condition2LastNewOrder() {
        damage(tx -> tx.delete(read(tx, schema.newOrders.table, 1, 3, LAST)));
        assertThat(assertFailing(2, 5, 11))
                .contains(
                        "warehouse 1, district 3: D_NEXT_O_ID is 31, but the greatest O_ID is 30 and the greatest NO_O_ID is 29");
    }

    @Test
    void condition3Gap() {
        damage(tx -> tx.delete(read(tx, schema.newOrders.table, 2, 10, 25)));
        assertThat(assertFailing(3, 5, 11))
                .containsExactly(
                        "warehouse 2, district 10: NO_O_ID goes from 22 to 30, but there are 8 NEW_ORDER rows",
                        "warehouse 2, district 10, order 25: there is no NEW_ORDER row, but the order has no O_CARRIER_ID",
                        "warehouse 2, district 10: 30 orders less 8 NEW_ORDER rows are 22, but 21 at the start and 0 deliveries are 21");
    }

    @Test
    void condition4And6LineCount() {
        long[] count = {0};
        damage(tx -> {
            Row order = read(tx, schema.orders.table, 1, 1, 5);
            count[0] = order.int64(schema.orders.lineCount);
            add(order, schema.orders.lineCount, 1);
        });
        List<String> examples = assertFailing(4, 6);
        assertThat(examples.getFirst())
                .matches(
                        "warehouse 1, district 1: O_OL_CNT adds up to \\d+, but there are \\d+ order lines");
        assertThat(examples.getLast())
                .isEqualTo(
                        "warehouse 1, district 1, order 5: O_OL_CNT is %d, but there are %d order lines"
                                .formatted(count[0] + 1, count[0]));
    }

    @Test
    void condition4And6MissingLine() {
        damage(tx -> tx.delete(read(tx, schema.orderLines.table, 1, 1, 5, 1)));
        assertFailing(4, 6);
    }

    @Test
    void condition6AloneWhereTheDistrictIsRight() {
        damage(tx -> {
            add(read(tx, schema.orders.table, 1, 1, 5), schema.orders.lineCount, 1);
            add(read(tx, schema.orders.table, 1, 1, 6), schema.orders.lineCount, -1);
        });
        assertThat(assertFailing(6)).hasSize(2);
    }

    @Test
    void condition6LineWithoutAnOrder() {
        damage(tx -> insertBlank(tx, schema.orderLines.table, 1, 1, 31, 2));
        assertThat(assertFailing(4, 6))
                .contains("warehouse 1, district 1, order 31: there is line 2, but no order");
    }

    @Test
    void condition5CarrierOfAnUndeliveredOrder() {
        damage(tx -> {
            read(tx, schema.orders.table, 1, 1, 5).setNull(schema.orders.carrier);
            for (long line = 1; line <= 15; line++) {
                Row row = read(tx, schema.orderLines.table, 1, 1, 5, line);
                if (row != null) {
                    row.setNull(schema.orderLines.deliveryTime);
                }
            }
        });
        assertThat(assertFailing(5))
                .containsExactly(
                        "warehouse 1, district 1, order 5: there is no NEW_ORDER row, but the order has no O_CARRIER_ID");
    }

    @Test
    void condition5NewOrderWithoutAnOrder() {
        damage(tx -> {
            add(read(tx, schema.customers.table, 1, 1, 1), schema.customers.deliveryCount, -1);
            insertBlank(tx, schema.newOrders.table, 1, 1, LAST + 1);
        });
        assertThat(assertFailing(2, 5))
                .contains(
                        "warehouse 1, district 1, order 31: there is a NEW_ORDER row, but no order");
    }

    @Test
    void condition7Line() {
        damage(tx ->
                read(tx, schema.orderLines.table, 2, 1, 5, 3)
                        .setNull(schema.orderLines.deliveryTime));
        assertThat(assertFailing(7))
                .containsExactly(
                        "warehouse 2, district 1, order 5: line 3 has no OL_DELIVERY_D, but the order has O_CARRIER_ID");
    }

    @Test
    void condition7Order() {
        damage(tx -> read(tx, schema.orders.table, 2, 1, 22).setInt64(schema.orders.carrier, 1));
        assertThat(assertFailing(5, 7))
                .contains(
                        "warehouse 2, district 1, order 22: there is a NEW_ORDER row, but the order has O_CARRIER_ID");
    }

    @Test
    void condition8PaymentOfAnotherWarehouse() {
        damage(tx -> payment(tx).setInt64(schema.histories.warehouse, 2));
        assertThat(assertFailing(8, 9))
                .contains(
                        "warehouse 1: W_YTD is 3000.00, but its payments add up to 2990.00",
                        "warehouse 2: W_YTD is 3000.00, but its payments add up to 3010.00");
    }

    @Test
    void condition9PaymentOfAnotherDistrict() {
        damage(tx -> payment(tx).setInt64(schema.histories.district, 4));
        assertThat(assertFailing(9))
                .containsExactly(
                        "warehouse 1, district 3: D_YTD is 300.00, but its payments add up to 290.00",
                        "warehouse 1, district 4: D_YTD is 300.00, but its payments add up to 310.00");
    }

    @Test
    void condition9District() {
        damage(tx -> add(read(tx, schema.districts.table, 1, 3), schema.districts.ytd, -1));
        assertFailing(1, 9);
    }

    @Test
    void condition10PaymentOfAnotherCustomer() {
        damage(tx -> payment(tx).setInt64(schema.histories.customer, 8));
        assertThat(assertFailing(10))
                .contains(
                        "warehouse 1, district 3, customer 7: C_BALANCE is -10.00, but delivered order lines of 0.00 less payments of 0.00 are 0.00")
                .hasSize(2);
    }

    @Test
    void condition10And12Balance() {
        damage(tx -> add(read(tx, schema.customers.table, 2, 2, 2), schema.customers.balance, 1));
        assertThat(assertFailing(10, 12))
                .contains(
                        "warehouse 2, district 2, customer 2: C_BALANCE of -9.99 and C_YTD_PAYMENT of 10.00 are 0.01, but delivered order lines add up to 0.00");
    }

    @Test
    void condition10And12AmountOfADeliveredLine() {
        damage(tx ->
                read(tx, schema.orderLines.table, 2, 1, 5, 3)
                        .setInt64(schema.orderLines.amount, 7));
        assertFailing(10, 12);
    }

    @Test
    void condition11DeliveryCount() {
        damage(tx ->
                add(read(tx, schema.customers.table, 2, 2, 2), schema.customers.deliveryCount, 1));
        assertThat(assertFailing(11))
                .containsExactly(
                        "warehouse 2, district 2: 30 orders less 9 NEW_ORDER rows are 21, but 21 at the start and 1 deliveries are 22");
    }

    @Test
    void condition12Payments() {
        damage(tx ->
                add(read(tx, schema.customers.table, 2, 2, 2), schema.customers.ytdPayment, 1));
        assertThat(assertFailing(12))
                .containsExactly(
                        "warehouse 2, district 2, customer 2: C_BALANCE of -10.00 and C_YTD_PAYMENT of 10.01 are 0.01, but delivered order lines add up to 0.00");
    }

    @Test
    void rowsOfUnknownDistrictsAreReportedAndCauseNothingElse() {
        damage(tx -> {
            insertBlank(tx, schema.orders.table, 1, 11, 1);
            insertBlank(tx, schema.newOrders.table, 3, 1, 1);
            insertBlank(tx, schema.orderLines.table, 3, 1, 1, 1);
            insertBlank(tx, schema.customers.table, 1, 0, 1);
            insertBlank(tx, schema.districts.table, 1, 11);
            insertBlank(tx, schema.warehouses.table, 3);
            payment(tx).setInt64(schema.histories.district, 11);
        });
        assertThat(assertFailing(1, 2, 5, 6, 8, 9, 10))
                .contains(
                        "orders(1, 11, 1) is of a district that should not be there",
                        "warehouse 3 should not be there");
    }

    @Test
    void everyDifferenceIsCountedAndAFewAreReported() {
        damage(tx -> {
            for (long customer = 1; customer <= LAST; customer++) {
                add(
                        read(tx, schema.customers.table, 1, 5, customer),
                        schema.customers.ytdPayment,
                        5);
            }
        });
        ConditionResult failure = failures().getFirst();
        assertThat(failure.differences()).isEqualTo(30);
        assertThat(failure.examples()).hasSize(5);
    }
}
