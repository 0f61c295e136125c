package org.namdb.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.namdb.compute.NamDb;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// Numbers under keys. A register that was never written has no record, and reads as 0. A record
/// holds its value many times, over several cache lines, so that a mixture of two versions shows.
final class Registers {
    static final String NAME = "registers";
    static final String FIRST_COPY = "copy_0";
    private static final int COPIES = 20;

    private final Table table;
    private final List<Column> copies = new ArrayList<>();
    private final Key key;

    private Registers(Table table) {
        this.table = table;
        this.key = table.newKey();
        for (int copy = 0; copy < COPIES; copy++) {
            copies.add(table.column("copy_" + copy));
        }
    }

    /// Makes the table.
    ///
    /// @param keys for how many records it is made
    /// @param versions places of an old-version buffer
    /// @param inlined whether records are in their buckets
    /// @param cached whether compute servers keep copies of them
    static void create(NamDb db, int keys, int versions, boolean inlined, boolean cached) {
        TableDefinition.Builder definition =
                TableDefinition.named(NAME)
                        .column("key", ColumnType.INT64)
                        .primaryKey("key")
                        .expectedRows(keys)
                        .bucketRecords(2)
                        .versions(versions)
                        .cached(cached);
        for (int copy = 0; copy < COPIES; copy++) {
            definition.column("copy_" + copy, ColumnType.INT64);
        }
        if (!inlined) {
            definition.inlined(false);
        }
        db.createTable(definition.build());
    }

    /// The registers of a database, for one thread.
    static Registers of(NamDb db) {
        return new Registers(Objects.requireNonNull(db.findTable(NAME), NAME));
    }

    /// The value of a register.
    ///
    /// @throws TornRecordException if the record holds different ones
    long read(Transaction transaction, long register) {
        Row row = transaction.read(table, key.set(register));
        if (row == null) {
            return 0;
        }
        long value = row.int64(copies.getFirst());
        for (Column copy : copies) {
            if (row.int64(copy) != value) {
                throw new TornRecordException(
                        "register %d holds both %d and %d"
                                .formatted(register, value, row.int64(copy)));
            }
        }
        return value;
    }

    void write(Transaction transaction, long register, long value) {
        Row row = transaction.read(table, key.set(register));
        if (row == null) {
            row = transaction.insert(table, key.set(register));
        }
        for (Column copy : copies) {
            row.setInt64(copy, value);
        }
    }
}
