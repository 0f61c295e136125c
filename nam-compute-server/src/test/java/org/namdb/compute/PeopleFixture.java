package org.namdb.compute;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.read.Rows;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.memory.client.ServerUsage;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// A database, and a table of people with what tests do to it.
abstract class PeopleFixture {
    NamDb db;

    abstract EmbeddedOptions options();

    @BeforeEach
    void open() {
        db = NamDb.embedded(options().withMemoryBytes(128 << 20));
    }

    @AfterEach
    void close() {
        db.close();
    }

    /// The memory servers that the table lies on; none for all of them.
    int[] servers() {
        return new int[0];
    }

    TableDefinition.Builder people(String name) {
        return TableDefinition.named(name)
                .column("id", ColumnType.INT64)
                .nullable("age", ColumnType.INT32)
                .nullable("name", ColumnType.varchar(200))
                .primaryKey("id")
                .servers(servers())
                .expectedRows(64);
    }

    void insert(Table table, long id, @Nullable Integer age, @Nullable String name) {
        db.transact(tx -> {
            Row row = tx.insert(table, table.newKey().set(id));
            if (age != null) {
                row.setInt64(table.column("age"), age);
            }
            if (name != null) {
                row.setString(table.column("name"), name);
            }
            return row;
        });
    }

    void setAge(Table table, long id, @Nullable Integer age) {
        db.transact(tx -> {
            Row row = tx.read(table, table.newKey().set(id));
            return age == null
                    ? row.setNull(table.column("age"))
                    : row.setInt64(table.column("age"), age);
        });
    }

    void delete(Table table, long id) {
        db.transact(tx -> {
            tx.delete(tx.read(table, table.newKey().set(id)));
            return true;
        });
    }

    List<Long> ascending(Index index, Table table, Key from, Key to) {
        return db.transact(tx -> {
            List<Long> ids = new ArrayList<>();
            RowCursor cursor = tx.ascending(index, table, from, to, table.schema().all());
            for (Row row = cursor.next(); row != null; row = cursor.next()) {
                ids.add(row.int64(table.column("id")));
            }
            return ids;
        });
    }

    List<Long> lookup(Index index, Table table, Key key) {
        return db.transact(tx -> {
            Rows found = new Rows();
            tx.lookup(index, table, key, table.schema().all(), found);
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < found.size(); i++) {
                ids.add(found.row(i).int64(table.column("id")));
            }
            ids.sort(null);
            return ids;
        });
    }

    long used() {
        return db.usage().stream().mapToLong(ServerUsage::usedBytes).sum();
    }
}
