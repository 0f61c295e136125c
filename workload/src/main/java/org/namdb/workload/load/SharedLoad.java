package org.namdb.workload.load;

import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ByteSize;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.TransactionException;
import org.namdb.fabric.Host;
import org.namdb.workload.Benchmark;
import org.namdb.workload.RunOptions;
import org.namdb.workload.load.LoadMark.State;
import org.namdb.workload.report.LoadFacts;
import org.namdb.workload.report.ProgressBar;
import org.namdb.workload.report.RunConsole;

/// Gives a database that other processes use the tables of a benchmark: what is missing is loaded,
/// by one of the processes that find it missing, while the others wait.
///
/// @param <S> the open tables
public final class SharedLoad<S> {
    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long BEAT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double MICROS_PER_SECOND = 1e6;

    private final Benchmark benchmark;
    private final RunOptions options;
    private final Population<S> population;
    private final MarkTable marks;
    private final RunConsole console;
    private final LoadStage<S> stage;
    private final BooleanSupplier stopped;
    private final long timeoutNanos;

    /// Tables and indexes that are ready, and how they were loaded.
    ///
    /// @param <S> the open tables
    public record Loaded<S>(S tables, LoadFacts facts) {}

    /// @param stage loads, if it has to be done here
    /// @param stopped ends the wait for another one's load
    /// @param timeoutNanos how long another one's load may hang
    public SharedLoad(
            Benchmark benchmark,
            RunOptions options,
            Population<S> population,
            RunConsole console,
            LoadStage<S> stage,
            BooleanSupplier stopped,
            long timeoutNanos) {
        this.benchmark = benchmark;
        this.options = options;
        this.population = population;
        this.marks = population.markTable();
        this.console = console;
        this.stage = stage;
        this.stopped = stopped;
        this.timeoutNanos = timeoutNanos;
    }

    /// Finds the tables, waits for them, or loads them. The options are set to what is there.
    ///
    /// @return null if it was stopped
    /// @throws UnusableDatabaseException if what is there does not match the options, or is not
    ///     whole
    /// @throws TransactionException if memory is full
    public @Nullable Loaded<S> prepare(NamDb db) {
        try (Session session = db.session()) {
            while (!stopped.getAsBoolean()) {
                LoadMark mark = marks.find(db, session);
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
        return !options.loadsNothing();
    }

    /// @return null if another process was faster
    private @Nullable LoadMark claim(NamDb db, Session session) {
        if (!mayLoad()) {
            throw new UnusableDatabaseException(
                    "there is no %s in %s: leave out %s to have it loaded"
                            .formatted(
                                    benchmark.name(),
                                    place(),
                                    options.checksOnly() ? "--check" : "--no-load"));
        }
        SortedSet<String> others = new TreeSet<>(db.tableNames());
        others.retainAll(population.tables());
        if (!others.isEmpty()) {
            if (marks.find(db, session) != null) {
                return null; // they have come since, with the mark before them
            }
            throw new UnusableDatabaseException(
                    "%s has %s %s, which %s has not loaded: drop or rename what is there"
                            .formatted(
                                    place(),
                                    others.size() == 1 ? "a table" : "tables",
                                    String.join(", ", others),
                                    options.command()));
        }
        requireMemory(db);
        LoadMark own =
                new LoadMark(
                        State.LOADING,
                        population.size(),
                        options.seed(),
                        options.versions(),
                        db.process(),
                        0,
                        0,
                        0);
        return marks.claim(db, session, own) ? own : null;
    }

    private void requireMemory(NamDb db) {
        long freeBytes = db.usage().stream().mapToLong(server -> server.freeBytes()).sum();
        if (options.estimatedBytes() > freeBytes) {
            throw new UnusableDatabaseException(
                    "%s %d needs about %s of memory, but %s has %s left: load fewer %ss, or give it%s more memory"
                            .formatted(
                                    options.sizeOption(),
                                    options.size(),
                                    ByteSize.describe(options.estimatedBytes()),
                                    place(),
                                    ByteSize.describe(freeBytes),
                                    benchmark.unit(),
                                    isShared() ? "s memory servers" : ""));
        }
    }

    private @Nullable Loaded<S> load(NamDb db, Session session, LoadMark own) {
        long otherBytes = LoadStage.usedBytes(db);
        try {
            S tables = population.create(db);
            LoadFacts facts = stage.run(db, tables, otherBytes, new Beat(db, session, own));
            if (facts == null) {
                marks.write(db, session, own.ended(State.ABANDONED, stage.rows(), 0, 0));
                return null;
            }
            long micros = Math.round(facts.seconds() * MICROS_PER_SECOND);
            marks.write(
                    db,
                    session,
                    own.ended(State.COMPLETE, facts.rows(), micros, facts.regionBytes()));
            return new Loaded<>(tables, facts);
        } catch (RuntimeException | Error e) {
            abandon(db, session, own, e);
            throw e;
        }
    }

    /// Marks the load as failed, if that can still be done, so that the others don't wait for it.
    private void abandon(NamDb db, Session session, LoadMark own, Throwable failure) {
        try {
            marks.write(db, session, own.ended(State.ABANDONED, stage.rows(), 0, 0));
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /// Waits until the mark no longer shows a running load.
    private void await(NamDb db, Session session, LoadMark first) {
        Host host = db.options().host();
        long rows = first.rows();
        long movedNanos = host.nanoTime();
        ProgressBar bar =
                console.progress("compute server " + first.loader() + " loads", movedNanos);
        long allRows = population.expectedRows(first);
        LoadMark mark = first;
        while (mark != null && mark.state() == State.LOADING && !stopped.getAsBoolean()) {
            long now = host.nanoTime();
            if (mark.rows() != rows) {
                rows = mark.rows();
                movedNanos = now;
            }
            if (now - movedNanos > timeoutNanos) {
                bar.clear();
                throw incomplete(mark);
            }
            bar.show((double) rows / allRows, "%,d rows".formatted(rows), now);
            host.sleep(SAMPLE_NANOS);
            mark = marks.find(db, session);
        }
        bar.clear();
    }

    private Loaded<S> use(NamDb db, LoadMark mark) {
        if (mark.state() != State.COMPLETE) {
            throw incomplete(mark);
        }
        if (population.wantsOther(mark)) {
            throw new UnusableDatabaseException(
                    "%s holds %s with %s: leave these options out to use it, or drop it by %s"
                            .formatted(
                                    place(),
                                    benchmark.name(),
                                    population.options(mark),
                                    dropCommand()));
        }
        population.learn(mark);
        LoadFacts facts =
                new LoadFacts(
                        benchmark.unit(),
                        options.size(),
                        mark.rows(),
                        mark.micros() / MICROS_PER_SECOND,
                        mark.regionBytes());
        console.found(facts, isShared() ? "compute server " + mark.loader() : "an earlier run");
        return new Loaded<>(population.open(db), facts);
    }

    private UnusableDatabaseException incomplete(LoadMark mark) {
        if (!isShared()) {
            return new UnusableDatabaseException(
                    "the %s in %s is incomplete, with %,d rows: the run that was loading it was ended; drop it by %s, and run this again"
                            .formatted(benchmark.name(), place(), mark.rows(), dropCommand()));
        }
        boolean isGivenUp = mark.state() == State.ABANDONED;
        String state =
                isGivenUp
                        ? "gave up loading it"
                        : mayLoad()
                                ? "has made no progress for %d s"
                                        .formatted(TimeUnit.NANOSECONDS.toSeconds(timeoutNanos))
                                : "is loading it, or has died";
        return new UnusableDatabaseException(
                "the cluster's %s is incomplete, with %,d rows: compute server %d %s; %sdrop it by %s, and run this again"
                        .formatted(
                                benchmark.name(),
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
                        String.join(", ", population.tables().stream().sorted().toList()),
                        marks.name());
    }

    /// Records once a second in the mark how far the load is.
    private final class Beat implements LongConsumer {
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
                marks.write(db, session, own.withRows(rows));
            } catch (TransactionException e) {
                // Memory is full, for example: the load itself meets that, and ends.
            }
        }
    }
}
