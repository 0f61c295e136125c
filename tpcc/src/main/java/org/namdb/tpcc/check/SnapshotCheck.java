package org.namdb.tpcc.check;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.schema.Customers;
import org.namdb.tpcc.schema.Histories;
import org.namdb.tpcc.schema.NewOrders;
import org.namdb.tpcc.schema.OrderLines;
import org.namdb.tpcc.schema.Orders;
import org.namdb.tpcc.schema.TpccSchema;

/// The check of one snapshot: each table is scanned once, in an order in which later rows can be
/// compared at once, or added up.
public final class SnapshotCheck {
    private final TpccSchema schema;
    private final RowSource rows;
    private final DoubleConsumer progress;
    private final Differences differences = new Differences();
    private final DistrictIndex districts;
    private final YearToDate yearToDate;
    private final OrderCounts counts;
    private final OrderStates states;
    private final CustomerAccounts accounts;
    private double done;

    /// @param rows of one snapshot
    /// @param progress gets periodically how much is done, 0 to 1
    public SnapshotCheck(TpccSchema schema, Scale scale, RowSource rows, DoubleConsumer progress) {
        this.schema = schema;
        this.rows = rows;
        this.progress = progress;
        districts = new DistrictIndex(scale.warehouses());
        yearToDate = new YearToDate(districts, differences);
        counts = new OrderCounts(districts, differences, scale.deliveredPerDistrict());
        states = new OrderStates(districts, differences);
        accounts = new CustomerAccounts(districts, differences, scale.customersPerDistrict());
    }

    /// Checks all conditions.
    ///
    /// @return a result for each condition, in the order of the clauses
    public List<ConditionResult> run() {
        scanWarehouses();
        scanDistricts();
        scanOrders(0.10);
        scanNewOrders(0.04);
        scanLines(0.60);
        scanPayments(0.10);
        scanCustomers(0.16);
        yearToDate.compare();
        counts.compare();
        states.compare();
        progress.accept(1);
        return differences.results();
    }

    private void scanWarehouses() {
        Table table = schema.warehouses.table;
        Column id = table.column("w_id");
        Column ytd = schema.warehouses.ytd;
        scan(table, 0, row -> yearToDate.addWarehouse(row.int64(id), row.int64(ytd)), ytd);
    }

    private void scanDistricts() {
        Table table = schema.districts.table;
        Column w = table.column("d_w_id");
        Column d = table.column("d_id");
        Column ytd = schema.districts.ytd;
        Column next = schema.districts.nextOrder;
        Consumer<RowValues> add =
                row -> {
                    yearToDate.addDistrict(row.int64(w), row.int64(d), row.int64(ytd));
                    int district = districts.of(row.int64(w), row.int64(d));
                    if (district != DistrictIndex.UNKNOWN) {
                        counts.addDistrict(district, row.int64(next));
                        states.addDistrict(district, row.int64(next));
                    }
                };
        scan(table, 0, add, ytd, next);
    }

    private void scanOrders(double share) {
        Orders orders = schema.orders;
        Column w = orders.table.column("o_w_id");
        Column d = orders.table.column("o_d_id");
        Consumer<RowValues> add =
                row -> {
                    int district = districts.of(row.int64(w), row.int64(d));
                    if (isUnknown(district, row, Condition.NEXT_ORDER_FOLLOWS_THE_LAST)) {
                        return;
                    }
                    long order = row.int64(orders.id);
                    counts.addOrder(district, order);
                    states.addOrder(
                            district,
                            order,
                            row.int64(orders.customer),
                            row.int64(orders.lineCount),
                            !row.isNull(orders.carrier));
                };
        scan(orders.table, share, add, orders.customer, orders.lineCount, orders.carrier);
    }

    private void scanNewOrders(double share) {
        NewOrders newOrders = schema.newOrders;
        Column w = newOrders.table.column("no_w_id");
        Column d = newOrders.table.column("no_d_id");
        Consumer<RowValues> add =
                row -> {
                    int district = districts.of(row.int64(w), row.int64(d));
                    if (!isUnknown(district, row, Condition.NEW_ORDER_HAS_NO_CARRIER)) {
                        counts.addNewOrder(district, row.int64(newOrders.order));
                        states.addNewOrder(district, row.int64(newOrders.order));
                    }
                };
        scan(newOrders.table, share, add);
    }

    private void scanLines(double share) {
        OrderLines lines = schema.orderLines;
        Column w = lines.table.column("ol_w_id");
        Column d = lines.table.column("ol_d_id");
        Column o = lines.table.column("ol_o_id");
        Consumer<RowValues> add =
                row -> {
                    int district = districts.of(row.int64(w), row.int64(d));
                    if (isUnknown(district, row, Condition.ORDER_HAS_ALL_LINES)) {
                        return;
                    }
                    boolean isDelivered = !row.isNull(lines.deliveryTime);
                    long customer =
                            states.addLine(
                                    district, row.int64(o), row.int64(lines.number), isDelivered);
                    if (isDelivered) {
                        accounts.addDelivered(district, customer, row.int64(lines.amount));
                    }
                };
        scan(lines.table, share, add, lines.deliveryTime, lines.amount);
    }

    private void scanPayments(double share) {
        Histories histories = schema.histories;
        Consumer<RowValues> add =
                row -> {
                    long amount = row.int64(histories.amount);
                    yearToDate.addPayment(
                            row.int64(histories.warehouse), row.int64(histories.district), amount);
                    int district =
                            districts.of(
                                    row.int64(histories.customerWarehouse),
                                    row.int64(histories.customerDistrict));
                    accounts.addPayment(district, row.int64(histories.customer), amount);
                };
        scan(
                histories.table,
                share,
                add,
                histories.amount,
                histories.warehouse,
                histories.district,
                histories.customer,
                histories.customerDistrict,
                histories.customerWarehouse);
    }

    private void scanCustomers(double share) {
        Customers customers = schema.customers;
        Column w = customers.table.column("c_w_id");
        Column d = customers.table.column("c_d_id");
        Consumer<RowValues> add =
                row -> {
                    int district = districts.of(row.int64(w), row.int64(d));
                    if (isUnknown(district, row, Condition.BALANCE_IS_DELIVERED_LESS_PAID)) {
                        return;
                    }
                    counts.addDeliveries(district, row.int64(customers.deliveryCount));
                    accounts.compare(
                            district,
                            row.int64(customers.id),
                            row.int64(customers.balance),
                            row.int64(customers.ytdPayment));
                };
        scan(
                customers.table,
                share,
                add,
                customers.balance,
                customers.ytdPayment,
                customers.deliveryCount);
    }

    private boolean isUnknown(int district, RowValues row, Condition condition) {
        if (district != DistrictIndex.UNKNOWN) {
            return false;
        }
        differences.add(condition, () -> row + " is of a district that should not be there");
        return true;
    }

    /// Gives every row of a table to `each`.
    ///
    /// @param share how much of the whole check this is
    private void scan(Table table, double share, Consumer<RowValues> each, Column... columns) {
        rows.scan(table, each, part -> progress.accept(done + share * part), columns);
        done += share;
        progress.accept(done);
    }
}
