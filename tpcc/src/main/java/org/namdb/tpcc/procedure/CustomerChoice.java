package org.namdb.tpcc.procedure;

import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.Rows;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;
import org.namdb.tpcc.input.LastNames;
import org.namdb.tpcc.schema.Customers;

/// Finds the customer of a Payment or an OrderStatus: by id, or by last name (clauses 2.5.2.2 and
/// 2.6.2.2).
final class CustomerChoice {
    private static final int MAX_NAME_BYTES = 16;

    private final Customers customers;
    private final Key key;
    private final Key nameKey;
    private final Rows found = new Rows();
    private final byte[] name = new byte[MAX_NAME_BYTES];
    private final byte[] otherName = new byte[MAX_NAME_BYTES];

    CustomerChoice(Customers customers) {
        this.customers = customers;
        this.key = customers.table.newKey();
        this.nameKey = customers.byLastName.newKey();
    }

    /// Posts the read of a customer by id.
    Row post(Transaction tx, int warehouse, int district, int customer, Projection projection) {
        return tx.post(customers.table, key.set(warehouse, district, customer), projection);
    }

    /// Posts the read of all customers with a last name; [#middle] is to follow the await.
    void postByLastName(
            Transaction tx, int warehouse, int district, int lastName, Projection projection) {
        byte[] last = LastNames.ascii(lastName);
        nameKey.set(warehouse, district).add(last, 0, last.length);
        tx.postLookup(customers.byLastName, customers.table, nameKey, projection, found);
    }

    /// The one in the middle, rounded up, of those that were found, in the order of their first
    /// names.
    Row middle(int lastName) {
        if (found.size() == 0) {
            throw new IllegalStateException("no customer has the last name number " + lastName);
        }
        return middle();
    }

    /// The row that as many others precede as half of them, rounded down if even less one: found by
    /// counting, as there are few.
    private Row middle() {
        int wanted = (found.size() + 1) / 2 - 1;
        for (int i = 0; i < found.size(); i++) {
            int before = 0;
            for (int j = 0; j < found.size(); j++) {
                before += precedes(j, i) ? 1 : 0;
            }
            if (before == wanted) {
                return found.row(i);
            }
        }
        throw new AssertionError("a total order has a middle");
    }

    private boolean precedes(int a, int b) {
        int lengthA = found.row(a).copyBytes(customers.first, name, 0);
        int lengthB = found.row(b).copyBytes(customers.first, otherName, 0);
        int order = java.util.Arrays.compareUnsigned(name, 0, lengthA, otherName, 0, lengthB);
        return order != 0
                ? order < 0
                : found.row(a).int64(customers.id) < found.row(b).int64(customers.id);
    }
}
