package org.namdb.workload.driver;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.scalestore.PageTimeoutException;
import org.namdb.cache.selcc.LineTimeoutException;
import org.namdb.compute.LeaseLostException;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.TransactionException;
import org.namdb.compute.history.HistoryFile;
import org.namdb.compute.history.HistoryRecorder;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.timestamp.SlotsExhaustedException;
import org.namdb.workload.Benchmark;
import org.namdb.workload.InvalidOptionException;
import org.namdb.workload.RunOptions;
import org.namdb.workload.load.LoadStage;
import org.namdb.workload.load.Population;
import org.namdb.workload.load.SharedLoad;
import org.namdb.workload.load.UnusableDatabaseException;
import org.namdb.workload.report.CheckedCondition;
import org.namdb.workload.report.DatabaseFacts;
import org.namdb.workload.report.LoadFacts;
import org.namdb.workload.report.MachineFacts;
import org.namdb.workload.report.MemoryFacts;
import org.namdb.workload.report.OwnCounts;
import org.namdb.workload.report.ProgressBar;
import org.namdb.workload.report.ResultFiles;
import org.namdb.workload.report.RunConsole;
import org.namdb.workload.report.RunResult;
import org.namdb.workload.statistics.RunEnd;
import org.namdb.workload.statistics.TimelinePoint;

/// The whole of a benchmark's command: makes a database or attaches to one, loads it, runs on it,
/// checks it, and shows the results.
///
/// @param <S> the benchmark's open tables
public abstract class BenchmarkRun<S> {
    private static final double NANOS_PER_SECOND = 1e9;

    /// How long another process may load nothing before it is declared dead.
    private static final Duration LOAD_TIMEOUT = Duration.ofSeconds(30);

    /// How it ended.
    public enum Status {
        /// The run ended as it should, and every condition holds.
        PASSED,
        /// A condition doesn't hold, the memory was full, or files could not be written.
        FAILED,
        /// It was stopped, and what was checked holds.
        INTERRUPTED
    }

    private final Benchmark benchmark;
    private final RunOptions options;
    private final Population<S> population;
    private final RunConsole console;
    private final @Nullable ResultFiles files;
    private final @Nullable HistoryFile history;
    private final Opener opener;
    private final LoadStage<S> loading;
    private final StopSignal stop = new StopSignal();

    /// Whether there is a database: until then a run may be waiting for memory servers.
    private volatile boolean isOpen;

    /// Opens the database of a run.
    @FunctionalInterface
    public interface Opener {
        /// Opens it; the caller closes it.
        NamDb open(RunOptions options);
    }

    /// A run that hasn't begun.
    ///
    /// @param population the tables
    /// @param files where the results are written to, or null
    /// @param history where the history is written to, or null; closed when the run has ended
    /// @param opener opens the database; attached to others if and only if the options choose a
    ///     cluster. Null for a database in this process
    protected BenchmarkRun(
            Benchmark benchmark,
            RunOptions options,
            Population<S> population,
            RunConsole console,
            @Nullable ResultFiles files,
            @Nullable HistoryFile history,
            @Nullable Opener opener) {
        this.benchmark = benchmark;
        this.options = options;
        this.population = population;
        this.console = console;
        this.files = files;
        this.history = history;
        this.opener =
                opener != null
                        ? opener
                        : requested ->
                                NamDb.embedded(RunDatabase.embedded(requested, console.recovery()));
        this.loading = new LoadStage<>(benchmark, options, population, console);
    }

    /// What each thread runs.
    protected abstract Work.Factory work(NamDb db, S tables);

    /// The tables whose rows are deleted, which can't be in a history.
    protected Set<Table> unrecorded(S tables) {
        return Set.of();
    }

    /// What only this benchmark has counted, when its threads have ended.
    protected abstract OwnCounts counts();

    /// Checks the consistency conditions, when the threads have ended.
    ///
    /// @param progress gets how much is done, 0 to 1
    /// @throws TransactionException if they can't be checked
    protected abstract List<CheckedCondition> check(
            Session session, S tables, DoubleConsumer progress);

    /// Writes the result files that only this benchmark has.
    protected void writeOwn(ResultFiles directory, RunMeasurement measurement) throws IOException {}

    /// Ends the run early, and in good order: what it measured is shown and checked. For
    /// any thread.
    public void stop() {
        stop.give(RunEnd.INTERRUPTED);
        loading.stop();
    }

    private boolean stopIfOpen() {
        stop();
        return isOpen;
    }

    /// The part that loads.
    public LoadStage<S> loading() {
        return loading;
    }

    /// Does everything. A first Ctrl-C is the same as [#stop], once the database is open; before,
    /// it ends the process.
    public Status run() {
        if (!options.outlastsRun()) {
            console.begin(options);
        }
        try (Interruption _ = Interruption.during(this::stopIfOpen)) {
            return runWithHistory();
        }
    }

    /// Whatever happens, the history is closed, and before the process may end.
    private Status runWithHistory() {
        try (HistoryFile _ = history;
                NamDb db = opener.open(options)) {
            return run(db);
        } catch (MemoryFullException
                | FabricException
                | LeaseLostException
                | LineTimeoutException
                | PageTimeoutException
                | InvalidOptionException
                | JournalException
                | UnusableDatabaseException e) {
            return fail(e);
        } catch (SlotsExhaustedException e) {
            console.say(
                    "%s: --threads %d needs a slot for each thread, but the cluster has no more: use fewer threads, or give it more slots"
                            .formatted(options.command(), options.threads()));
            return Status.FAILED;
        } catch (IOException e) {
            console.say(
                    "%s: the history is not whole, as %s can't be written: %s"
                            .formatted(options.command(), options.history(), e.getMessage()));
            return Status.FAILED;
        }
    }

    private Status run(NamDb db) {
        isOpen = true;
        DatabaseFacts database = RunDatabase.facts(db, options);
        SharedLoad.@Nullable Loaded<S> loaded;
        try {
            loaded = options.outlastsRun() ? prepare(db, database) : load(db);
        } catch (TransactionException e) {
            return fail(e);
        }
        if (loaded == null) {
            console.say("The load was interrupted; nothing was run.");
            return Status.INTERRUPTED;
        }
        return options.checksOnly()
                ? checkOnly(db, loaded.tables())
                : run(db, database, loaded.tables(), loaded.facts());
    }

    /// @return null if it was stopped
    private SharedLoad.@Nullable Loaded<S> load(NamDb db) {
        S tables = population.create(db);
        LoadFacts facts = loading.run(db, tables);
        return facts == null ? null : new SharedLoad.Loaded<>(tables, facts);
    }

    /// @return null if it was stopped
    private SharedLoad.@Nullable Loaded<S> prepare(NamDb db, DatabaseFacts database) {
        if (options.cluster().isChosen()) {
            console.say("attached to " + database.sentence());
        }
        SharedLoad.Loaded<S> loaded =
                new SharedLoad<>(
                                benchmark,
                                options,
                                population,
                                console,
                                loading,
                                stop::isGiven,
                                LOAD_TIMEOUT.toNanos())
                        .prepare(db);
        if (loaded != null && !options.checksOnly()) {
            console.begin(options); // not before: they have read what is there
        }
        return loaded;
    }

    private Status run(NamDb db, DatabaseFacts database, S tables, LoadFacts load) {
        long bytesBefore = LoadStage.usedBytes(db);
        RunMeasurement measurement = measure(db, tables);
        MemoryFacts memory =
                new MemoryFacts(
                        bytesBefore,
                        LoadStage.usedBytes(db),
                        grown(measurement),
                        measurement.allocatedBytesPerTransaction());
        RunResult measured =
                new RunResult(
                        benchmark,
                        options,
                        MachineFacts.read(now()),
                        database,
                        load,
                        measurement.end(),
                        measurement.statistics(),
                        memory,
                        counts(),
                        List.of(),
                        0);
        console.measured(measured);
        Checked checked = check(db, tables);
        return finish(measured.checked(checked.conditions(), checked.seconds()), measurement);
    }

    /// The transactions that the growth of memory is counted by.
    private long grown(RunMeasurement measurement) {
        Benchmark.Measure measure = benchmark.measure();
        return measure == null
                ? measurement.completed().stream().mapToLong(Long::longValue).sum()
                : measurement.completed(measure.kind());
    }

    /// Nothing is run, and others may be running.
    private Status checkOnly(NamDb db, S tables) {
        List<CheckedCondition> conditions = check(db, tables).conditions();
        console.verdict(benchmark, conditions);
        boolean hold =
                !conditions.isEmpty() && conditions.stream().allMatch(CheckedCondition::holds);
        return hold ? Status.PASSED : Status.FAILED;
    }

    private RunMeasurement measure(NamDb db, S tables) {
        MeasuredRun run =
                new MeasuredRun(db, benchmark, options, work(db, tables), stop, new Shown());
        if (history == null) {
            return run.run();
        }
        HistoryRecorder recorder =
                HistoryRecorder.start(db, history, options.historySample(), unrecorded(tables));
        RunMeasurement measurement = run.recordedBy(recorder).run();
        history.flush();
        console.recorded(history.transactions(), options.history());
        return measurement;
    }

    private Status fail(RuntimeException e) {
        console.say(options.command() + ": " + e.getMessage());
        return Status.FAILED;
    }

    /// What a check has found: no conditions if they could not be checked.
    private record Checked(List<CheckedCondition> conditions, double seconds) {}

    private Checked check(NamDb db, S tables) {
        long startNanos = System.nanoTime();
        ProgressBar bar = console.progress("checking", startNanos);
        try (Session session = db.session()) {
            List<CheckedCondition> conditions =
                    check(
                            session,
                            tables,
                            share -> bar.show(share, benchmark.allConditions(), System.nanoTime()));
            bar.clear();
            double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
            console.checked(conditions, seconds);
            return new Checked(conditions, seconds);
        } catch (TransactionException e) {
            bar.clear();
            console.say(
                    "%s: the conditions could not be checked: %s"
                            .formatted(options.command(), e.getMessage()));
            return new Checked(List.of(), 0);
        }
    }

    private Status finish(RunResult result, RunMeasurement measurement) {
        console.verdict(result);
        if (files != null) {
            try {
                writeOwn(files, measurement);
                files.write(result);
                console.say("written to " + options.out());
            } catch (IOException e) {
                console.say(options.command() + ": the results can't be written: " + e);
                return Status.FAILED;
            }
        }
        if (!result.passed()) {
            return Status.FAILED;
        }
        return result.end() == RunEnd.INTERRUPTED ? Status.INTERRUPTED : Status.PASSED;
    }

    private static String now() {
        return DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss")
                .format(Instant.now().truncatedTo(ChronoUnit.SECONDS).atOffset(ZoneOffset.UTC));
    }

    /// Shows a running benchmark.
    private final class Shown implements RunObserver {
        private static final double MIN_SECONDS = 0.5;

        private final ProgressBar bar = console.progressBetweenLines("running", System.nanoTime());
        private boolean timelineIsEmpty = true;

        @Override
        public void progress(double share, long nowNanos) {
            bar.show(share, "", nowNanos);
        }

        @Override
        public void second(TimelinePoint point) {
            bar.clear();
            if (point.lengthSeconds() >= MIN_SECONDS || timelineIsEmpty) {
                console.second(point, benchmark);
            }
            timelineIsEmpty = false;
        }
    }
}
