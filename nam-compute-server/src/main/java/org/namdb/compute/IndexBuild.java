package org.namdb.compute;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.SessionIndexes;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.IndexFill;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.PlantedFault;
import org.namdb.mvcc.hash.TablePart;
import org.namdb.mvcc.index.ChangeBatch;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.RangeBounds;

/// Fills a new index from its table by a session of its own. Writers add their entries already; an
/// entry that is added twice is there once.
///
/// **The snapshot is taken under the schema latch.** What it does not show was written by
/// transactions that maintained the index. Taken later, it could be older than that, where
/// staleness is allowed:
/// ```
///   B  uses a snapshot S                A  inserts a row, which is not in S
///   B  makes the index
///   B  fills it by S: without A's row, and A had no index to add it to
/// ```
final class IndexBuild implements IndexFill {
    /// What an array takes besides its words, with the reference to it.
    private static final int ENTRY_BYTES = 24;

    private static final int HEAP_SHARE = 8;
    private static final int MIN_ENTRIES = 1 << 12;
    private static final int MAX_ENTRIES = 1 << 27;
    private static final long PART_BYTES = 1L << 20;

    /// How much of a table is read where an index of it is divided by ranges: some ten thousand
    /// rows, so that a range has its share but for half a percent of all rows.
    private static final int SAMPLED_PARTS = 64;

    private static final long SAMPLED_PART_BYTES = 256L << 10;

    private static final int CHECKED_AFTER = 1 << 10;

    private final Session session;
    private @Nullable Transaction transaction;
    private @Nullable Table table;
    private @Nullable Index index;
    private LongConsumer progress = _ -> {};

    /// Counts rows that were read, entries that were compared, and entries that were inserted.
    private long steps;

    IndexBuild(Session session) {
        this.session = session;
    }

    @Override
    public IndexDefinition divided(IndexDefinition definition, Supplier<Table> table) {
        if (!definition.isByRange()) {
            return definition;
        }
        List<long[]> bounds = new ArrayList<>();
        inTransaction(reading -> {
            Table of = table.get();
            if (Index.lacksBounds(definition, of)) {
                List<long[]> sample = sample(reading, of, Index.unplaced(definition, of));
                bounds.addAll(RangeBounds.divide(sample, definition, of.records().ranges()));
            }
        });
        return bounds.isEmpty() ? definition : definition.bounds(bounds);
    }

    /// The entries of some of a table's rows, in order. Which part of the table a row is in depends
    /// on the hash of its key alone.
    private List<long[]> sample(Transaction reading, Table of, Index index) {
        List<long[]> entries = new ArrayList<>();
        byte[] scratch = new byte[index.scratchBytes()];
        List<TablePart> parts =
                TablePart.divide(of.records(), session.queuePair, SAMPLED_PART_BYTES);
        int sampled = Math.min(parts.size(), SAMPLED_PARTS);
        for (int i = 0; i < sampled; i++) {
            TablePart part = parts.get((int) ((long) i * parts.size() / sampled));
            TableScan scan = reading.scan(of, of.schema().all(), part);
            for (Row row = scan.next(); row != null; row = scan.next()) {
                long[] entry = SessionIndexes.entryOf(index, row, scratch);
                if (entry != null) { // else the fill refuses the row
                    entries.add(entry);
                }
            }
            scan.close();
        }
        entries.sort(Arrays::compareUnsigned);
        return entries;
    }

    @Override
    public void begin(Table of, Index made) {
        if (!PlantedFault.INDEX_SNAPSHOT_STALE.isPlanted()) {
            session.expireSnapshot();
        }
        table = of;
        index = made;
        transaction = session.begin();
    }

    /// @throws TransactionException if it takes longer than a transaction may
    @Override
    public void run(LongConsumer newProgress) {
        progress = newProgress;
        Table of = Objects.requireNonNull(table);
        Index made = Objects.requireNonNull(index);
        runAndCommit(reading -> fill(reading, of, made));
    }

    @Override
    public void inTransaction(Runnable work) {
        inTransaction((Transaction _) -> work.run());
    }

    private void runAndCommit(Consumer<Transaction> work) {
        try {
            work.accept(Objects.requireNonNull(transaction));
            CommitOutcome outcome = session.commit();
            if (!(outcome instanceof CommitOutcome.Committed)) {
                throw new TransactionException(outcome);
            }
        } catch (TransactionAborted e) {
            throw new TransactionException(Objects.requireNonNull(session.abortOutcome()));
        } finally {
            if (session.isOpen()) {
                session.rollback();
            }
        }
    }

    /// Fills an index where no other session uses the table, a part of the table by a transaction:
    /// it may take longer to read than a transaction may last.
    ///
    /// @param newProgress gets how many more rows were read, and how many more entries made
    void fillInParts(Table of, Index made, LongConsumer newProgress) {
        progress = newProgress;
        List<long[]> entries = new ArrayList<>();
        int most = made.isOrdered() ? entriesAtATime(made.layout().words()) : MIN_ENTRIES;
        List<TablePart> parts = new ArrayList<>();
        // Between transactions background maintenance may borrow the session.
        inTransaction(
                _ -> parts.addAll(TablePart.divide(of.records(), session.queuePair, PART_BYTES)));
        for (TablePart part : parts) {
            int before = entries.size();
            inTransaction(reading -> {
                session.indexes.open(made, of);
                TableScan scan = reading.scan(of, of.schema().all(), part);
                for (Row row = scan.next(); row != null; row = scan.next()) {
                    entries.add(session.indexes.formerEntry(made, of, row));
                }
            });
            newProgress.accept(entries.size() - before);
            if (entries.size() >= most) {
                insertInTransactions(of, made, entries);
            }
        }
        insertInTransactions(of, made, entries);
    }

    private void insertInTransactions(Table of, Index made, List<long[]> entries) {
        entries.sort(Arrays::compareUnsigned);
        for (int from = 0; from < entries.size(); from += MIN_ENTRIES) {
            List<long[]> some = entries.subList(from, Math.min(entries.size(), from + MIN_ENTRIES));
            inTransaction(reading -> insert(reading, of, made, some));
            progress.accept(some.size());
        }
        entries.clear();
    }

    private void inTransaction(Consumer<Transaction> work) {
        transaction = session.begin();
        runAndCommit(work);
    }

    private void fill(Transaction reading, Table of, Index made) {
        session.indexes.open(made, of);
        List<long[]> entries = new ArrayList<>();
        int most = made.isOrdered() ? entriesAtATime(made.layout().words()) : MIN_ENTRIES;
        TableScan scan = reading.scan(of, of.schema().all());
        for (Row row = scan.next(); row != null; row = scan.next()) {
            step(CHECKED_AFTER);
            entries.add(session.indexes.formerEntry(made, of, row));
            if (entries.size() == most) {
                insertInOrder(reading, of, made, entries);
            }
        }
        insertInOrder(reading, of, made, entries);
    }

    /// A node that is split at the end of an ascending run stays full, so that entries in order
    /// make full leaves. In a hashed index, those of a value share a chain, which is read once for
    /// many of them.
    private void insertInOrder(Transaction reading, Table of, Index made, List<long[]> entries) {
        entries.sort((a, b) -> {
            step(0);
            return Arrays.compareUnsigned(a, b);
        });
        insert(reading, of, made, entries);
        entries.clear();
    }

    private void insert(Transaction reading, Table of, Index made, List<long[]> entries) {
        for (int from = 0; from < entries.size(); from += ChangeBatch.MAX_GROUPED) {
            int to = Math.min(entries.size(), from + ChangeBatch.MAX_GROUPED);
            List<long[]> some = entries.subList(from, to);
            some.forEach(_ -> step(0));
            session.indexes.insertFormer(made, of, some, reading.snapshot());
        }
    }

    /// Reports progress, now and then.
    ///
    /// @param rows how many rows so many steps have read
    private void step(int rows) {
        if (++steps % CHECKED_AFTER == 0) {
            progress.accept(rows);
        }
    }

    /// How many entries may be kept to be sorted.
    private static int entriesAtATime(int words) {
        long bytes = ENTRY_BYTES + (long) words * Long.BYTES;
        return Math.clamp(
                Runtime.getRuntime().maxMemory() / HEAP_SHARE / bytes, MIN_ENTRIES, MAX_ENTRIES);
    }

    @Override
    public void close() {
        session.close();
    }
}
