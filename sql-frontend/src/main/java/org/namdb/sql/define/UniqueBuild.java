package org.namdb.sql.define;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.CommitOutcome;
import org.namdb.compute.NamDb;
import org.namdb.compute.Row;
import org.namdb.compute.Session;
import org.namdb.compute.Table;
import org.namdb.compute.TableScan;
import org.namdb.compute.Transaction;
import org.namdb.compute.TransactionException;
import org.namdb.sql.catalog.SqlIndex;
import org.namdb.sql.catalog.SqlTable;
import org.namdb.sql.catalog.UniqueKey;
import org.namdb.sql.change.StoredValues;
import org.namdb.sql.change.UniqueEntries;
import org.namdb.sql.error.SqlException;
import org.namdb.sql.error.SqlState;

/// Fills the table of a unique index from the rows that are there: reads them in one transaction, writes the entries in many, so that the write set stays small.
final class UniqueBuild {
    private static final int ENTRIES_PER_TRANSACTION = 1000;

    private final SqlTable table;
    private final SqlIndex index;
    private final UniqueEntries entries;

    private UniqueBuild(SqlTable table, SqlIndex index) {
        this.table = table;
        this.index = index;
        this.entries = new UniqueEntries(table, index);
    }

    /// Fills the index's table, which is there, and empty.
    ///
    /// @throws SqlException 23505 if two rows have the same values
    static void run(NamDb db, SqlTable table, UniqueKey key) {
        Table stored = db.table(key.tableName());
        List<Integer> columns = Indexes.numbers(table, key.columns());
        SqlIndex index = new SqlIndex(key.name(), columns, true, false, false, null, stored);
        UniqueBuild build = new UniqueBuild(table, index);
        try (Session reader = db.session();
                Session writer = db.session()) {
            build.copy(reader, writer);
        }
    }

    private void copy(Session reader, Session writer) {
        Transaction transaction = reader.begin();
        try {
            TableScan scan =
                    transaction.scan(table.stored(), table.stored().schema().all());
            List<@Nullable Object[]> batch = new ArrayList<>();
            for (Row row = scan.next(); row != null; row = scan.next()) {
                @Nullable Object[] tuple = StoredValues.tuple(table, row);
                if (isWhole(tuple)) {
                    batch.add(tuple);
                }
                if (batch.size() == ENTRIES_PER_TRANSACTION) {
                    write(writer, batch);
                    batch.clear();
                }
            }
            write(writer, batch);
        } finally {
            reader.rollback();
        }
    }

    private boolean isWhole(@Nullable Object[] tuple) {
        return index.columns().stream().noneMatch(column -> tuple[column] == null);
    }

    private void write(Session writer, List<@Nullable Object[]> batch) {
        Set<List<Object>> seen = new HashSet<>();
        for (@Nullable Object[] tuple : batch) {
            if (!seen.add(values(tuple))) {
                throw duplicate();
            }
        }
        try {
            writer.transact(transaction -> {
                for (@Nullable Object[] tuple : batch) {
                    entries.insert(transaction, tuple);
                }
                return null;
            });
        } catch (TransactionException e) {
            throw e.outcome() instanceof CommitOutcome.DuplicateKey ? duplicate() : e;
        }
    }

    private List<Object> values(@Nullable Object[] tuple) {
        List<Object> values = new ArrayList<>();
        for (int column : index.columns()) {
            values.add(Objects.requireNonNull(tuple[column]));
        }
        return values;
    }

    private SqlException duplicate() {
        String columns =
                String.join(
                        ", ",
                        index.columns().stream().map(c -> table.columns().get(c).name()).toList());
        return new SqlException(
                        SqlState.UNIQUE_VIOLATION,
                        "could not create unique index \"" + index.name() + "\"")
                .withDetail("Values of (" + columns + ") are duplicated.");
    }
}
