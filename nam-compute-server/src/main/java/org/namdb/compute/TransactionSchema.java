package org.namdb.compute;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.SessionIndexes;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.SchemaDraft;
import org.namdb.compute.schema.SchemaJournal;
import org.namdb.compute.schema.SchemaTable;
import org.namdb.compute.schema.Table;
import org.namdb.compute.schema.TableReplacement;
import org.namdb.fabric.FabricException;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.RangeBounds;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.snapshot.Snapshot;

/// The schema as a session's open transaction has changed it. No other one sees that before the
/// transaction is committed; a rollback leaves nothing. Meanwhile the schema can't be changed
/// otherwise, as every change waits for the transactions that run, and so for this one.
///
/// **Rows.** A table that gets other columns, or an index, while it has rows is replaced by one
/// that the transaction fills with them: so they are the transaction's as all that it writes, and
/// take memory until its commit. A table that has another name or other properties keeps its rows.
///
/// **The commit** waits until no other transaction runs, as every schema change does. Another one
/// may have written to a table since its rows were copied, or a constraint was checked: then it is
/// a conflict. In a data directory the transaction's image and the schema change are one.
///
/// For the session's thread, until the transaction ends.
public final class TransactionSchema implements Schema {
    private static final int ROWS_PER_PACKING = 256;
    private static final int MAX_SAMPLED_ROWS = 1 << 15;

    /// Versions are less than any of a database, and of no two transactions the same.
    private static final AtomicLong VERSIONS = new AtomicLong(-2);

    private final ComputeServer server;
    private final Session session;
    private final SchemaDraft draft;
    private long version = VERSIONS.getAndDecrement();

    /// The tables that no other transaction may have changed at the commit, with how many rows the
    /// snapshot shows.
    private Map<Table, Long> unchanged = Map.of();

    /// Where a savepoint returns to.
    public static final class Mark {
        private final SchemaDraft.State state;
        private final Map<Table, Long> unchanged;

        private Mark(SchemaDraft.State state, Map<Table, Long> unchanged) {
            this.state = state;
            this.unchanged = unchanged;
        }
    }

    TransactionSchema(ComputeServer server, Session session) {
        if (!session.isOpen()) {
            throw new IllegalStateException("no transaction is open");
        }
        this.server = server;
        this.session = session;
        this.draft = new SchemaDraft(server.catalog());
    }

    /// The changes so far.
    public Mark mark() {
        return new Mark(draft.state(), unchanged);
    }

    /// Undoes the changes since.
    public void rollbackTo(Mark mark) {
        draft.restore(mark.state);
        unchanged = mark.unchanged;
        version = VERSIONS.getAndDecrement();
    }

    private void put(SchemaTable table) {
        draft.put(table);
        version = VERSIONS.getAndDecrement();
    }

    private void remove(String name) {
        draft.remove(name);
        version = VERSIONS.getAndDecrement();
    }

    @Override
    public EmbeddedOptions options() {
        return server.options();
    }

    @Override
    public long uniqueNumber() {
        return server.owners().unique();
    }

    @Override
    public @Nullable SchemaTable describe(String name) {
        return draft.find(name);
    }

    @Override
    public List<String> tableNames() {
        return draft.tableNames();
    }

    @Override
    public @Nullable Index findAnyIndex(String name) {
        SchemaTable table = draft.tableOfIndex(name);
        if (table == null) {
            return null;
        }
        return table.indexes().stream()
                .filter(index -> index.name().equals(name))
                .findAny()
                .orElse(null);
    }

    @Override
    public long schemaVersion() {
        return version;
    }

    /// Whether the transaction has made a table, so that no other one has written to it.
    public boolean isMade(Table table) {
        return draft.isMade(table);
    }

    private void requireFree(String name) {
        if (draft.find(name) != null) {
            throw new IllegalArgumentException("there is a table " + name + " already");
        }
    }

    @Override
    public Table createTable(TableDefinition definition) {
        requireFree(definition.name());
        SchemaTable made = draft.make(definition, definition.expectedRows());
        put(made);
        return made.stored();
    }

    @Override
    public Index createIndex(IndexDefinition definition, LongConsumer progress) {
        if (draft.tableOfIndex(definition.name()) != null) {
            throw new IllegalArgumentException(
                    "there is an index " + definition.name() + " already");
        }
        SchemaTable table = described(definition.table());
        IndexDefinition divided = divided(definition, table.stored());
        if (!draft.isMade(table.stored())) {
            table = copied(table);
        }
        SchemaTable indexed = draft.makeIndex(table, divided);
        Index made = indexed.indexes().getLast();
        session.readSet.changes().requireFits(table.stored(), made);
        put(indexed);
        return made;
    }

    /// The definition of an index that is to be divided by ranges with their bounds, by a sample of
    /// the rows that the transaction sees.
    private IndexDefinition divided(IndexDefinition definition, Table of) {
        if (!Index.lacksBounds(definition, of)) {
            return definition;
        }
        Index index = Index.unplaced(definition, of);
        byte[] scratch = new byte[index.scratchBytes()];
        List<long[]> sample = new ArrayList<>();
        long stride = 1;
        long rows = 0;
        TableScan scan = session.transaction.scan(of, of.schema().all());
        for (Row row = scan.next(); row != null; row = scan.next()) {
            long[] entry =
                    rows++ % stride == 0 ? SessionIndexes.entryOf(index, row, scratch) : null;
            if (entry != null) { // else the fill refuses the row
                sample.add(entry);
            }
            if (sample.size() == MAX_SAMPLED_ROWS) {
                sample = everySecond(sample);
                stride *= 2;
            }
        }
        scan.close();
        sample.sort(Arrays::compareUnsigned);
        List<long[]> bounds = RangeBounds.divide(sample, definition, of.records().ranges());
        return bounds.isEmpty() ? definition : definition.bounds(bounds);
    }

    private static List<long[]> everySecond(List<long[]> entries) {
        List<long[]> left = new ArrayList<>();
        for (int i = 0; i < entries.size(); i += 2) {
            left.add(entries.get(i));
        }
        return left;
    }

    @Override
    public void dropIndex(String name) {
        SchemaTable table = draft.tableOfIndex(name);
        if (table == null) {
            throw new IllegalArgumentException("there is no index " + name);
        }
        put(
                new SchemaTable(
                        table.definition(),
                        table.stored(),
                        table.indexes().stream()
                                .filter(index -> !index.name().equals(name))
                                .toList()));
    }

    @Override
    public void dropTable(String name) {
        SchemaTable _ = described(name);
        remove(name);
    }

    @Override
    public Table truncate(String name) {
        SchemaTable table = described(name);
        SchemaTable made = emptied(table);
        put(made);
        return made.stored();
    }

    private SchemaTable emptied(SchemaTable table) {
        TableReplacement replacement = TableReplacement.of(table, table.definition());
        try {
            return empty(replacement, table.definition().expectedRows());
        } catch (MemoryFullException e) {
            return draft.fromReserve(() -> empty(replacement, 1));
        }
    }

    @Override
    public Table redefine(String name, TableDefinition definition) {
        SchemaTable table = described(name);
        if (!definition.name().equals(name)) {
            requireFree(definition.name());
            remove(name);
        }
        put(new SchemaTable(definition, table.stored(), table.indexes()));
        return table.stored();
    }

    @Override
    public Table replaceTable(
            String name, Function<SchemaTable, TableReplacement> replacing, RowMapping mapping) {
        SchemaTable table = described(name);
        TableReplacement replacement = replacing.apply(table);
        TableDefinition definition = replacement.definition();
        if (!definition.name().equals(name)) {
            requireFree(definition.name());
        }
        SchemaTable made = empty(replacement, rows(table, definition));
        List<SchemaTable> beside =
                replacement.beside().stream()
                        .map(each -> draft.make(each, each.expectedRows()))
                        .toList();
        mapping.begin(beside.stream().map(SchemaTable::stored).toList());
        fill(
                scan -> {
                    Row source = scan.next();
                    if (source != null) {
                        Transaction transaction = session.transaction;
                        Key key = made.stored().newKey();
                        mapping.key(source, key);
                        mapping.columns(source, transaction.insert(made.stored(), key));
                        mapping.others(transaction);
                    }
                    return source != null;
                },
                table.stored());
        remove(name);
        put(made);
        beside.forEach(this::put);
        return made.stored();
    }

    private static long rows(SchemaTable replaced, TableDefinition by) {
        return Math.max(by.expectedRows(), replaced.stored().rowsToExpect());
    }

    /// Makes a table without rows, and its indexes.
    ///
    /// @param rows for how many its arrays are made
    private SchemaTable empty(TableReplacement replacement, long rows) {
        SchemaTable made = draft.make(replacement.definition(), rows);
        for (IndexDefinition index : replacement.indexes()) {
            made = draft.makeIndex(made, index);
        }
        return made;
    }

    /// Copies a row from a scan.
    private interface RowCopy {
        /// @return whether there was one
        boolean copyNext(TableScan scan);
    }

    private void fill(RowCopy copy, Table from) {
        TableScan scan = session.transaction.scan(from, from.schema().all());
        long rows = 0;
        while (copy.copyNext(scan)) {
            rows++;
            if (rows % ROWS_PER_PACKING == 0) {
                session.transaction.packIfMany();
                session.checkCancelled();
            }
        }
        scan.close();
        requireUnchanged(from, rows);
    }

    /// Puts a table with the same rows in the place of one, which gets an index.
    private SchemaTable copied(SchemaTable table) {
        TableDefinition definition = table.definition();
        SchemaTable made = empty(TableReplacement.of(table, definition), rows(table, definition));
        fill(
                scan -> {
                    Row source = scan.next();
                    if (source != null) {
                        session.readSet.changes().insertCopy(made.stored(), source);
                    }
                    return source != null;
                },
                table.stored());
        put(made);
        return made;
    }

    /// Requires that no other transaction has changed a table's rows at the commit: a constraint
    /// was checked of them. Does nothing for a table that the transaction has made.
    public void requireUnchanged(String name) {
        Table table = described(name).stored();
        TableScan scan = session.transaction.scan(table, table.schema().nothing());
        long rows = 0;
        while (!draft.isMade(table) && scan.next() != null) {
            rows++;
        }
        scan.close();
        requireUnchanged(table, rows);
    }

    /// @param rows how many rows the transaction sees
    private void requireUnchanged(Table table, long rows) {
        if (!draft.isMade(table)) {
            Map<Table, Long> more = new LinkedHashMap<>(unchanged);
            more.put(table, rows - session.readSet.changes().netInserts(table));
            unchanged = more;
        }
    }

    /// Commits the transaction, and its changes of the schema with it. If that fails, all that it
    /// has made is freed.
    ///
    /// @param most how long to wait for other transactions
    /// @param afterwards further schema changes, which can't fail, after the commit
    /// @return the outcome, as of [Session#commit]
    /// @throws org.namdb.compute.schema.SchemaBusyException if they take longer; the transaction is
    ///     rolled back
    public CommitOutcome commit(Duration most, Runnable afterwards) {
        CommitOutcome[] outcome = new CommitOutcome[1];
        try {
            server.checkHeld();
            server.turn()
                    .alone(
                            most,
                            session.slotNumber(),
                            () -> {
                                outcome[0] = commitAlone();
                                if (outcome[0] instanceof CommitOutcome.Committed) {
                                    afterwards.run();
                                }
                                return outcome;
                            });
        } finally {
            if (!(outcome[0] instanceof CommitOutcome.Committed)) {
                rollback();
            }
        }
        server.journal().await();
        return outcome[0];
    }

    private CommitOutcome commitAlone() {
        Table changed = findChanged();
        if (changed != null) {
            return new CommitOutcome.WriteConflict(changed.name(), "");
        }
        SchemaDraft.Publication publication = draft.publication();
        List<Integer> gone =
                publication.dropped().stream().map(table -> table.records().id()).toList();
        CommitOutcome[] outcome = new CommitOutcome[1];
        try (SchemaJournal.Entry reserved = publication.reserve()) {
            server.journal()
                    .withCommit(
                            reserved,
                            publication.tables(),
                            gone,
                            () -> {
                                outcome[0] = session.commit();
                                return outcome[0] instanceof CommitOutcome.Committed;
                            });
        }
        if (outcome[0] instanceof CommitOutcome.Committed) {
            publication.apply();
        }
        return outcome[0];
    }

    /// A table that was to be as the snapshot shows it, and is not; null if there is none.
    private @Nullable Table findChanged() {
        if (unchanged.isEmpty()) {
            return null;
        }
        try (Session other = server.sessions().openReserved()) {
            other.expireSnapshot();
            Transaction transaction = other.begin();
            if (isAllSeen(transaction.snapshot())) {
                return null;
            }
            for (Map.Entry<Table, Long> each : unchanged.entrySet()) {
                Table table = each.getKey();
                TableScan scan = transaction.scan(table, table.schema().nothing());
                if (scan.countWithin(session.transaction.snapshot()) != each.getValue()) {
                    return table;
                }
            }
            return null;
        }
    }

    /// Whether the transaction's snapshot shows all commits that a later one shows.
    private boolean isAllSeen(Snapshot later) {
        Snapshot own = session.transaction.snapshot();
        for (int slot = 0; slot < later.length(); slot++) {
            long seen = slot < own.length() ? own.timestamp(slot) : 0;
            if (later.timestamp(slot) > seen) {
                return false;
            }
        }
        return true;
    }

    /// Rolls the transaction back if it is open, and frees all that it has made.
    public void rollback() {
        List<Table> made = new ArrayList<>(draft.made());
        try {
            if (session.isOpen() && !session.isFailed()) {
                made.forEach(this::forget);
            }
        } finally {
            if (session.isOpen()) {
                session.rollback();
            }
        }
        // What a compute server has left that was declared dead is freed by the others.
        if (!made.isEmpty() && server.loss() == null) {
            try {
                draft.dispose();
            } catch (FabricException e) {
                // The others do when this compute server has ended.
            }
        }
    }

    /// Drops what the session has cached of a table. While its transaction is open no other thread
    /// does anything in its place.
    private void forget(Table table) {
        session.splits.clear();
        table.allIndexes().forEach(session.indexes::forget);
        session.readSet.forget(table);
        session.maintenance().collector().forget(table.records());
    }
}
