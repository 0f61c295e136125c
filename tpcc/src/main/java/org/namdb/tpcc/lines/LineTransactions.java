package org.namdb.tpcc.lines;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.engine.ConcurrencyControl;
import org.namdb.cache.engine.ConflictException;
import org.namdb.cache.engine.HeapTable;
import org.namdb.cache.engine.Tuple;
import org.namdb.cache.engine.TupleSession;
import org.namdb.cache.selcc.LineSession;
import org.namdb.cache.selcc.LineTimeoutException;
import org.namdb.compute.commit.AbortCause;
import org.namdb.fabric.Host;
import org.namdb.fabric.VerbCounters;
import org.namdb.mvcc.schema.Column;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.input.DeliveryInput;
import org.namdb.tpcc.input.NewOrderInput;
import org.namdb.tpcc.input.OrderStatusInput;
import org.namdb.tpcc.input.PaymentInput;
import org.namdb.tpcc.input.StockLevelInput;
import org.namdb.tpcc.procedure.TpccTransactions;
import org.namdb.tpcc.schema.Customers;
import org.namdb.tpcc.schema.TpccSchema;
import org.namdb.workload.load.UnusableDatabaseException;
import org.namdb.workload.statistics.CostSource;

/// A thread's five transactions on lines, each tried again until it commits, or for a minute. They
/// read and write what those of `tpcc.procedure` do.
public final class LineTransactions implements TpccTransactions, CostSource {
    private static final byte[] ORIGINAL = "ORIGINAL".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] GAP = "    ".getBytes(StandardCharsets.US_ASCII);
    private static final int MIN_LEFT = 10;
    private static final int REFILL = 91;
    private static final int ORDERS_OF_STOCK_LEVEL = 20;
    private static final int MAX_LINES = NewOrderInput.MAX_LINES;
    private static final int MAX_NAMESAKES = 1_000;
    private static final int MAX_PAUSE_SHIFT = 10;
    private static final long MIN_PAUSE_NANOS = 1_000;

    /// How long a transaction is tried again.
    private static final long RETRY_NANOS = 60_000_000_000L;

    private static final long ONE = 10_000;

    private final TpccLines lines;
    private final TpccSchema schema;
    private final TupleSession engine;
    private final SplittableRandom pauses;
    private final long writer;
    private final long retryNanos;
    private long payments;
    private long retries;
    private volatile boolean isEnded;
    private final long[] keys = new long[MAX_NAMESAKES];
    private final long[] places = new long[MAX_NAMESAKES];
    private final byte[] text = new byte[2 * Customers.DATA_BYTES];
    private final byte[] otherText = new byte[2 * Customers.DATA_BYTES];
    private final Tuple[] items = new Tuple[MAX_LINES];
    private final long[] orders = new long[Scale.DISTRICTS];
    private long shown;
    private int brands;

    /// @throws UnusableDatabaseException if others use another kind of control, or check the lines
    ///     for longer than a minute
    public LineTransactions(TpccLines lines, ConcurrencyControl control, long seed) {
        this(lines, control, seed, RETRY_NANOS);
    }

    LineTransactions(TpccLines lines, ConcurrencyControl control, long seed, long retryNanos) {
        this.lines = lines;
        this.retryNanos = retryNanos;
        this.schema = lines.schema();
        this.engine = lines.open(control);
        this.pauses = new SplittableRandom(seed);
        this.writer = engine.uniqueNumber();
    }

    @Override
    public boolean newOrder(NewOrderInput input) {
        return retrying(() -> order(input));
    }

    @Override
    public void payment(PaymentInput input) {
        boolean _ = retrying(() -> pay(input));
    }

    @Override
    public void orderStatus(OrderStatusInput input) {
        boolean _ = retrying(() -> showStatus(input));
    }

    @Override
    public void delivery(DeliveryInput input) {
        boolean _ = retrying(() -> deliver(input));
    }

    @Override
    public void stockLevel(StockLevelInput input) {
        boolean _ = retrying(() -> countStocks(input));
    }

    /// The number that the last transaction has shown: an order's total amount, in cents; a
    /// customer's balance; the amount of a customer's last order; how many items are low on stock.
    public long shown() {
        return shown;
    }

    /// How many lines of the last order were of the brand "B".
    public int brands() {
        return brands;
    }

    @Override
    public void copyDelivered(long[] target) {
        System.arraycopy(orders, 0, target, 0, Scale.DISTRICTS);
    }

    /// @param body whether it is rolled back
    private boolean retrying(BooleanSupplier body) {
        long firstNanos = 0;
        for (int tried = 1; ; tried++) {
            try {
                engine.begin();
                boolean isRolledBack = body.getAsBoolean();
                if (isRolledBack) {
                    engine.abort();
                } else {
                    engine.commit();
                }
                return isRolledBack;
            } catch (ConflictException | LineTimeoutException e) {
                engine.abort();
                if (isEnded) {
                    throw e;
                }
                long now = Host.MACHINE.nanoTime();
                firstNanos = tried == 1 ? now : firstNanos;
                if (now - firstNanos >= retryNanos) {
                    throw new UnusableDatabaseException(
                            "a transaction has met others in each of %,d attempts, the last one by: %s. Use fewer threads or more warehouses; if a compute server has died, wait until its lease has ended"
                                    .formatted(tried, e.getMessage()));
                }
                retries++;
                long longest = MIN_PAUSE_NANOS << Math.min(tried - 1, MAX_PAUSE_SHIFT);
                Host.MACHINE.sleep(pauses.nextLong(longest) + 1);
            } catch (RuntimeException | Error e) {
                engine.abort();
                throw e;
            }
        }
    }

    private boolean order(NewOrderInput input) {
        int w = input.warehouse();
        int d = input.district();
        Tuple warehouse = read(LineTable.WAREHOUSE, LineTable.WAREHOUSE.key(w));
        Tuple customer = read(LineTable.CUSTOMER, LineTable.CUSTOMER.key(w, d, input.customer()));
        for (int line = 0; line < input.lines(); line++) {
            Tuple item = engine.read(table(LineTable.ITEM), LineTable.ITEM.key(input.item(line)));
            if (item == null) {
                return true;
            }
            items[line] = item;
        }
        Tuple district = readForUpdate(LineTable.DISTRICT, LineTable.DISTRICT.key(w, d));
        long order = district.int64(schema.districts.nextOrder);
        district.setInt64(schema.districts.nextOrder, order + 1);
        Tuple inserted = engine.insert(table(LineTable.ORDERS), LineTable.ORDERS.key(w, d, order));
        inserted.setInt64(schema.orders.customer, input.customer())
                .setInt64(schema.orders.lineCount, input.lines())
                .setInt64(schema.orders.allLocal, input.allLocal() ? 1 : 0)
                .setInt64(schema.orders.entryTime, schema.nowMicros())
                .setNull(schema.orders.carrier);
        engine.insertEntry(
                table(LineTable.ORDERS_BY_CUSTOMER),
                LineTable.ORDERS_BY_CUSTOMER.key(
                        w, d, input.customer(), LineTable.MAX_ORDER - order),
                inserted);
        Tuple _ = engine.insert(table(LineTable.NEW_ORDER), LineTable.NEW_ORDER.key(w, d, order));
        brands = 0;
        long sum = 0;
        for (int line = 0; line < input.lines(); line++) {
            sum += orderLine(input, order, line);
        }
        long tax =
                ONE + warehouse.int64(schema.warehouses.tax) + district.int64(schema.districts.tax);
        long discount = ONE - customer.int64(schema.customers.discount);
        shown = (sum * discount / ONE * tax + ONE / 2) / ONE;
        return false;
    }

    /// @return the line's amount
    private long orderLine(NewOrderInput input, long order, int line) {
        int w = input.warehouse();
        int d = input.district();
        int quantity = input.quantity(line);
        Tuple stock =
                readForUpdate(
                        LineTable.STOCK,
                        LineTable.STOCK.key(input.supplyWarehouse(line), input.item(line)));
        long before = stock.int64(schema.stocks.quantity);
        long left = before - quantity >= MIN_LEFT ? before - quantity : before - quantity + REFILL;
        stock.setInt64(schema.stocks.quantity, left);
        add(stock, schema.stocks.ytd, quantity);
        add(stock, schema.stocks.orderCount, 1);
        if (input.supplyWarehouse(line) != w) {
            add(stock, schema.stocks.remoteCount, 1);
        }
        Tuple item = items[line];
        boolean isBrand =
                holdsOriginal(item, schema.items.data) && holdsOriginal(stock, schema.stocks.data);
        brands += isBrand ? 1 : 0;
        long amount = quantity * item.int64(schema.items.price);
        Tuple inserted =
                engine.insert(
                        table(LineTable.ORDER_LINE),
                        LineTable.ORDER_LINE.key(w, d, order, line + 1));
        inserted.setInt64(schema.orderLines.item, input.item(line))
                .setInt64(schema.orderLines.supplyWarehouse, input.supplyWarehouse(line))
                .setInt64(schema.orderLines.quantity, quantity)
                .setInt64(schema.orderLines.amount, amount)
                .setNull(schema.orderLines.deliveryTime);
        int length = stock.copyBytes(schema.stocks.districtInfo(d), text, 0);
        inserted.setBytes(schema.orderLines.districtInfo, text, 0, length);
        return amount;
    }

    private boolean holdsOriginal(Tuple tuple, Column column) {
        int length = tuple.copyBytes(column, text, 0);
        for (int start = 0; start + ORIGINAL.length <= length; start++) {
            int end = start + ORIGINAL.length;
            if (Arrays.equals(text, start, end, ORIGINAL, 0, ORIGINAL.length)) {
                return true;
            }
        }
        return false;
    }

    private boolean pay(PaymentInput input) {
        int w = input.warehouse();
        int d = input.district();
        long amount = input.amountCents();
        Tuple warehouse = readForUpdate(LineTable.WAREHOUSE, LineTable.WAREHOUSE.key(w));
        add(warehouse, schema.warehouses.ytd, amount);
        Tuple district = readForUpdate(LineTable.DISTRICT, LineTable.DISTRICT.key(w, d));
        add(district, schema.districts.ytd, amount);
        int customerWarehouse = input.customerWarehouse();
        int customerDistrict = input.customerDistrict();
        long key =
                input.byLastName()
                        ? middle(customerWarehouse, customerDistrict, input.lastName())
                        : LineTable.CUSTOMER.key(
                                customerWarehouse, customerDistrict, input.customer());
        Tuple customer = readForUpdate(LineTable.CUSTOMER, key);
        add(customer, schema.customers.balance, -amount);
        add(customer, schema.customers.ytdPayment, amount);
        add(customer, schema.customers.paymentCount, 1);
        shown = customer.int64(schema.customers.balance);
        long id = LineTable.CUSTOMER.column(key, 2);
        int credit = customer.copyBytes(schema.customers.credit, text, 0);
        if (credit > 0 && text[0] == 'B') {
            rememberPayment(customer, id, input);
        }
        insertHistory(input, id, warehouse, district);
        return false;
    }

    /// Puts the payment in front of C_DATA, whose end is cut off (clause 2.5.2.2).
    private void rememberPayment(Tuple customer, long id, PaymentInput input) {
        byte[] payment =
                "%d %d %d %d %d %d "
                        .formatted(
                                id,
                                input.customerDistrict(),
                                input.customerWarehouse(),
                                input.district(),
                                input.warehouse(),
                                input.amountCents())
                        .getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(payment, 0, text, 0, payment.length);
        int length =
                payment.length + customer.copyBytes(schema.customers.data, text, payment.length);
        customer.setBytes(schema.customers.data, text, 0, Math.min(length, Customers.DATA_BYTES));
    }

    private void insertHistory(PaymentInput input, long id, Tuple warehouse, Tuple district) {
        int length = warehouse.copyBytes(schema.warehouses.name, text, 0);
        System.arraycopy(GAP, 0, text, length, GAP.length);
        length += GAP.length;
        length += district.copyBytes(schema.districts.name, text, length);
        engine.insert(table(LineTable.HISTORY), LineTable.HISTORY.key(writer, payments++))
                .setInt64(schema.histories.customer, id)
                .setInt64(schema.histories.customerDistrict, input.customerDistrict())
                .setInt64(schema.histories.customerWarehouse, input.customerWarehouse())
                .setInt64(schema.histories.district, input.district())
                .setInt64(schema.histories.warehouse, input.warehouse())
                .setInt64(schema.histories.time, schema.nowMicros())
                .setInt64(schema.histories.amount, input.amountCents())
                .setBytes(schema.histories.data, text, 0, length);
    }

    /// The key of the customer in the middle, rounded up, of those with a last name, in the order
    /// of their first names.
    private long middle(int w, int d, int lastName) {
        LineTable index = LineTable.CUSTOMER_BY_NAME;
        int count =
                engine.range(
                        table(index),
                        index.key(w, d, lastName),
                        index.lastKey(w, d, lastName),
                        keys,
                        places);
        if (count == 0) {
            throw new IllegalStateException("no customer has the last name number " + lastName);
        }
        Tuple[] found = new Tuple[count];
        for (int i = 0; i < count; i++) {
            long key = LineTable.CUSTOMER.key(w, d, index.column(keys[i], 3));
            Tuple customer = engine.at(table(LineTable.CUSTOMER), key, places[i], false);
            found[i] = require(customer, LineTable.CUSTOMER, key);
        }
        Arrays.sort(found, this::compareByFirstName);
        return found[(count + 1) / 2 - 1].key();
    }

    private int compareByFirstName(Tuple one, Tuple other) {
        Column first = schema.customers.first;
        int length = one.copyBytes(first, text, 0);
        int otherLength = other.copyBytes(first, otherText, 0);
        int order = Arrays.compareUnsigned(text, 0, length, otherText, 0, otherLength);
        return order != 0 ? order : Long.compare(one.key(), other.key());
    }

    private boolean showStatus(OrderStatusInput input) {
        int w = input.warehouse();
        int d = input.district();
        long key =
                input.byLastName()
                        ? middle(w, d, input.lastName())
                        : LineTable.CUSTOMER.key(w, d, input.customer());
        Tuple _ = read(LineTable.CUSTOMER, key);
        shown = 0;
        Tuple order = latestOrder(w, d, LineTable.CUSTOMER.column(key, 2));
        if (order != null) {
            long number = LineTable.ORDERS.column(order.key(), 2);
            int lineCount = rangeOfLines(w, d, number, number);
            for (int i = 0; i < lineCount; i++) {
                Tuple line = line(i, false);
                shown += line == null ? 0 : line.int64(schema.orderLines.amount);
            }
        }
        return false;
    }

    /// The latest order of a customer. An entry may lead to none, if its commit has failed.
    private @Nullable Tuple latestOrder(int w, int d, long customer) {
        LineTable index = LineTable.ORDERS_BY_CUSTOMER;
        long from = index.key(w, d, customer);
        long to = index.lastKey(w, d, customer);
        long[] latest = new long[1];
        while (engine.range(table(index), from, to, latest, places) > 0) {
            long number = LineTable.MAX_ORDER - index.column(latest[0], 3);
            long key = LineTable.ORDERS.key(w, d, number);
            Tuple order = engine.at(table(LineTable.ORDERS), key, places[0], false);
            if (order != null) {
                return order;
            }
            from = latest[0] + 1;
        }
        return null;
    }

    private int rangeOfLines(int w, int d, long first, long last) {
        LineTable table = LineTable.ORDER_LINE;
        return engine.range(
                table(table), table.key(w, d, first), table.lastKey(w, d, last), keys, places);
    }

    /// A line of an order that was found. An entry may lead to none, if its commit has failed.
    private @Nullable Tuple line(int index, boolean isForUpdate) {
        return engine.at(table(LineTable.ORDER_LINE), keys[index], places[index], isForUpdate);
    }

    private boolean deliver(DeliveryInput input) {
        int w = input.warehouse();
        long now = schema.nowMicros();
        for (int d = 1; d <= Scale.DISTRICTS; d++) {
            Tuple newOrder = oldest(w, d);
            orders[d - 1] = 0;
            if (newOrder == null) {
                continue;
            }
            long number = LineTable.NEW_ORDER.column(newOrder.key(), 2);
            orders[d - 1] = number;
            engine.delete(newOrder);
            Tuple order = readForUpdate(LineTable.ORDERS, LineTable.ORDERS.key(w, d, number));
            order.setInt64(schema.orders.carrier, input.carrier());
            long amount = 0;
            int count = rangeOfLines(w, d, number, number);
            for (int i = 0; i < count; i++) {
                Tuple line = line(i, true);
                if (line != null) {
                    line.setInt64(schema.orderLines.deliveryTime, now);
                    amount += line.int64(schema.orderLines.amount);
                }
            }
            long customerId = order.int64(schema.orders.customer);
            Tuple customer =
                    readForUpdate(LineTable.CUSTOMER, LineTable.CUSTOMER.key(w, d, customerId));
            add(customer, schema.customers.balance, amount);
            add(customer, schema.customers.deliveryCount, 1);
        }
        return false;
    }

    /// The oldest order of a district that is not delivered. One that is just being delivered has
    /// its entry still, and is a conflict or deleted.
    private @Nullable Tuple oldest(int w, int d) {
        LineTable table = LineTable.NEW_ORDER;
        long from = table.key(w, d);
        long[] first = new long[1];
        while (engine.range(table(table), from, table.lastKey(w, d), first, places) > 0) {
            Tuple found = engine.at(table(table), first[0], places[0], true);
            if (found != null) {
                return found;
            }
            from = first[0] + 1;
        }
        return null;
    }

    private boolean countStocks(StockLevelInput input) {
        int w = input.warehouse();
        int d = input.district();
        Tuple district = read(LineTable.DISTRICT, LineTable.DISTRICT.key(w, d));
        long next = district.int64(schema.districts.nextOrder);
        int count = rangeOfLines(w, d, Math.max(1, next - ORDERS_OF_STOCK_LEVEL), next - 1);
        long[] found = new long[count];
        int lineCount = 0;
        for (int i = 0; i < count; i++) {
            Tuple line = line(i, false);
            if (line != null) {
                found[lineCount++] = line.int64(schema.orderLines.item);
            }
        }
        Arrays.sort(found, 0, lineCount);
        shown = 0;
        for (int i = 0; i < lineCount; i++) {
            if (i == 0 || found[i] != found[i - 1]) {
                Tuple stock = read(LineTable.STOCK, LineTable.STOCK.key(w, found[i]));
                shown += stock.int64(schema.stocks.quantity) < input.threshold() ? 1 : 0;
            }
        }
        return false;
    }

    private static void add(Tuple tuple, Column column, long amount) {
        tuple.setInt64(column, tuple.int64(column) + amount);
    }

    private Tuple read(LineTable table, long key) {
        return require(engine.read(table(table), key), table, key);
    }

    private Tuple readForUpdate(LineTable table, long key) {
        return require(engine.readForUpdate(table(table), key), table, key);
    }

    private static Tuple require(@Nullable Tuple tuple, LineTable table, long key) {
        if (tuple == null) {
            throw new IllegalStateException("%s has no tuple of the key %x".formatted(table, key));
        }
        return tuple;
    }

    private HeapTable table(LineTable table) {
        return lines.table(table);
    }

    /// The next conflict ends a transaction, by a [ConflictException]. For any thread.
    public void end() {
        isEnded = true;
    }

    /// What they are done by, whose verbs and messages count.
    public LineSession lines() {
        return engine.lines();
    }

    @Override
    public CostSource costs() {
        return this;
    }

    @Override
    public VerbCounters counters() {
        return engine.lines().counters();
    }

    @Override
    public long retries() {
        return retries;
    }

    @Override
    public long outcomes(AbortCause cause) {
        return cause == AbortCause.WRITE_CONFLICT ? engine.conflicts() : 0;
    }

    @Override
    public void close() {
        engine.close();
    }
}
