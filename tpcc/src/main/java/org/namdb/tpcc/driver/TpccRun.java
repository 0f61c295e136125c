package org.namdb.tpcc.driver;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.LeaseLostException;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.TransactionException;
import org.namdb.compute.history.HistoryFile;
import org.namdb.compute.history.HistoryRecorder;
import org.namdb.compute.journal.JournalException;
import org.namdb.fabric.FabricException;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.timestamp.SlotsExhaustedException;
import org.namdb.tpcc.InvalidOptionException;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.check.ConditionResult;
import org.namdb.tpcc.check.ConsistencyCheck;
import org.namdb.tpcc.report.DatabaseFacts;
import org.namdb.tpcc.report.LoadFacts;
import org.namdb.tpcc.report.MachineFacts;
import org.namdb.tpcc.report.MemoryFacts;
import org.namdb.tpcc.report.ProgressBar;
import org.namdb.tpcc.report.ResultFiles;
import org.namdb.tpcc.report.RunConsole;
import org.namdb.tpcc.report.TpccResult;
import org.namdb.tpcc.schema.TpccSchema;
import org.namdb.tpcc.statistics.RunEnd;
import org.namdb.tpcc.statistics.TimelinePoint;

/// The whole of `nam tpcc`: makes a database or attaches to one, loads it, runs on it, checks it,
/// and shows what came out.
public final class TpccRun {
    private static final double NANOS_PER_SECOND = 1e9;

    /// How long another process may load nothing before it is taken for dead.
    private static final Duration LOAD_PATIENCE = Duration.ofSeconds(30);

    /// How it ended.
    public enum Status {
        /// The run ended as it should, and every condition holds.
        PASSED,
        /// A condition doesn't hold, the memory was full, or files could not be written.
        FAILED,
        /// Somebody stopped it, and what was checked holds.
        INTERRUPTED
    }

    private final TpccOptions options;
    private final RunConsole console;
    private final @Nullable ResultFiles files;
    private final @Nullable HistoryFile history;
    private final Opener opener;
    private final LoadStage loading;
    private final StopSignal stop = new StopSignal();

    /// Whether there is a database: until then a run may be waiting for memory servers.
    private volatile boolean isOpen;

    /// Opens the database that a run asks for.
    @FunctionalInterface
    public interface Opener {
        /// Opens it; who asks closes it.
        NamDb open(TpccOptions options);
    }

    /// A run that hasn't begun, on a database in this process.
    ///
    /// @param files where the results are written to, or null
    /// @param history where the history is written to, or null; closed when the run has ended
    public TpccRun(
            TpccOptions options,
            RunConsole console,
            @Nullable ResultFiles files,
            @Nullable HistoryFile history) {
        this(
                options,
                console,
                files,
                history,
                asked -> NamDb.embedded(RunDatabase.embedded(asked, console.recovery())));
    }

    /// The same on any database.
    ///
    /// @param opener opens it; attached to others if and only if the options choose a cluster
    public TpccRun(
            TpccOptions options,
            RunConsole console,
            @Nullable ResultFiles files,
            @Nullable HistoryFile history,
            Opener opener) {
        this.opener = opener;
        this.options = options;
        this.console = console;
        this.files = files;
        this.history = history;
        this.loading = new LoadStage(options, console);
    }

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
    LoadStage loading() {
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
                | InvalidOptionException
                | JournalException
                | UnusableDatabaseException e) {
            return fail(e);
        } catch (SlotsExhaustedException e) {
            console.say(
                    "nam tpcc: --threads %d needs a slot for each thread, but the cluster has no more: use fewer threads, or give it more slots"
                            .formatted(options.threads()));
            return Status.FAILED;
        } catch (IOException e) {
            console.say(
                    "nam tpcc: the history is not whole, as %s can't be written: %s"
                            .formatted(options.history(), e.getMessage()));
            return Status.FAILED;
        }
    }

    private Status run(NamDb db) {
        isOpen = true;
        DatabaseFacts database = RunDatabase.facts(db, options);
        ClusterLoad.Loaded loaded;
        try {
            loaded = options.outlastsRun() ? prepare(db, database) : load(db);
        } catch (TransactionException e) {
            return fail(e);
        }
        if (loaded == null) {
            console.say("The load was interrupted; nothing was run.");
            return Status.INTERRUPTED;
        }
        return options.cluster().checksOnly()
                ? checkOnly(db, loaded.schema())
                : run(db, database, loaded.schema(), loaded.facts());
    }

    /// @return null if it was stopped
    private ClusterLoad.@Nullable Loaded load(NamDb db) {
        TpccSchema schema = TpccSchema.create(db, options.scale(), options.versions());
        LoadFacts facts = loading.run(db, schema);
        return facts == null ? null : new ClusterLoad.Loaded(schema, facts);
    }

    /// @return null if it was stopped
    private ClusterLoad.@Nullable Loaded prepare(NamDb db, DatabaseFacts database) {
        if (options.cluster().isChosen()) {
            console.say("attached to " + database.sentence());
        }
        ClusterLoad.Loaded loaded =
                new ClusterLoad(options, console, loading, stop, LOAD_PATIENCE.toNanos())
                        .prepare(db);
        if (loaded != null && !options.cluster().checksOnly()) {
            console.begin(options); // not before: they have learnt what is there
        }
        return loaded;
    }

    private Status run(NamDb db, DatabaseFacts database, TpccSchema schema, LoadFacts load) {
        long bytesBefore = LoadStage.usedBytes(db);
        RunMeasurement measurement = runTerminals(db, schema);
        MemoryFacts memory =
                new MemoryFacts(
                        bytesBefore,
                        LoadStage.usedBytes(db),
                        measurement.newOrders(),
                        measurement.allocatedBytesPerTransaction());
        TpccResult measured =
                new TpccResult(
                        options,
                        MachineFacts.read(now()),
                        database,
                        load,
                        measurement.end(),
                        measurement.statistics(),
                        memory,
                        List.of(),
                        0);
        console.measured(measured);
        Checked checked = check(db, schema);
        return finish(measured.checked(checked.conditions(), checked.seconds()), measurement);
    }

    /// Nothing is run, and others may be running.
    private Status checkOnly(NamDb db, TpccSchema schema) {
        List<ConditionResult> conditions = check(db, schema).conditions();
        console.verdict(conditions);
        boolean hold =
                !conditions.isEmpty() && conditions.stream().allMatch(ConditionResult::holds);
        return hold ? Status.PASSED : Status.FAILED;
    }

    private RunMeasurement runTerminals(NamDb db, TpccSchema schema) {
        if (history == null) {
            return new TerminalRun(db, schema, options, stop, new Shown()).run();
        }
        // Rows of NEW-ORDER are deleted when the order is delivered, so they can't be in a history.
        HistoryRecorder recorder =
                HistoryRecorder.start(
                        db, history, options.historySample(), Set.of(schema.newOrders.table));
        RunMeasurement measurement =
                new TerminalRun(db, schema, options, stop, new Shown()).recordedBy(recorder).run();
        history.flush();
        console.recorded(history.transactions(), options.history());
        return measurement;
    }

    private Status fail(RuntimeException e) {
        console.say("nam tpcc: " + e.getMessage());
        return Status.FAILED;
    }

    /// What a check has found: no conditions if they could not be checked.
    private record Checked(List<ConditionResult> conditions, double seconds) {}

    private Checked check(NamDb db, TpccSchema schema) {
        long startNanos = System.nanoTime();
        ProgressBar bar = console.progress("checking", startNanos);
        try (Session session = db.session()) {
            List<ConditionResult> conditions =
                    new ConsistencyCheck(schema, options.scale())
                            .run(
                                    session,
                                    share -> bar.show(share, "12 conditions", System.nanoTime()));
            bar.clear();
            double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
            console.checked(conditions, seconds);
            return new Checked(conditions, seconds);
        } catch (TransactionException e) {
            bar.clear();
            console.say("nam tpcc: the conditions could not be checked: " + e.getMessage());
            return new Checked(List.of(), 0);
        }
    }

    private Status finish(TpccResult result, RunMeasurement measurement) {
        console.verdict(result);
        if (files != null) {
            try {
                files.write(result, measurement.deliveries(), measurement.startNanos());
                console.say("written to " + options.out());
            } catch (IOException e) {
                console.say("nam tpcc: the results can't be written: " + e);
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

    /// Shows a run while it goes.
    private final class Shown implements RunObserver {
        private static final double LEAST_SECONDS = 0.5;

        private final ProgressBar bar = console.progressBetweenLines("running", System.nanoTime());
        private boolean timelineIsEmpty = true;

        @Override
        public void progress(double share, long nowNanos) {
            bar.show(share, "", nowNanos);
        }

        @Override
        public void second(TimelinePoint point) {
            bar.clear();
            if (point.lengthSeconds() >= LEAST_SECONDS || timelineIsEmpty) {
                console.second(point);
            }
            timelineIsEmpty = false;
        }
    }
}
