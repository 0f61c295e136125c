package org.namdb.compute;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.journal.CheckpointWriter;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Host;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.TablePart;

/// Reads all tables for a checkpoint while transactions run, each part by a snapshot of its own.
///
/// Each part has a snapshot of its own, so none is held for longer than a part takes, however large
/// the table is: a part that takes too long is abandoned, and its halves are written. What others
/// delete meanwhile stays until the part is written, and is in the way of their scans; so a part
/// takes some tens of milliseconds at full speed, and the thread rests without a snapshot. A
/// restart repeats what commits from `from` on have done to a record, if the S of its part does not
/// show them: what has become of the record there does not depend on any other one. So it comes to
/// one state of all tables, that at the journal's end, which has all that any S has shown.
///
/// **Schema changes** are in the journal from `from` on, and a restart repeats them all: one that
/// is in the checkpoint already changes nothing, and a table that is made while others are written
/// need not be in it. A schema change waits until no transaction runs, so the part that is being
/// written is abandoned for it, and written again from its beginning. The next schema change waits
/// for the part: constant schema changes don't keep the journal from being bounded.
///
/// Belongs to one thread at a time.
final class CheckpointScan {
    /// Of a thread's time, one part in so many is taken, while no schema change waits for it.
    private static final int SHARE = 4;

    private static final int ROWS_AT_ONCE = 512;

    /// A larger table is divided at once.
    private static final long PART_BYTES = 16L << 20;

    /// Of the maximum transaction time, how much a part may take.
    private static final int TIME_SHARE = 4;

    private static final long WAIT_NANOS = 10_000_000;

    /// What has become of an attempt to write a part of a table.
    private enum Step {
        WRITTEN,
        INTERRUPTED,
        DIVIDED,
        NONE_LEFT
    }

    private final ComputeServer server;
    private final Host host;
    private final Session reader;
    private BooleanSupplier closing = () -> false;

    private Runnable check = () -> {};

    /// @param reader a session that no other one uses meanwhile
    CheckpointScan(ComputeServer server, Session reader) {
        this.server = server;
        this.host = server.options().host();
        this.reader = reader;
    }

    /// Writes all tables.
    ///
    /// @param isClosing whether it is to be given up
    /// @param whileWriting called repeatedly; what it throws ends it
    /// @return false if it was given up
    boolean writeAll(CheckpointWriter writer, BooleanSupplier isClosing, Runnable whileWriting) {
        closing = isClosing;
        check = whileWriting;
        Step step = Step.WRITTEN;
        Tables tables = new Tables();
        while (step != Step.NONE_LEFT) {
            long begun = host.nanoTime();
            step = writeNext(tables, writer, step == Step.INTERRUPTED);
            if (isClosing.getAsBoolean()) {
                return false;
            }
            rest(host.nanoTime() - begun);
        }
        return true;
    }

    /// Leaves the processor to others, until a schema change waits for the next part.
    private void rest(long workedNanos) {
        long until = host.nanoTime() + (SHARE - 1) * workedNanos;
        for (long left = until - host.nanoTime();
                left > 0 && !closing.getAsBoolean() && !server.schemaLatch().isClosing();
                left = until - host.nanoTime()) {
            check.run();
            host.sleep(Math.min(left, WAIT_NANOS));
        }
    }

    /// Begins to read when the schema is not being changed, by a snapshot that shows all commits
    /// before.
    Transaction begin() {
        reader.expireSnapshot();
        return reader.begin();
    }

    /// The tables that are not written yet.
    private final class Tables {
        /// By the tables' numbers, which parts of them.
        private final Map<Integer, Deque<TablePart>> parts = new HashMap<>();

        private final Deque<Table> left = new ArrayDeque<>();
        private long version = -1;

        /// The next one, of which a [part][#part] is left. While the schema is not being changed.
        @Nullable Table next() {
            if (version != server.catalog().schemaVersion()) {
                version = server.catalog().schemaVersion();
                left.clear();
                for (String name : server.catalog().tableNames()) {
                    Table table = server.catalog().table(name);
                    if (!partsOf(table).isEmpty()) {
                        left.add(table);
                    }
                }
            }
            return left.peek();
        }

        private Deque<TablePart> partsOf(Table table) {
            HashTable records = table.records();
            return parts.computeIfAbsent(
                    records.id(),
                    _ -> new ArrayDeque<>(TablePart.divide(records, reader.queuePair, PART_BYTES)));
        }

        TablePart part(Table table) {
            return partsOf(table).element();
        }

        void wasWritten(Table table) {
            partsOf(table).remove();
            if (partsOf(table).isEmpty()) {
                left.remove();
            }
        }

        /// The next part takes too long.
        void divide(Table table) {
            Deque<TablePart> ofTable = partsOf(table);
            ofTable.remove().divide(2).reversed().forEach(ofTable::addFirst);
        }
    }

    private Step writeNext(Tables tables, CheckpointWriter writer, boolean isAgain) {
        Transaction reading = begin();
        try {
            Table table = tables.next();
            if (table == null) {
                return Step.NONE_LEFT;
            }
            Step step = write(table, tables.part(table), reading, writer, isAgain);
            if (step == Step.WRITTEN) {
                tables.wasWritten(table);
            } else if (step == Step.DIVIDED) {
                tables.divide(table);
            }
            return step;
        } finally {
            reader.rollback();
        }
    }

    /// @param isAgain whether a schema change has interrupted it before: the next one waits
    private Step write(
            Table table,
            TablePart part,
            Transaction reading,
            CheckpointWriter writer,
            boolean isAgain) {
        writer.table(table, part, reading.snapshot().toArray());
        TableScan scan = reading.scan(table, table.schema().all(), part);
        long start = host.nanoTime();
        long longestNanos = server.options().maxTransactionTime().toNanos() / TIME_SHARE;
        int rows = 0;
        for (Row row = scan.next(); row != null; row = scan.next()) {
            writer.row(row);
            if (++rows == ROWS_AT_ONCE) {
                rows = 0;
                check.run();
                if (closing.getAsBoolean() || !isAgain && server.schemaLatch().isClosing()) {
                    return Step.INTERRUPTED;
                }
                if (host.nanoTime() - start > longestNanos) {
                    return Step.DIVIDED;
                }
            }
        }
        return Step.WRITTEN;
    }
}
