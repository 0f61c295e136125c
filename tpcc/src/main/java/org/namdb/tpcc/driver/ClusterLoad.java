package org.namdb.tpcc.driver;

import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ByteSize;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.TransactionException;
import org.namdb.fabric.Host;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.load.LoadMark;
import org.namdb.tpcc.load.LoadMark.State;
import org.namdb.tpcc.load.LoadProgress;
import org.namdb.tpcc.report.LoadFacts;
import org.namdb.tpcc.report.ProgressBar;
import org.namdb.tpcc.report.RunConsole;
import org.namdb.tpcc.schema.TpccSchema;

/// Sees to it that a database that other processes use has the tables of TPC-C: what is missing is
/// loaded, by one of the processes that find it missing, while the others wait.
final class ClusterLoad {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long BEAT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double MICROS_PER_SECOND = 1e6;

    private final TpccOptions options;
    private final RunConsole console;
    private final LoadStage stage;
    private final StopSignal stop;
    private final long patienceNanos;

    /// Tables and indexes that are ready, and how they were loaded.
    record Loaded(TpccSchema schema, LoadFacts facts) {}

    /// @param stage loads, if it has to be done here
    /// @param stop ends the wait for another one's load
    /// @param patienceNanos how long another one's load may stand still
    ClusterLoad(
            TpccOptions options,
            RunConsole console,
            LoadStage stage,
            StopSignal stop,
            long patienceNanos) {
        this.options = options;
        this.console = console;
        this.stage = stage;
        this.stop = stop;
        this.patienceNanos = patienceNanos;
    }

    /// Finds the tables, waits for them, or loads them. The options learn what is there.
    ///
    /// @return null if it was stopped
    /// @throws UnusableDatabaseException if what is there is not what was asked for, or not whole
    /// @throws TransactionException if memory is full
    @Nullable Loaded prepare(NamDb db) {
        try (Session session = db.session()) {
            while (!stop.isGiven()) {
                LoadMark mark = LoadMark.find(db, session);
                if (mark == null) {
                    LoadMark own = claim(db, session);
                    if (own != null) {
                        return load(db, session, own);
                    }
                } else if (mark.state() == State.LOADING && mayLoad() && isShared()) {
                    await(db, session, mark);
                } else {
                    return use(db, mark);
                }
            }
            return null;
        }
    }

    /// Whether others may be loading. A data directory has one user at a time.
    private boolean isShared() {
        return options.cluster().isChosen();
    }

    private String place() {
        return isShared() ? "the cluster" : String.valueOf(options.data());
    }

    private boolean mayLoad() {
        return !options.cluster().loadsNothing();
    }

    /// @return null if another process was faster
    private @Nullable LoadMark claim(NamDb db, Session session) {
        if (!mayLoad()) {
            throw new UnusableDatabaseException(
                    "there is no TPC-C in %s: leave out %s to have it loaded"
                            .formatted(
                                    place(),
                                    options.cluster().checksOnly() ? "--check" : "--no-load"));
        }
        SortedSet<String> others = LoadMark.tablesThere(db);
        if (!others.isEmpty()) {
            if (LoadMark.find(db, session) != null) {
                return null; // they have come since, with the mark before them
            }
            throw new UnusableDatabaseException(
                    "%s has %s %s, which nam tpcc has not loaded: drop or rename what is there"
                            .formatted(
                                    place(),
                                    others.size() == 1 ? "a table" : "tables",
                                    String.join(", ", others)));
        }
        requireMemory(db);
        LoadMark own =
                new LoadMark(
                        State.LOADING,
                        options.scale(),
                        options.seed(),
                        options.versions(),
                        db.process(),
                        0,
                        0,
                        0);
        return own.claim(db, session) ? own : null;
    }

    private void requireMemory(NamDb db) {
        Scale scale = options.scale();
        long freeBytes = db.usage().stream().mapToLong(server -> server.freeBytes()).sum();
        if (scale.estimatedBytes() > freeBytes) {
            throw new UnusableDatabaseException(
                    "--warehouses %d needs about %s of memory, but %s has %s left: load fewer warehouses, or give it%s more memory"
                            .formatted(
                                    scale.warehouses(),
                                    ByteSize.describe(scale.estimatedBytes()),
                                    place(),
                                    ByteSize.describe(freeBytes),
                                    isShared() ? "s memory servers" : ""));
        }
    }

    private @Nullable Loaded load(NamDb db, Session session, LoadMark own) {
        long otherBytes = LoadStage.usedBytes(db);
        try {
            TpccSchema schema = TpccSchema.create(db, options.scale(), options.versions());
            LoadFacts facts = stage.run(db, schema, otherBytes, new Beat(db, session, own));
            if (facts == null) {
                own.ended(State.ABANDONED, stage.rows(), 0, 0).write(db, session);
                return null;
            }
            long micros = Math.round(facts.seconds() * MICROS_PER_SECOND);
            own.ended(State.COMPLETE, facts.rows(), micros, facts.regionBytes()).write(db, session);
            return new Loaded(schema, facts);
        } catch (RuntimeException | Error e) {
            abandon(db, session, own, e);
            throw e;
        }
    }

    /// Tells the others, if that can still be done, so that they don't wait in vain.
    private void abandon(NamDb db, Session session, LoadMark own, Throwable failure) {
        try {
            own.ended(State.ABANDONED, stage.rows(), 0, 0).write(db, session);
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /// Waits until the mark says something else than that a load is under way.
    private void await(NamDb db, Session session, LoadMark first) {
        Host host = db.options().host();
        long rows = first.rows();
        long movedNanos = host.nanoTime();
        ProgressBar bar =
                console.progress("compute server " + first.loader() + " loads", movedNanos);
        long allRows = LoadProgress.expectedRows(first.scale());
        LoadMark mark = first;
        while (mark != null && mark.state() == State.LOADING && !stop.isGiven()) {
            long now = host.nanoTime();
            if (mark.rows() != rows) {
                rows = mark.rows();
                movedNanos = now;
            }
            if (now - movedNanos > patienceNanos) {
                bar.clear();
                throw incomplete(mark);
            }
            bar.show((double) rows / allRows, "%,d rows".formatted(rows), now);
            host.sleep(LOOK_NANOS);
            mark = LoadMark.find(db, session);
        }
        bar.clear();
    }

    private Loaded use(NamDb db, LoadMark mark) {
        if (mark.state() != State.COMPLETE) {
            throw incomplete(mark);
        }
        if (options.wantsOther(mark.scale(), mark.versions())) {
            throw new UnusableDatabaseException(
                    "%s holds TPC-C with --warehouses %d --population %d --versions %d: leave these options out to use it, or drop it by %s"
                            .formatted(
                                    place(),
                                    mark.scale().warehouses(),
                                    mark.scale().populationPercent(),
                                    mark.versions(),
                                    dropCommand()));
        }
        options.learnLoad(mark.scale(), mark.versions(), mark.seed());
        LoadFacts facts =
                new LoadFacts(
                        mark.scale().warehouses(),
                        mark.rows(),
                        mark.micros() / MICROS_PER_SECOND,
                        mark.regionBytes());
        console.found(facts, isShared() ? "compute server " + mark.loader() : "an earlier run");
        return new Loaded(TpccSchema.open(db, mark.scale()), facts);
    }

    private UnusableDatabaseException incomplete(LoadMark mark) {
        if (!isShared()) {
            return new UnusableDatabaseException(
                    "the TPC-C in %s is incomplete, with %,d rows: the run that was loading it was ended; drop it by %s, and run this again"
                            .formatted(place(), mark.rows(), dropCommand()));
        }
        boolean isGivenUp = mark.state() == State.ABANDONED;
        String state =
                isGivenUp
                        ? "gave up loading it"
                        : mayLoad()
                                ? "has not gone on with it for %d s"
                                        .formatted(TimeUnit.NANOSECONDS.toSeconds(patienceNanos))
                                : "is loading it, or has died";
        return new UnusableDatabaseException(
                "the cluster's TPC-C is incomplete, with %,d rows: compute server %d %s; %sdrop it by %s, and run this again"
                        .formatted(
                                mark.rows(),
                                mark.loader(),
                                state,
                                isGivenUp ? "" : "wait, or ",
                                dropCommand()));
    }

    private String dropCommand() {
        return "nam sql %s -c \"DROP TABLE IF EXISTS %s, %s\""
                .formatted(
                        isShared()
                                ? "--cluster " + options.cluster().file()
                                : "--data " + options.data(),
                        String.join(", ", TpccSchema.TABLES.stream().sorted().toList()),
                        LoadMark.TABLE);
    }

    /// Says once a second in the mark how far the load is.
    private static final class Beat implements LongConsumer {
        private final NamDb db;
        private final Session session;
        private final LoadMark own;
        private long lastNanos;

        Beat(NamDb db, Session session, LoadMark own) {
            this.db = db;
            this.session = session;
            this.own = own;
            this.lastNanos = db.options().host().nanoTime();
        }

        @Override
        public void accept(long rows) {
            long now = db.options().host().nanoTime();
            if (now - lastNanos < BEAT_NANOS) {
                return;
            }
            lastNanos = now;
            try {
                own.withRows(rows).write(db, session);
            } catch (TransactionException e) {
                // Memory is full, say: the load itself will be told, and ends.
            }
        }
    }
}
