package org.namdb.cli;

import java.io.PrintWriter;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.namdb.checker.Verdict;
import org.namdb.checker.report.VerdictReport;
import org.namdb.compute.EmbeddedOptions.Oracle;
import org.namdb.fabric.tcp.LinkSimulation;
import org.namdb.simulated.SimTrace;
import org.namdb.simulation.Fault;
import org.namdb.simulation.LeaseTally;
import org.namdb.simulation.SimulationOptions;
import org.namdb.simulation.SimulationRun;
import org.namdb.simulation.SimulationVerdict;
import org.namdb.workload.driver.Interruption;
import org.namdb.workload.report.ProgressBar;
import org.namdb.workload.report.TextStyle;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `nam simulate`: runs whole clusters in virtual time, through faults, each from one seed.
///
/// Exit status: 0 if nothing was wrong, 1 if something was, 2 for wrong usage, 130 if it was
/// interrupted: it shows what it has found until then.
@Command(
        name = "simulate",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        description = {
            "Runs whole clusters, memory and compute servers, in virtual time on one thread each,"
                    + " through faults, and checks every transaction.",
            "The seed decides everything: the cluster, its workload, its faults, and every step."
                    + " The same seed gives the same trace."
        },
        optionListHeading = "%nOptions:%n",
        footer = {
            "",
            "Faults: latency, tear64, tear8, pause, crash, zombie, partition, lease, drift, memory-crash,"
                    + " disconnect, outage, throw; all or none.",
            "The seed decides which of them are used, and how often they strike.",
            "With outage, both ends of TCP's connections are run, too, over a wire that breaks for less or more than the timeout.",
            "With lease or drift, compute servers of one seed in four hold leases and recover each other.",
            "",
            "Ctrl-C ends many seeds early, with what was found.",
            "",
            "Exit status: 0 if nothing was wrong, 1 if something was, 2 for wrong usage, 130 if it was interrupted."
        })
final class SimulateCommand implements Callable<Integer> {
    private static final int NOTHING_WRONG = 0;
    private static final int WRONG = 1;
    private static final String THREADS = "simulation-";
    private static final String ALL = "all";
    private static final String NONE = "none";

    @Spec private CommandSpec spec;

    @ArgGroup(multiplicity = "0..1")
    private @Nullable Seeds seeds;

    @Option(
            names = "--faults",
            order = 3,
            paramLabel = "FAULT,..",
            description = "What may go wrong (default: all).")
    private String faults = ALL;

    @Option(
            names = "--servers",
            order = 4,
            paramLabel = "M,C",
            description =
                    "Memory and compute servers (default: chosen by the seed; 1 to 3 of each, or 2 to 4"
                            + " compute servers with leases).")
    private @Nullable String servers;

    @Option(
            names = "--oracle",
            order = 5,
            paramLabel = "NAME",
            description =
                    "Where snapshots come from: chain, shared-chain, which shares refreshes between"
                            + " sessions, or direct, the paper's plain read of the vector, which"
                            + " can fork (default: chain).")
    private Oracle oracle = Oracle.CHAIN;

    @Option(
            names = "--trace",
            order = 6,
            description = "Print every step, in words. Only with one seed.")
    private boolean trace;

    /// Which runs.
    static final class Seeds {
        @Option(
                names = "--seed",
                order = 1,
                paramLabel = "N",
                description = "Run this seed (default: 1).")
        private @Nullable Long one;

        @Option(
                names = "--seeds",
                order = 2,
                paramLabel = "A..B",
                description = "Run all seeds from A to B.")
        private @Nullable String range;
    }

    @Override
    public Integer call() throws InterruptedException {
        Set<Fault> allowed = allowed();
        String range = seeds == null ? null : seeds.range;
        if (range == null) {
            Long one = seeds == null ? null : seeds.one;
            return runOne(options(one == null ? 1 : one, allowed));
        }
        if (trace) {
            throw wrong("--trace is for one seed: use --seed N");
        }
        String[] ends = range.split("\\.\\.", -1);
        if (ends.length != 2) {
            throw wrong("--seeds must be two numbers as in 1..1000, not '" + range + "'");
        }
        long first = number(ends[0], "--seeds");
        long last = number(ends[1], "--seeds");
        if (last < first) {
            throw wrong("--seeds must rise, as in 1..1000; '" + range + "' falls");
        }
        return runAll(first, last, allowed);
    }

    private int runOne(SimulationOptions options) {
        PrintWriter output = spec.commandLine().getOut();
        output.print(options.describe());
        output.println();
        output.flush();
        SimTrace to = trace ? SimTrace.to(output::println) : SimTrace.off();
        SimulationVerdict verdict = SimulationRun.of(options, to);
        if (trace) {
            output.println();
        }
        report(verdict, output);
        output.flush();
        return verdict.holds() ? NOTHING_WRONG : WRONG;
    }

    private static void report(SimulationVerdict verdict, PrintWriter output) {
        String failure = verdict.failure();
        if (failure != null) {
            output.printf("WRONG: %s%n%n", failure);
        }
        Verdict history = verdict.history();
        if (history != null) {
            output.print(VerdictReport.of(history));
        }
        output.printf(
                Locale.ROOT,
                "%n  trace           %,d events, fingerprint %016x%n  in its own time %.3f ms, %,d verbs, %,d"
                        + " calls threw unplanned failures%n",
                verdict.events(),
                verdict.fingerprint(),
                verdict.virtualNanos() / 1e6,
                verdict.verbs(),
                verdict.unplanned());
        LinkSimulation.Result links = verdict.links();
        if (links != null) {
            output.printf(
                    Locale.ROOT,
                    "  over TCP        %,d batches done, %,d lost, %,d connections opened again, %,d links"
                            + " replaced%n",
                    links.batches(),
                    links.lost(),
                    links.reopened(),
                    links.replaced());
        }
        if (verdict.options().leases().isOn()) {
            LeaseTally leases = verdict.leases();
            output.printf(
                    Locale.ROOT,
                    "  leases          %,d ended, %,d compute servers were fenced; held resources were released within"
                            + " %.1f ms at the most%n",
                    leases.ended(),
                    leases.fenced(),
                    leases.longestNanos() / 1e6);
        }
    }

    private int runAll(long first, long last, Set<Fault> allowed) throws InterruptedException {
        PrintWriter output = spec.commandLine().getOut();
        PrintWriter progress = spec.commandLine().getErr();
        Tally tally = new Tally(first, last, output, progress);
        AtomicBoolean isStopped = new AtomicBoolean();
        try (Interruption _ =
                Interruption.during(() -> {
                    isStopped.set(true);
                    return true;
                })) {
            checkAll(first, last, allowed, isStopped, tally);
            return tally.finish();
        }
    }

    private void checkAll(
            long first, long last, Set<Fault> allowed, AtomicBoolean isStopped, Tally tally)
            throws InterruptedException {
        int threads = Runtime.getRuntime().availableProcessors();
        ThreadFactory named = Thread.ofPlatform().name(THREADS, 0).factory();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads, named)) {
            ExecutorCompletionService<SimulationVerdict> done =
                    new ExecutorCompletionService<>(pool);
            long submitted = first;
            for (long judged = first; judged <= last && !isStopped.get(); judged++) {
                while (submitted <= last && submitted < judged + 2L * threads) {
                    SimulationOptions options = options(submitted++, allowed);
                    done.submit(() -> SimulationRun.of(options, SimTrace.off()));
                }
                tally.add(done.take().get());
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("a simulation could not be run", e.getCause());
        }
    }

    private SimulationOptions options(long seed, Set<Fault> allowed) {
        SimulationOptions options = SimulationOptions.ofSeed(seed, allowed).withOracle(oracle);
        String wanted = servers;
        if (wanted == null) {
            return options;
        }
        String[] counts = wanted.split(",", -1);
        if (counts.length != 2) {
            throw wrong("--servers must be two numbers as in 2,3, not '" + wanted + "'");
        }
        return options.withServers(count(counts[0]), count(counts[1]));
    }

    private int count(String text) {
        long count = number(text, "--servers");
        if (count < 1 || count > 16) {
            throw wrong("--servers must be 1 to 16 of each, not " + count);
        }
        return (int) count;
    }

    private long number(String text, String option) {
        try {
            return Long.parseLong(text.strip());
        } catch (NumberFormatException e) {
            throw wrong(option + ": '" + text + "' is no number");
        }
    }

    private Set<Fault> allowed() {
        if (faults.equals(ALL)) {
            return Fault.all();
        }
        EnumSet<Fault> allowed = EnumSet.noneOf(Fault.class);
        if (faults.equals(NONE)) {
            return allowed;
        }
        for (String label : faults.split(",", -1)) {
            allowed.add(
                    Fault.all().stream()
                            .filter(fault -> fault.label().equals(label.strip()))
                            .findFirst()
                            .orElseThrow(() ->
                                    wrong(
                                            "there is no fault '"
                                                    + label
                                                    + "'; there are all, none and "
                                                    + Fault.all())));
        }
        return allowed;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /// The count of many lives.
    private static final class Tally {
        private final long first;
        private final long last;
        private final PrintWriter output;
        private final ProgressBar bar;
        private final long startNanos = System.nanoTime();
        private long judged;
        private long wrong;
        private long transactions;
        private long unplanned;
        private long leasesEnded;

        Tally(long first, long last, PrintWriter output, PrintWriter progress) {
            this.first = first;
            this.last = last;
            this.output = output;
            this.bar =
                    new ProgressBar(
                            progress, TextStyle.ofStandardError(), "simulating", startNanos);
        }

        void add(SimulationVerdict verdict) {
            judged++;
            Verdict history = verdict.history();
            transactions += history == null ? 0 : history.history().transactions().size();
            unplanned += verdict.unplanned();
            leasesEnded += verdict.leases().ended();
            if (!verdict.holds()) {
                wrong++;
                bar.clear();
                output.println(verdict.options().describe());
                report(verdict, output);
                output.println();
                output.flush();
            }
            bar.show(
                    (double) judged / (last - first + 1),
                    "%,d seeds, %d wrong".formatted(judged, wrong),
                    System.nanoTime());
        }

        int finish() {
            double seconds = (System.nanoTime() - startNanos) / 1e9;
            bar.clear();
            output.printf(
                    Locale.ROOT,
                    "%s%,d seeds (%d..%d) with %,d transactions, %,d unplanned failures and %,d leases"
                            + " that ended, in %.1f s: %s%n",
                    judged == last - first + 1 ? "" : "interrupted: ",
                    judged,
                    first,
                    first + judged - 1,
                    transactions,
                    unplanned,
                    leasesEnded,
                    seconds,
                    wrong == 0 ? "nothing wrong" : wrong + " WRONG");
            output.flush();
            return wrong == 0 ? NOTHING_WRONG : WRONG;
        }
    }
}
