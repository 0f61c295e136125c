package org.namdb.examples;

import java.math.BigDecimal;
import org.namdb.compute.NamDb;
import org.namdb.compute.StoredProcedure;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// Tables, transactions and a stored procedure, in a database in this process.
public final class Bank {
    private Bank() {}

    public static void main(String[] arguments) {
        try (NamDb db = NamDb.embedded()) {
            Table accounts =
                    db.createTable(
                            TableDefinition.named("accounts")
                                    .column("id", ColumnType.INT64)
                                    .column("owner", ColumnType.varchar(40))
                                    .column("balance", ColumnType.decimal(12, 2))
                                    .primaryKey("id")
                                    .build());
            Column owner = accounts.column("owner");
            Column balance = accounts.column("balance");

            db.transact(tx -> { // retried after a conflict
                tx.insert(accounts, accounts.newKey().set(1))
                        .setString(owner, "Ada")
                        .setDecimal(balance, new BigDecimal("100.00"));
                tx.insert(accounts, accounts.newKey().set(2))
                        .setString(owner, "Grace")
                        .setDecimal(balance, BigDecimal.ZERO);
                return true; // a Row ends with its transaction
            });

            record Transfer(long from, long to, BigDecimal amount) {}
            StoredProcedure<Transfer, BigDecimal> transfer =
                    (tx, wanted) -> {
                        Key debited = accounts.newKey().set(wanted.from());
                        Key credited = accounts.newKey().set(wanted.to());
                        Row from = tx.post(accounts, debited, accounts.schema().all());
                        Row to = tx.post(accounts, credited, accounts.schema().all());
                        tx.await(); // both in one round trip
                        from.setDecimal(balance, from.decimal(balance).subtract(wanted.amount()));
                        to.setDecimal(balance, to.decimal(balance).add(wanted.amount()));
                        return from.decimal(balance);
                    };
            db.register("transfer", transfer);
            BigDecimal left = db.call("transfer", new Transfer(1, 2, new BigDecimal("30.00")));
            System.out.println("Ada has " + left + " left");
        }
    }
}
