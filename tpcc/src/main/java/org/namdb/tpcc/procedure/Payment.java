package org.namdb.tpcc.procedure;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.StoredProcedure;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.Key;
import org.namdb.tpcc.input.PaymentInput;
import org.namdb.tpcc.schema.Customers;
import org.namdb.tpcc.schema.Histories;
import org.namdb.tpcc.schema.TpccSchema;

/// Payment (clause 2.5.2).
public final class Payment implements StoredProcedure<PaymentInput, PaymentResult> {
    private static final int NAME_GAP = 4;
    private static final int MAX_NAME_BYTES = 10;
    private static final int MAX_NUMBERS_BYTES = 80;

    private final TpccSchema schema;
    private final CustomerChoice choice;
    private final PaymentResult result = new PaymentResult();
    private final Key warehouseKey;
    private final Key districtKey;
    private final Histories.NewKeys historyKeys;
    private final Key customerKey;
    private final byte[] names = new byte[2 * MAX_NAME_BYTES + NAME_GAP];
    private final byte[] data = new byte[Customers.DATA_BYTES + MAX_NUMBERS_BYTES];
    private final byte[] digits = new byte[20];

    public Payment(TpccSchema schema) {
        this.schema = schema;
        this.choice = new CustomerChoice(schema.customers);
        this.warehouseKey = schema.warehouses.table.newKey();
        this.districtKey = schema.districts.table.newKey();
        this.historyKeys = schema.histories.newKeys();
        this.customerKey = schema.customers.table.newKey();
    }

    @Override
    public PaymentResult run(Transaction tx, PaymentInput input) {
        int w = input.warehouse();
        int d = input.district();
        Row warehouse =
                tx.post(
                        schema.warehouses.table,
                        warehouseKey.set(w),
                        schema.warehouses.table.schema().all());
        Row district =
                tx.post(
                        schema.districts.table,
                        districtKey.set(w, d),
                        schema.districts.table.schema().all());
        Row customer = postCustomer(tx, input);
        tx.await();
        if (customer == null) {
            customer = choice.middle(input.lastName());
        }
        long amount = input.amountCents();
        add(warehouse, schema.warehouses.ytd, amount);
        add(district, schema.districts.ytd, amount);
        payCustomer(tx, customer, input);
        insertHistory(tx, input, customer, warehouse, district);
        return result;
    }

    /// The customer, or null for the one in the middle of those that have its name.
    private @Nullable Row postCustomer(Transaction tx, PaymentInput input) {
        int w = input.customerWarehouse();
        int d = input.customerDistrict();
        if (input.byLastName()) {
            choice.postByLastName(tx, w, d, input.lastName(), schema.customers.forPayment);
            return null;
        }
        return choice.post(tx, w, d, input.customer(), schema.customers.forPayment);
    }

    private void payCustomer(Transaction tx, Row found, PaymentInput input) {
        Customers customers = schema.customers;
        Row customer = found;
        boolean badCredit = customer.byteAt(customers.credit, 0) == 'B';
        if (badCredit) {
            customerKey.set(
                    input.customerWarehouse(),
                    input.customerDistrict(),
                    customer.int64(customers.id));
            customer = tx.post(customers.table, customerKey, customers.table.schema().all());
            tx.await();
        }
        long balance = customer.int64(customers.balance) - input.amountCents();
        customer.setInt64(customers.balance, balance);
        add(customer, customers.ytdPayment, input.amountCents());
        add(customer, customers.paymentCount, 1);
        if (badCredit) {
            rememberPayment(customer, input);
        }
        result.customer = customer.int64(customers.id);
        result.balanceCents = balance;
    }

    /// Puts the payment in front of C_DATA, whose end is cut off (clause 2.5.2.2).
    private void rememberPayment(Row customer, PaymentInput input) {
        int length = appendNumber(0, customer.int64(schema.customers.id));
        length = appendNumber(length, input.customerDistrict());
        length = appendNumber(length, input.customerWarehouse());
        length = appendNumber(length, input.district());
        length = appendNumber(length, input.warehouse());
        length = appendNumber(length, input.amountCents());
        length += customer.copyBytes(schema.customers.data, data, length);
        customer.setBytes(schema.customers.data, data, 0, Math.min(length, Customers.DATA_BYTES));
    }

    private int appendNumber(int start, long number) {
        int count = 0;
        long left = number;
        do {
            digits[count++] = (byte) ('0' + left % 10);
            left /= 10;
        } while (left != 0);
        int at = start;
        while (count > 0) {
            data[at++] = digits[--count];
        }
        data[at++] = ' ';
        return at;
    }

    private void insertHistory(
            Transaction tx, PaymentInput input, Row customer, Row warehouse, Row district) {
        int length = warehouse.copyBytes(schema.warehouses.name, names, 0);
        for (int i = 0; i < NAME_GAP; i++) {
            names[length++] = ' ';
        }
        length += district.copyBytes(schema.districts.name, names, length);
        tx.insert(schema.histories.table, historyKeys.next())
                .setInt64(schema.histories.customer, customer.int64(schema.customers.id))
                .setInt64(schema.histories.customerDistrict, input.customerDistrict())
                .setInt64(schema.histories.customerWarehouse, input.customerWarehouse())
                .setInt64(schema.histories.district, input.district())
                .setInt64(schema.histories.warehouse, input.warehouse())
                .setInt64(schema.histories.time, schema.nowMicros())
                .setInt64(schema.histories.amount, input.amountCents())
                .setBytes(schema.histories.data, names, 0, length);
    }

    private static void add(Row row, Column column, long amount) {
        row.setInt64(column, row.int64(column) + amount);
    }
}
