package org.namdb.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `nam cluster`: a whole cluster on this machine.
@Command(
        name = "cluster",
        mixinStandardHelpOptions = true,
        description = "Runs a whole cluster on this machine: up, status, start, down.",
        synopsisSubcommandLabel = "up|status|start|down",
        subcommands = {
            ClusterCommand.Up.class,
            ClusterCommand.Status.class,
            ClusterCommand.Start.class,
            ClusterCommand.Down.class
        })
final class ClusterCommand implements Runnable {
    private static final String MEMORY = "memory-";

    /// The memory server that recovers the database.
    private static final String RECOVERING = "memory-0";

    private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(5);

    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Missing subcommand: up, status, start or down");
    }

    /// Waits until processes are ready, and while memory server 0 recovers the database as long as
    /// that takes: compute servers wait for it.
    ///
    /// @param isKept whether memory servers keep the database
    /// @return why they are not; null if they are
    static @Nullable String awaitReady(
            LocalCluster cluster,
            List<LocalCluster.Started> all,
            boolean isKept,
            int waitSeconds,
            PrintWriter progress) {
        List<LocalCluster.Started> awaited = new ArrayList<>(all);
        Optional<LocalCluster.Started> recovering =
                cluster.started().stream()
                        .filter(each -> isKept && each.name().equals(RECOVERING))
                        .findFirst();
        recovering.filter(each -> !all.contains(each)).ifPresent(awaited::add);
        long start = System.nanoTime();
        long since = start;
        long reported = start;
        for (LocalCluster.Started each : all) {
            while (!cluster.isReady(each)) {
                Optional<LocalCluster.Started> ended =
                        awaited.stream().filter(one -> one.alive().isEmpty()).findFirst();
                if (ended.isPresent()) {
                    return failure(cluster, ended.get(), "has ended");
                }
                long now = System.nanoTime();
                if (recovering.isPresent() && !cluster.isReady(recovering.get())) {
                    since = now;
                    if (now - reported > PROGRESS_NANOS) {
                        reported = now;
                        progress.printf(
                                "memory server 0 recovers the database, for %d s so far: %s%n",
                                TimeUnit.NANOSECONDS.toSeconds(now - start),
                                last(cluster, RECOVERING));
                        progress.flush();
                    }
                } else if (now - since > TimeUnit.SECONDS.toNanos(waitSeconds)) {
                    return failure(cluster, each, "is not ready in time");
                }
                LocalCluster.pause();
            }
        }
        return null;
    }

    private static String failure(LocalCluster cluster, LocalCluster.Started process, String what) {
        return "%s %s: %s".formatted(process.name(), what, last(cluster, process.name()));
    }

    private static String last(LocalCluster cluster, String name) {
        List<String> lines = cluster.said(name);
        return lines.isEmpty() ? "it has said nothing" : lines.getLast();
    }

    /// Which cluster, and what its commands report of it.
    static final class Place {
        private static final String STANDARD = "${sys:user.home}/.namdb/local";

        @Spec(Spec.Target.MIXEE)
        private CommandSpec spec;

        @Option(
                names = "--directory",
                paramLabel = "DIR",
                defaultValue = STANDARD,
                description = "Where its configuration and logs are (default: ${DEFAULT-VALUE}).")
        private Path directory;

        private LocalCluster cluster() {
            return new LocalCluster(directory);
        }

        /// The option of another command on this cluster.
        private String option() {
            String standard = System.getProperty("user.home") + "/.namdb/local";
            return directory.toString().equals(standard) ? "" : " --directory " + directory;
        }

        private PrintWriter out() {
            return spec.commandLine().getOut();
        }

        private PrintWriter err() {
            return spec.commandLine().getErr();
        }

        private int busy() {
            return failed(
                    "another 'nam cluster up', 'start' or 'down' works on the cluster in %s: try again when that has ended"
                            .formatted(directory));
        }

        private int unusable(IOException why) {
            return failed("--directory %s can't be used: %s".formatted(directory, why));
        }

        private int failed(String why) {
            err().println("nam cluster " + spec.name() + ": " + why);
            return 1;
        }
    }

    /// How long a command waits for processes.
    static final class Wait {
        @Option(
                names = "--wait",
                paramLabel = "SECONDS",
                defaultValue = "60",
                description = "How long to wait until all are ready (default: ${DEFAULT-VALUE}).")
        private int seconds;
    }

    /// Starts it.
    @Command(
            name = "up",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description =
                    "Starts memory servers, compute servers and a ZooKeeper, and says how to"
                            + " connect.")
    static final class Up implements Callable<Integer> {
        private static final int MAX = 16;

        @Spec private CommandSpec spec;

        @Option(
                names = "--memory-servers",
                paramLabel = "N",
                defaultValue = "2",
                description = "Memory servers (default: ${DEFAULT-VALUE}).")
        private int memoryServers;

        @Option(
                names = "--compute-servers",
                paramLabel = "N",
                defaultValue = "2",
                description = "Compute servers (default: ${DEFAULT-VALUE}).")
        private int computeServers;

        @Option(
                names = "--vector-servers",
                paramLabel = "N",
                defaultValue = "1",
                description =
                        "Memory servers that the slots of the timestamp vector lie on"
                                + " (default: ${DEFAULT-VALUE}).")
        private int vectorServers;

        @Option(
                names = "--replicated-commits",
                description =
                        "Write each commit to two memory servers, so that it is finished if its"
                                + " compute server dies.")
        private boolean replicatesCommits;

        @Option(
                names = "--data",
                paramLabel = "DIR",
                description =
                        "Keep the database in this directory, which is created if it is missing:"
                                + " what is committed outlives all processes, and is there again when"
                                + " the cluster is started with the same directory. It has"
                                + " --replicated-commits, too.")
        private @Nullable Path data;

        @Option(
                names = "--memory",
                paramLabel = "SIZE",
                defaultValue = "1g",
                description =
                        "Memory of each memory server, taken as it is used (default:"
                                + " ${DEFAULT-VALUE}).")
        private String memory;

        @Option(
                names = "--transport",
                paramLabel = "NAME",
                defaultValue = "tcp",
                description =
                        "How compute servers and clients reach memory: tcp, shm or auto"
                                + " (default: ${DEFAULT-VALUE}).")
        private String transport;

        @Option(
                names = "--lease",
                paramLabel = "TIME",
                defaultValue = "10s",
                description =
                        "How long a compute server may be silent before it is declared dead"
                                + " (default: ${DEFAULT-VALUE}).")
        private String lease;

        @Option(
                names = "--line-bytes",
                paramLabel = "SIZE",
                defaultValue = "64",
                description =
                        "The size of the lines that compute servers share: 2k for 'nam ycsb --store"
                                + " lines' and 'nam tpcc --engine' (default: ${DEFAULT-VALUE}).")
        private String lineBytes;

        @Option(
                names = "--line-cache",
                paramLabel = "SIZE",
                defaultValue = "1m",
                description =
                        "How much of lines a compute server caches (default: ${DEFAULT-VALUE}).")
        private String lineCache;

        @Mixin private Place place;

        @Option(
                names = "--allow-procedures",
                description =
                        "Let clients submit procedures. They are Java code, and may do all that the"
                                + " compute servers may.")
        private boolean allowsProcedures;

        @Mixin private Wait wait;

        @Override
        public Integer call() {
            check(memoryServers >= 1 && memoryServers <= MAX, "--memory-servers is 1 to 16");
            check(computeServers >= 0 && computeServers <= MAX, "--compute-servers is 0 to 16");
            try (ReservedPorts ports = new ReservedPorts(memoryServers + 1)) {
                return start(place.cluster(), ports);
            } catch (IOException e) {
                return place.failed("no cluster can be started: " + e);
            }
        }

        /// Those that clients of the data directory know, where they are free.
        private List<Integer> sqlPorts(ReservedPorts free) throws IOException {
            List<Integer> before = data == null ? List.of() : LocalCluster.sqlPorts(data);
            List<Integer> ports = new ArrayList<>();
            for (int number = 0; number < computeServers; number++) {
                if (number >= before.size()) {
                    ports.add(free.add());
                } else if (free.reserve(before.get(number))) {
                    ports.add(before.get(number));
                } else {
                    ports.add(free.add());
                    place.err()
                            .printf(
                                    "Port %d, where clients have reached compute server %d, is"
                                            + " taken: it listens on %d.%n",
                                    before.get(number), number, ports.getLast());
                }
            }
            if (data != null) {
                LocalCluster.keepSqlPorts(data, ports);
            }
            return ports;
        }

        private int start(LocalCluster cluster, ReservedPorts free) {
            long start = System.nanoTime();
            List<Integer> others = free.numbers();
            List<Integer> ports;
            try (FileChannel lock = cluster.tryLock()) {
                if (lock == null) {
                    return place.busy();
                }
                if (cluster.isRunning()) {
                    return place.failed(
                            "a cluster runs there already; end it by 'nam cluster down%1$s' before, or start what has ended of it by 'nam cluster start%1$s'"
                                    .formatted(place.option()));
                }
                ports = sqlPorts(free);
                cluster.configure(
                        others,
                        memoryServers,
                        vectorServers,
                        replicatesCommits || data != null,
                        data,
                        memory,
                        lease,
                        transport,
                        lineBytes,
                        lineCache);
                startAll(cluster, ClusterConfig.read(cluster.configuration()), ports);
            } catch (IOException e) {
                return place.unusable(e);
            } catch (ConfigException e) {
                return place.failed(String.valueOf(e.getMessage()));
            }
            String failure =
                    awaitReady(cluster, cluster.started(), data != null, wait.seconds, place.err());
            if (failure != null) {
                int _ = cluster.end();
                return place.failed(failure);
            }
            report(cluster, ports, (System.nanoTime() - start) / 1e9);
            return 0;
        }

        private void startAll(LocalCluster cluster, ClusterConfig config, List<Integer> ports) {
            String file = cluster.configuration().toString();
            cluster.start(
                    "zookeeper",
                    "-Xmx128m",
                    List.of(
                            "zookeeper",
                            "--directory",
                            place.directory.toAbsolutePath().resolve("zookeeper").toString(),
                            "--address",
                            config.membership().zookeeper().getFirst().toString()));
            for (int number = 0; number < memoryServers; number++) {
                cluster.start(
                        "memory-" + number,
                        "-Xmx256m",
                        List.of("memory-server", "-c", file, "-n", Integer.toString(number)));
            }
            for (int number = 0; number < computeServers; number++) {
                cluster.start(
                        "compute-" + number,
                        "-Xmx512m",
                        List.of(
                                "compute-server",
                                "-c",
                                file,
                                "--set",
                                "sql.listen=127.0.0.1:" + ports.get(number),
                                "--set",
                                "sql.allow-procedures=" + allowsProcedures));
            }
        }

        private void report(LocalCluster cluster, List<Integer> ports, double seconds) {
            PrintWriter out = place.out();
            out.printf(
                    "%s and %s are ready after %.1f s.%n",
                    number(memoryServers, "memory server"),
                    number(computeServers, "compute server"),
                    seconds);
            recovered(cluster).ifPresent(out::println);
            out.printf("Configuration for clients: %s%n", cluster.configuration());
            for (int port : ports) {
                out.printf("  any client   postgresql://namdb@127.0.0.1:%d/namdb%n", port);
            }
            out.printf("  SQL          nam sql --cluster %s%n", cluster.configuration());
            out.printf("  a program    NamDb.connect(Path.of(\"%s\"))%n", cluster.configuration());
            out.printf("  what it does nam status -c %s%n", cluster.configuration());
            out.printf("  its end      nam cluster down%s%n", place.option());
            out.flush();
        }

        /// What memory server 0 has said of a recovery.
        private static Optional<String> recovered(LocalCluster cluster) {
            return cluster.said(RECOVERING).stream()
                    .filter(line -> line.startsWith("Recovered "))
                    .findFirst();
        }

        private static String number(int number, String thing) {
            return "%d %s%s".formatted(number, thing, number == 1 ? "" : "s");
        }

        private void check(boolean isRight, String message) {
            if (!isRight) {
                throw new ParameterException(spec.commandLine(), message);
            }
        }
    }

    /// Shows what runs.
    @Command(
            name = "status",
            mixinStandardHelpOptions = true,
            description = "Says which of its processes run; 'nam status' says what they do.")
    static final class Status implements Callable<Integer> {
        @Mixin private Place place;

        @Override
        public Integer call() {
            LocalCluster cluster = place.cluster();
            PrintWriter out = place.out();
            List<LocalCluster.Started> started = cluster.started();
            if (started.isEmpty()) {
                out.println("no cluster runs there; start one by 'nam cluster up'");
            }
            boolean isWhole = !started.isEmpty();
            for (LocalCluster.Started each : started) {
                boolean isAlive = each.alive().isPresent();
                isWhole &= isAlive;
                out.printf(
                        "%-12s %-8d %-9s %s%n",
                        each.name(),
                        each.pid(),
                        isAlive ? "runs" : "has ended",
                        cluster.log(each.name()));
            }
            if (!isWhole && !started.isEmpty()) {
                String end = place.option();
                out.println(
                        isDatabaseLost(cluster, started)
                                ? "the database has ended with a memory server: 'nam cluster down%s' ends the others"
                                        .formatted(end)
                                : "'nam cluster start%s' starts what has ended".formatted(end));
            }
            out.flush();
            return isWhole ? 0 : 1;
        }

        /// Whether a memory server has ended that kept nothing on a disk.
        private static boolean isDatabaseLost(
                LocalCluster cluster, List<LocalCluster.Started> started) {
            try {
                return started.stream()
                                .anyMatch(each ->
                                        each.name().startsWith(MEMORY) && each.alive().isEmpty())
                        && !ClusterConfig.read(cluster.configuration()).isKept();
            } catch (ConfigException e) {
                return false; // the commands that need it report that
            }
        }
    }

    /// Starts what has ended.
    @Command(
            name = "start",
            mixinStandardHelpOptions = true,
            description =
                    "Starts those of its processes again that have ended by themselves, or were"
                            + " killed.")
    static final class Start implements Callable<Integer> {
        @Mixin private Place place;

        @Mixin private Wait wait;

        @Override
        public Integer call() {
            LocalCluster cluster = place.cluster();
            if (cluster.started().isEmpty()) {
                return place.failed("no cluster runs there; start one by 'nam cluster up'");
            }
            List<String> ended;
            boolean isKept;
            try (FileChannel lock = cluster.tryLock()) {
                if (lock == null) {
                    return place.busy();
                }
                ended =
                        cluster.started().stream()
                                .filter(each -> each.alive().isEmpty())
                                .map(LocalCluster.Started::name)
                                .toList();
                isKept = ClusterConfig.read(cluster.configuration()).isKept();
                if (isMemoryLost(ended) && !isKept) {
                    return place.failed(
                            "a memory server has ended, and the database with it, as there is no data directory (--data); end the cluster by 'nam cluster down%s', and start another one by 'nam cluster up'"
                                    .formatted(place.option()));
                }
                ended.forEach(cluster::startAgain);
            } catch (IOException e) {
                return place.unusable(e);
            } catch (ConfigException e) {
                return place.failed(String.valueOf(e.getMessage()));
            }
            List<LocalCluster.Started> again =
                    cluster.started().stream().filter(each -> ended.contains(each.name())).toList();
            String failure = awaitReady(cluster, again, isKept, wait.seconds, place.err());
            if (failure != null) {
                return place.failed(failure);
            }
            PrintWriter out = place.out();
            out.println(
                    ended.isEmpty()
                            ? "all of its processes run"
                            : "started again: " + String.join(", ", ended));
            if (isMemoryLost(ended)) {
                out.printf(
                        "Clients go on when the database is recovered: see nam status -c %s%n",
                        cluster.configuration());
            }
            out.flush();
            return 0;
        }

        private static boolean isMemoryLost(List<String> ended) {
            return ended.stream().anyMatch(name -> name.startsWith(MEMORY));
        }
    }

    /// Ends it.
    @Command(
            name = "down",
            mixinStandardHelpOptions = true,
            description =
                    "Ends all of its processes; what they held is gone, but for what is in a data"
                            + " directory.")
    static final class Down implements Callable<Integer> {
        @Mixin private Place place;

        @Override
        public Integer call() {
            LocalCluster cluster = place.cluster();
            int ended = 0;
            if (Files.isDirectory(place.directory)) {
                try (FileChannel lock = cluster.tryLock()) {
                    if (lock == null) {
                        return place.busy();
                    }
                    ended = cluster.end();
                } catch (IOException e) {
                    return place.unusable(e);
                }
            }
            PrintWriter out = place.out();
            out.println(ended == 0 ? "no cluster runs there" : "ended " + ended + " processes");
            out.flush();
            return 0;
        }
    }
}
