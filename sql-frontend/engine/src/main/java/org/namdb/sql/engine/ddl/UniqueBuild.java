package org.namdb.sql.engine.ddl;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Table;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.UniqueKey;
import org.namdb.sql.engine.change.KeyText;
import org.namdb.sql.engine.change.UniqueEntries;
import org.namdb.sql.engine.record.RowReader;
import org.namdb.sql.language.error.ErrorObject;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Fills the table of a unique index from the rows that are there: reads them in one transaction,
/// writes the entries in many, so that the write set stays small; or all in that which the DDL is a
/// part of.
final class UniqueBuild {
    private static final int ENTRIES_PER_TRANSACTION = 1000;

    private final SqlTable table;
    private final SqlIndex index;
    private final UniqueEntries entries;
    private final RowReader rows;

    private UniqueBuild(SqlTable table, SqlIndex index) {
        this.table = table;
        this.index = index;
        this.entries = new UniqueEntries(table, index);
        this.rows = new RowReader(table.columns());
    }

    /// Fills the index's table, which is there, and empty.
    ///
    /// @throws SqlException 23505 if two rows have the same values
    static void run(DdlContext context, SqlTable table, UniqueKey key) {
        Table stored = context.db().table(key.tableName());
        List<Integer> columns = Indexes.numbers(table, key.columns());
        SqlIndex index = new SqlIndex(key.name(), columns, true, false, false, null, stored);
        UniqueBuild build = new UniqueBuild(table, index);
        Transaction running = context.transaction();
        if (running != null) {
            context.requireUnchanged(table.name());
            build.copy(
                    running,
                    (List<@Nullable Object[]> batch) -> {
                        context.read(batch.size());
                        build.write(running, batch);
                        running.packIfMany();
                    });
            return;
        }
        try (Session reader = context.reservedSession();
                Session writer = context.reservedSession()) {
            Transaction reading = reader.begin();
            try {
                build.copy(
                        reading,
                        (List<@Nullable Object[]> batch) -> {
                            context.read(batch.size());
                            writer.transact(transaction -> {
                                build.write(transaction, batch);
                                return null;
                            });
                        });
            } finally {
                reader.rollback();
            }
        }
    }

    private void copy(Transaction transaction, Consumer<List<@Nullable Object[]>> writer) {
        TableScan scan = transaction.scan(table.stored(), table.stored().schema().all());
        List<@Nullable Object[]> batch = new ArrayList<>();
        for (Row row = scan.next(); row != null; row = scan.next()) {
            @Nullable Object[] tuple = rows.read(row);
            if (isWhole(tuple)) {
                batch.add(tuple);
            }
            if (batch.size() == ENTRIES_PER_TRANSACTION) {
                writer.accept(batch);
                batch.clear();
            }
        }
        writer.accept(batch);
    }

    private boolean isWhole(@Nullable Object[] tuple) {
        return index.columns().stream().noneMatch(column -> tuple[column] == null);
    }

    private void write(Transaction transaction, List<@Nullable Object[]> batch) {
        List<@Nullable Row> there = new ArrayList<>();
        for (@Nullable Object[] tuple : batch) {
            there.add(entries.post(transaction, tuple));
        }
        transaction.await();
        for (int i = 0; i < batch.size(); i++) {
            Row entry = there.get(i);
            if (entry != null && entry.exists()) {
                throw duplicate(batch.get(i));
            }
            entries.insert(transaction, batch.get(i));
        }
    }

    private SqlException duplicate(@Nullable Object[] tuple) {
        return new SqlException(
                        SqlState.UNIQUE_VIOLATION,
                        "could not create unique index \"" + index.name() + "\"")
                .about(ErrorObject.constraint(table.name(), index.name()))
                .withDetail("Key " + KeyText.of(table, index.columns(), tuple) + " is duplicated.");
    }
}
