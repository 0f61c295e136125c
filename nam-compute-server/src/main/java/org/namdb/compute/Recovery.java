package org.namdb.compute;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ObjIntConsumer;
import org.namdb.compute.journal.CheckpointLoad;
import org.namdb.compute.journal.DataDirectory;
import org.namdb.compute.journal.DiskJournal;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.journal.RecoveryProgress;
import org.namdb.compute.journal.RecoveryReport;
import org.namdb.compute.journal.TableWrites;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.Host;
import org.namdb.fabric.disk.DiskException;
import org.namdb.timestamp.snapshot.DurableCommits;

/// Recovers a database from its data directory, into memory that is empty: the rows of the
/// checkpoint, then what commits have done since, record by record in their order, then the
/// indexes. Addresses, timestamps and versions are new: no process is left that has the old ones.
///
/// There are as many threads as processors. They share the checkpoint by its blocks; of the
/// journal, which each of them reads, they bring back their own records.
final class Recovery {
    private final NamDb db;
    private final JournalOptions options;
    private final DataDirectory directory;
    private final Host host;
    private final TableRestore restore;

    private Recovery(NamDb db, JournalOptions options, DataDirectory directory) {
        this.db = db;
        this.options = options;
        this.directory = directory;
        this.host = db.options().host();
        this.restore = new TableRestore(db, options.progress());
    }

    /// Opens a database of a data directory.
    ///
    /// @throws org.namdb.compute.journal.JournalException if it can't be had, or is damaged
    /// @throws org.namdb.mvcc.MemoryFullException if the memory is too small for it
    static NamDb open(EmbeddedOptions options, JournalOptions kept) {
        DataDirectory directory =
                DataDirectory.open(
                        kept,
                        options.host().instant().toEpochMilli() << 20 ^ options.host().nanoTime());
        FirstFailure failures = new FirstFailure();
        NamDb db = null;
        boolean isOpen = false;
        try {
            Host host = options.host();
            long start = host.nanoTime();
            List<TableWrites> tables = directory.examine(kept.progress());
            db = DatabaseResources.embedded(options);
            new Recovery(db, kept, directory).run(tables, start);
            isOpen = true;
            return db;
        } catch (DiskException e) {
            failures.add(
                    new JournalException(
                            JournalException.Kind.FAILED,
                            "%s can't be used: %s".formatted(kept.place(), e.getMessage()),
                            e));
        } catch (Throwable e) {
            failures.add(e);
        } finally {
            if (!isOpen) {
                if (db != null) {
                    failures.attempt(db::close);
                }
                failures.attempt(directory::close);
            }
        }
        failures.rethrow();
        throw new AssertionError("nothing has failed");
    }

    private void run(List<TableWrites> found, long start) {
        restore.create(found);
        Map<TableWrites, Table> tables = restore.tables();
        int parts = Math.min(Runtime.getRuntime().availableProcessors(), db.options().slots());
        load(parts, tables);
        replay(parts, tables);
        restore.makeIndexes(parts);
        DiskJournal journal = directory.begin(host, options);
        boolean isBegun = false;
        try {
            DurableCommits durable = db.server().journal().durable();
            if (durable != null) {
                begin(durable);
            }
            journal.start(durable);
            db.server().journal().begin(journal, directory, List.copyOf(tables.values()));
            isBegun = true;
        } finally {
            if (!isBegun) {
                new FirstFailure().attempt(journal::close);
            }
        }
        db.current.keep(new Checkpointer(db, directory, journal, options));
        if (!directory.isNew()) {
            options.progress()
                    .ended(
                            new RecoveryReport(
                                    tables.size(),
                                    found.stream().mapToLong(TableWrites::rows).sum(),
                                    directory.checkpointBytes(),
                                    directory.journalBytes(),
                                    directory.commits(),
                                    directory.tornBytes(),
                                    directory.wasCleanShutdown(),
                                    Duration.ofNanos(host.nanoTime() - start)));
        }
    }

    /// What was replayed is durable.
    private void begin(DurableCommits durable) {
        try (Session session = db.session()) {
            session.expireSnapshot();
            durable.begin(session.begin().snapshot());
        }
    }

    private void load(int parts, Map<TableWrites, Table> tables) {
        AtomicLong done = new AtomicLong();
        try (CheckpointLoad load = directory.load(host, done::set)) {
            if (load != null) {
                inParts(
                        parts,
                        tables,
                        RecoveryProgress.Step.LOAD,
                        done,
                        directory.checkpointBytes(),
                        (writer, _) -> load.run(writer));
            }
        }
    }

    private void replay(int parts, Map<TableWrites, Table> tables) {
        AtomicLong done = new AtomicLong();
        inParts(
                parts,
                tables,
                RecoveryProgress.Step.REPLAY,
                done,
                parts * directory.commitBytes(),
                (writer, part) -> directory.replay(writer, part, parts, done::addAndGet));
    }

    private void inParts(
            int parts,
            Map<TableWrites, Table> tables,
            RecoveryProgress.Step step,
            AtomicLong done,
            long bytes,
            ObjIntConsumer<ReplayWriter> work) {
        if (bytes == 0 || tables.isEmpty()) {
            return;
        }
        long latchNanos = db.options().latchWait().toNanos();
        restore.inThreads(
                parts,
                part -> {
                    try (ReplayWriter writer = new ReplayWriter(db.session(), tables, latchNanos)) {
                        work.accept(writer, part);
                        writer.commit();
                    }
                },
                () -> restore.report(step, Math.min(done.get(), bytes), bytes));
        restore.report(step, bytes, bytes);
    }
}
