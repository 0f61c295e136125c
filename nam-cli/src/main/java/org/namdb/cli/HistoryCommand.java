package org.namdb.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ConfigException;
import org.namdb.cluster.membership.MembershipException;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.EmbeddedOptions.Oracle;
import org.namdb.compute.NamDb;
import org.namdb.compute.RetryPolicy;
import org.namdb.compute.history.HistoryFile;
import org.namdb.compute.schema.SchemaBusyException;
import org.namdb.fabric.FabricException;
import org.namdb.simulated.SimTrace;
import org.namdb.simulation.Fault;
import org.namdb.simulation.HistoryFileLog;
import org.namdb.simulation.RegisterRun;
import org.namdb.simulation.RegisterWorkload;
import org.namdb.simulation.SimulationOptions;
import org.namdb.simulation.SimulationRun;
import org.namdb.simulation.SimulationVerdict;
import org.namdb.timestamp.SlotsExhaustedException;
import org.namdb.workload.report.ProgressBar;
import org.namdb.workload.report.TextStyle;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `nam history`: runs the register workload and writes down every transaction that it tried.
///
/// Exit status: 0 if the history was written, 1 if the run failed, 2 for options that can't be.
@Command(
        name = "history",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        description = {
            "Runs transactions that read and write numbered registers, and records every attempt, with its snapshot,"
                    + " its commit timestamp and what it read, for `nam check` or any other checker.",
        },
        optionListHeading = "%nOptions:%n",
        footer = {
            "",
            "Try it:",
            "",
            "  nam history --out h.jsonl && nam check h.jsonl",
            "",
            "What several processes record at once on a cluster is one history:",
            "",
            "  nam history --cluster cluster.yaml --out a.jsonl &",
            "  nam history --cluster cluster.yaml --out b.jsonl; wait",
            "  nam check a.jsonl b.jsonl"
        })
final class HistoryCommand implements Callable<Integer> {
    private static final int WRITTEN = 0;
    private static final int FAILED = 1;
    private static final int MAX_SESSIONS = 512;
    private static final double WRITE_SHARE = 0.5;
    private static final int SIMULATED_SERVERS = 2;
    private static final long MEMORY_BYTES = 1L << 30;

    /// Where the database is.
    enum FabricKind {
        SHM,
        SIM
    }

    @Spec private CommandSpec spec;

    @Option(
            names = "--fabric",
            order = 1,
            paramLabel = "NAME",
            description =
                    "shm: this process's memory and a thread for each session; sim: two memory and two compute servers"
                            + " in virtual time, with faults (default: shm).")
    private @Nullable FabricKind fabric;

    @Option(
            names = "--sessions",
            order = 2,
            paramLabel = "N",
            description = "Sessions (default: 8).")
    private int sessions = 8;

    @Option(
            names = "--keys",
            order = 3,
            paramLabel = "N",
            description = "Registers (default: 200).")
    private int keys = 200;

    @Option(
            names = "--ops",
            order = 4,
            paramLabel = "N",
            description = "Reads and writes of a transaction (default: 6).")
    private int operations = 6;

    @Option(
            names = "--transactions",
            order = 5,
            paramLabel = "N",
            description = "Transactions to try (default: 10000).")
    private int transactions = 10_000;

    @Option(
            names = "--seed",
            order = 6,
            paramLabel = "N",
            description = "Seed of the transactions; with sim, of everything (default: 1).")
    private long seed = 1;

    @Option(
            names = "--versions",
            order = 7,
            paramLabel = "N",
            description = "Places of a record's old-version buffer (default: 2).")
    private int versions = 2;

    @Option(
            names = "--oracle",
            order = 8,
            paramLabel = "NAME",
            description =
                    "Where snapshots come from: chain, shared-chain, which shares refreshes between"
                            + " sessions, or direct, the paper's plain read of the vector, which"
                            + " can fork (default: chain).")
    private @Nullable Oracle oracle;

    @Option(
            names = "--cluster",
            order = 9,
            paramLabel = "FILE",
            description =
                    "Run on the cluster that this file describes. All processes that do so at once"
                            + " use the same registers, and what they record is one history.")
    private @Nullable Path cluster;

    @Option(
            names = "--out",
            order = 10,
            required = true,
            paramLabel = "FILE",
            description = "File to write the history to.")
    private Path out = Path.of("history.jsonl");

    @Override
    public Integer call() throws InterruptedException {
        require("--sessions", sessions, MAX_SESSIONS);
        require("--keys", keys, 1_000_000);
        require("--ops", operations, 1_000);
        require("--transactions", transactions, 100_000_000);
        require("--versions", versions, 64);
        requireOneDatabase();
        PrintWriter errors = spec.commandLine().getErr();
        try (HistoryFile file = HistoryFile.create(out)) {
            HistoryFileLog log = new HistoryFileLog(file);
            String failure = run(log);
            if (failure != null) {
                errors.printf("nam history: %s%n", failure);
                return FAILED;
            }
            spec.commandLine()
                    .getOut()
                    .printf(
                            Locale.ROOT,
                            "%,d transactions in %s; check them with: nam check %s%n",
                            log.transactions(),
                            out,
                            out);
            return WRITTEN;
        } catch (IOException e) {
            throw new ParameterException(
                    spec.commandLine(), "--out: can't write " + out + ": " + e.getMessage(), e);
        }
    }

    /// What a cluster has is not to be chosen here.
    private void requireOneDatabase() {
        if (cluster != null && (fabric != null || oracle != null)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "%s is for a database of this process alone: with --cluster it is the cluster's own"
                            .formatted(fabric != null ? "--fabric" : "--oracle"));
        }
    }

    /// @return the failure; null if there was none
    private @Nullable String run(HistoryFileLog log) throws InterruptedException {
        if (fabric == FabricKind.SIM) {
            return simulate(log);
        }
        ProgressBar bar =
                new ProgressBar(
                        spec.commandLine().getErr(),
                        TextStyle.ofStandardError(),
                        "running",
                        System.nanoTime());
        LongConsumer progress = done -> show(bar, done);
        RegisterRun run = new RegisterRun(workload(), sessions, transactions, seed, versions);
        try {
            if (cluster == null) {
                run.runEmbedded(database(), log, progress);
            } else {
                runAttached(cluster, run, log, progress);
            }
        } catch (IllegalStateException
                | FabricException
                | SchemaBusyException
                | ConfigException
                | MembershipException e) {
            return e.getMessage();
        } catch (SlotsExhaustedException e) {
            return "--sessions %d needs a slot for each session, but the cluster has no more: use fewer, or give it more slots"
                    .formatted(sessions);
        } finally {
            bar.clear();
        }
        return null;
    }

    private void show(ProgressBar bar, long done) {
        synchronized (bar) {
            bar.show(
                    (double) done / transactions,
                    "%,d transactions".formatted(done),
                    System.nanoTime());
        }
    }

    private void runAttached(Path file, RegisterRun run, HistoryFileLog log, LongConsumer progress)
            throws InterruptedException {
        try (NamDb db =
                NamDb.connect(
                        ClusterConfig.read(file),
                        EmbeddedOptions.DEFAULT.withRetryPolicy(RetryPolicy.NONE))) {
            log.ofProcess(db.process());
            run.runAttached(db, log, this::joined, progress);
        }
    }

    private void joined(long others) {
        spec.commandLine()
                .getErr()
                .println(
                        others == 0
                                ? "the first process on these registers"
                                : "together with %d other process%s on the same registers: check all files together"
                                        .formatted(others, others == 1 ? "" : "es"));
    }

    private EmbeddedOptions database() {
        return EmbeddedOptions.DEFAULT.withMemoryBytes(MEMORY_BYTES).withOracle(oracle());
    }

    private Oracle oracle() {
        return oracle == null ? Oracle.CHAIN : oracle;
    }

    private @Nullable String simulate(HistoryFileLog log) {
        int perServer = Math.ceilDiv(sessions, SIMULATED_SERVERS);
        SimulationOptions options =
                SimulationOptions.ofSeed(seed, Fault.all())
                        .withServers(SIMULATED_SERVERS, SIMULATED_SERVERS)
                        .withRegisters(
                                perServer,
                                Math.ceilDiv(transactions, perServer * SIMULATED_SERVERS),
                                workload())
                        .withOracle(oracle());
        spec.commandLine().getErr().print(options.describe());
        spec.commandLine().getErr().flush();
        SimulationVerdict verdict = SimulationRun.of(options, SimTrace.off(), log);
        return verdict.failure();
    }

    private RegisterWorkload workload() {
        return new RegisterWorkload(keys, operations, WRITE_SHARE);
    }

    private void require(String option, int value, int most) {
        if (value < 1 || value > most) {
            throw new ParameterException(
                    spec.commandLine(),
                    "%s must be 1 to %,d, not %,d".formatted(option, most, value));
        }
    }
}
