package org.namdb.compute;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import org.namdb.compute.journal.DefinedTable;
import org.namdb.compute.journal.RecoveryProgress;
import org.namdb.compute.journal.TableWrites;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.Host;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// Makes tables and indexes in an empty database, as a recovery has found them.
final class TableRestore {
    private static final long POLL_NANOS = 2_000_000;

    private final NamDb db;
    private final RecoveryProgress progress;
    private final Host host;
    private final ReentrantLock progressLock = new ReentrantLock();
    private final Map<TableWrites, Table> tables = new HashMap<>();
    private final Map<Table, Long> rows = new HashMap<>();
    private final Map<Table, List<IndexDefinition>> indexes = new LinkedHashMap<>();

    TableRestore(NamDb db, RecoveryProgress progress) {
        this.db = db;
        this.progress = progress;
        this.host = db.options().host();
    }

    /// Makes the tables, without rows.
    void create(List<TableWrites> found) {
        for (TableWrites each : largestFirst(found)) {
            DefinedTable defined = each.defined();
            if (defined == null) {
                continue;
            }
            TableDefinition definition = defined.definition();
            Table made =
                    db.server()
                            .catalog()
                            .create(definition, Math.max(definition.expectedRows(), each.rows()));
            tables.put(each, made);
            rows.put(made, each.rows());
            indexes.put(made, defined.indexes());
        }
    }

    /// The tables that were made.
    Map<TableWrites, Table> tables() {
        return tables;
    }

    /// So that no thread fills the index of a large one alone in the end.
    private static List<TableWrites> largestFirst(List<TableWrites> found) {
        return found.stream()
                .sorted(Comparator.comparingLong(TableWrites::rows).reversed())
                .toList();
    }

    /// Runs work in threads, by their numbers from 0 on, and waits for all of them.
    ///
    /// @param whileWaiting called repeatedly
    void inThreads(int threads, IntConsumer work, Runnable whileWaiting) {
        AtomicInteger left = new AtomicInteger(threads);
        FirstFailure failures = new FirstFailure();
        ReentrantLock failuresLock = new ReentrantLock();
        for (int thread = 0; thread < threads; thread++) {
            int number = thread;
            Thread _ =
                    host.start(
                            "namdb-recovery",
                            () -> {
                                try {
                                    work.accept(number);
                                } catch (Throwable e) {
                                    failuresLock.lock();
                                    try {
                                        failures.add(e);
                                    } finally {
                                        failuresLock.unlock();
                                    }
                                } finally {
                                    int _ = left.decrementAndGet();
                                }
                            });
        }
        while (left.get() > 0) {
            host.sleep(POLL_NANOS);
            whileWaiting.run();
        }
        failures.rethrow();
    }

    /// Notifies of progress.
    void report(RecoveryProgress.Step step, long done, long all) {
        progressLock.lock();
        try {
            progress.at(step, done, all);
        } finally {
            progressLock.unlock();
        }
    }

    /// Makes the indexes of all tables: several at a time, each from its table, sorted.
    void makeIndexes(int threads) {
        Queue<Index> empty = new ConcurrentLinkedQueue<>();
        try (IndexBuild build = new IndexBuild(db.session())) {
            indexes.forEach((table, ofTable) -> {
                for (IndexDefinition index : ofTable) {
                    IndexDefinition divided = build.divided(index, () -> table);
                    empty.add(db.server().changes().createUnfilled(divided));
                }
            });
        }
        if (empty.isEmpty()) {
            return;
        }
        long all = 0;
        for (Map.Entry<Table, List<IndexDefinition>> each : indexes.entrySet()) {
            all += 2L * each.getValue().size() * rows.getOrDefault(each.getKey(), 0L);
        }
        long steps = all;
        AtomicLong done = new AtomicLong();
        inThreads(
                Math.min(threads, empty.size()),
                _ -> {
                    try (IndexBuild build = new IndexBuild(db.session())) {
                        for (Index next = empty.poll(); next != null; next = empty.poll()) {
                            Table of = db.table(next.definition().table());
                            build.fillInParts(of, next, done::addAndGet);
                            db.server().changes().filled(next);
                        }
                    }
                },
                () -> report(RecoveryProgress.Step.INDEX, Math.min(done.get(), steps), steps));
        report(RecoveryProgress.Step.INDEX, steps, steps);
    }
}
