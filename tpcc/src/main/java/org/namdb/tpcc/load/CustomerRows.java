package org.namdb.tpcc.load;

import java.nio.charset.StandardCharsets;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.mvcc.schema.Key;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.input.LastNames;
import org.namdb.tpcc.input.NuRandConstants;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.schema.Customers;
import org.namdb.tpcc.schema.Histories;
import org.namdb.tpcc.schema.TpccSchema;

/// A district's customers, each with the one payment that it has made; a number is a customer's id.
final class CustomerRows implements RowLoader {
    /// What each customer has paid: 10.00.
    static final long PAID_CENTS = 1_000;

    private static final long CREDIT_LIMIT_CENTS = 5_000_000;
    private static final int BAD_CREDIT_PERCENT = 10;
    private static final int MAX_DISCOUNT = 5_000;
    private static final byte[] MIDDLE = ascii("OE");
    private static final byte[] GOOD_CREDIT = ascii("GC");
    private static final byte[] BAD_CREDIT = ascii("BC");

    private final Customers customers;
    private final Histories histories;
    private final NuRandConstants constants;
    private final int lastNames;
    private final long nowMicros;
    private final Key customerKey;
    private final Histories.NewKeys historyKeys;
    private final ColumnText text = new ColumnText();

    CustomerRows(TpccSchema schema, Scale scale, NuRandConstants constants, long nowMicros) {
        this.customers = schema.customers;
        this.histories = schema.histories;
        this.constants = constants;
        this.lastNames = scale.lastNames();
        this.nowMicros = nowMicros;
        this.customerKey = customers.table.newKey();
        this.historyKeys = histories.newKeys();
    }

    @Override
    public int insert(Transaction tx, TpccRandom random, LoadPart part, int number) {
        insertCustomer(tx, random, part, number);
        insertHistory(tx, random, part, number);
        return 2;
    }

    private void insertCustomer(Transaction tx, TpccRandom random, LoadPart part, int id) {
        byte[] last = LastNames.ascii(lastName(random, id));
        byte[] credit = random.chance(BAD_CREDIT_PERCENT) ? BAD_CREDIT : GOOD_CREDIT;
        Row row =
                tx.insert(customers.table, customerKey.set(part.warehouse(), part.district(), id))
                        .setInt64(customers.balance, -PAID_CENTS)
                        .setInt64(customers.ytdPayment, PAID_CENTS)
                        .setInt64(customers.paymentCount, 1)
                        .setInt64(customers.deliveryCount, 0)
                        .setBytes(customers.credit, credit, 0, credit.length)
                        .setBytes(customers.middle, MIDDLE, 0, MIDDLE.length)
                        .setInt64(customers.discount, random.uniform(0, MAX_DISCOUNT))
                        .setBytes(customers.last, last, 0, last.length)
                        .setInt64(customers.creditLimit, CREDIT_LIMIT_CENTS)
                        .setInt64(customers.since, nowMicros);
        text.alphanumeric(row, customers.first, random, 8, 16);
        text.street(row, customers.street1, random);
        text.street(row, customers.street2, random);
        text.street(row, customers.city, random);
        text.state(row, customers.state, random);
        text.zip(row, customers.zip, random);
        text.phone(row, customers.phone, random);
        text.alphanumeric(row, customers.data, random, 300, Customers.DATA_BYTES);
    }

    /// Every last name once, then by NURand.
    private int lastName(TpccRandom random, int id) {
        return id <= lastNames
                ? id - 1
                : random.nuRand(
                        NuRandConstants.LAST_NAME_A, constants.lastNameLoad(), 0, lastNames - 1);
    }

    private void insertHistory(Transaction tx, TpccRandom random, LoadPart part, int customer) {
        Row row =
                tx.insert(histories.table, historyKeys.next())
                        .setInt64(histories.customer, customer)
                        .setInt64(histories.customerDistrict, part.district())
                        .setInt64(histories.customerWarehouse, part.warehouse())
                        .setInt64(histories.district, part.district())
                        .setInt64(histories.warehouse, part.warehouse())
                        .setInt64(histories.time, nowMicros)
                        .setInt64(histories.amount, PAID_CENTS);
        text.alphanumeric(row, histories.data, random, 12, 24);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
