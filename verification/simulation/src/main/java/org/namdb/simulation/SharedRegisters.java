package org.namdb.simulation;

import java.time.Duration;
import org.namdb.compute.NamDb;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;

/// Registers that several processes use at once, so that their histories are one. The first process
/// that joins makes the table and the last one that leaves drops it, so that no history begins with
/// values that were not recorded: the table counts the processes. Each does so alone in the whole
/// cluster, as a schema change.
///
/// In a history, the registers of one table have other keys than those of the next one, so that
/// files of runs that did not overlap may be checked together, too.
final class SharedRegisters {
    /// The register that counts the processes, and the one that holds the first key.
    private static final long PROCESSES = -1;

    private static final long FIRST_KEY = -2;

    /// More registers than there may be; a power of ten, so that a reader finds the register in
    /// the key.
    private static final long KEYS = 10_000_000;

    private static final Duration MAX_WAIT = Duration.ofSeconds(30);

    private SharedRegisters() {}

    /// What a process finds when it joins.
    ///
    /// @param others how many are there already
    /// @param firstKey what the key of register 0 is in histories
    record Found(long others, long firstKey) {}

    /// A process joins.
    ///
    /// @throws IllegalStateException if there is another table of that name
    /// @throws org.namdb.compute.schema.SchemaBusyException if transactions of others take too long
    static Found enter(NamDb db, int keys, int versions) {
        return db.changeSchema(
                MAX_WAIT,
                () -> {
                    Table table = db.findTable(Registers.NAME);
                    if (table != null) {
                        requireRegisters(table);
                    }
                    long others = table == null ? 0 : read(db, PROCESSES);
                    if (others == 0) {
                        if (table != null) {
                            db.dropTable(Registers.NAME);
                        }
                        Registers.create(db, keys, versions, true, false);
                        write(db, FIRST_KEY, (db.process() + 1) * KEYS);
                    }
                    write(db, PROCESSES, others + 1);
                    return new Found(others, read(db, FIRST_KEY));
                });
    }

    /// A process leaves.
    static void leave(NamDb db) {
        db.changeSchema(
                MAX_WAIT,
                () -> {
                    long others = read(db, PROCESSES) - 1;
                    if (others == 0) {
                        db.dropTable(Registers.NAME);
                    } else {
                        write(db, PROCESSES, others);
                    }
                    return others;
                });
    }

    private static void requireRegisters(Table table) {
        boolean isTheirs =
                table.schema().columns().stream()
                        .map(Column::name)
                        .anyMatch(Registers.FIRST_COPY::equals);
        if (!isTheirs) {
            throw new IllegalStateException(
                    "the database has a table %s, which nam history has not made: rename it"
                            .formatted(Registers.NAME));
        }
    }

    private static long read(NamDb db, long register) {
        Registers registers = Registers.of(db);
        return db.transact(tx -> registers.read(tx, register));
    }

    private static void write(NamDb db, long register, long value) {
        Registers registers = Registers.of(db);
        db.transact(tx -> {
            registers.write(tx, register, value);
            return value;
        });
    }
}
