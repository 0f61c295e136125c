package org.namdb.compute;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// A database, and a table of accounts.
abstract class AccountsFixture {
    NamDb db;
    Table accounts;
    Column owner;
    Column balance;

    /// What differs.
    abstract EmbeddedOptions options();

    int versions() {
        return 2;
    }

    /// The memory servers that the tables lie on; none for all of them.
    int[] servers() {
        return new int[0];
    }

    @BeforeEach
    void open() {
        db = NamDb.embedded(options().withMemoryBytes(256 << 20));
        accounts =
                db.createTable(
                        TableDefinition.named("accounts")
                                .column("id", ColumnType.INT64)
                                .column("owner", ColumnType.varchar(20))
                                .column("balance", ColumnType.INT64)
                                .nullable("note", ColumnType.varchar(30))
                                .primaryKey("id")
                                .servers(servers())
                                .expectedRows(100)
                                .versions(versions())
                                .build());
        owner = accounts.column("owner");
        balance = accounts.column("balance");
    }

    @AfterEach
    void close() {
        db.close();
    }

    Key id(long id) {
        return accounts.newKey().set(id);
    }

    void insert(long id, String name, long amount) {
        db.transact(
                tx -> tx.insert(accounts, id(id)).setString(owner, name).setInt64(balance, amount));
    }
}
