package org.namdb.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ConfigException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `nam cluster`: a whole cluster on this machine.
@Command(
        name = "cluster",
        mixinStandardHelpOptions = true,
        description = "Runs a whole cluster on this machine: up, status, down.",
        synopsisSubcommandLabel = "up|status|down",
        subcommands = {
            ClusterCommand.Up.class,
            ClusterCommand.Status.class,
            ClusterCommand.Down.class
        })
final class ClusterCommand implements Runnable {
    private static final String DIRECTORY_HELP =
            "Where its configuration and logs are (default: ${DEFAULT-VALUE}).";
    private static final String DEFAULT_DIRECTORY = "${sys:user.home}/.namdb/local";

    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say up, status or down");
    }

    /// Starts it.
    @Command(
            name = "up",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description =
                    "Starts memory servers, compute servers and a ZooKeeper, and says how to connect.")
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
                names = "--memory",
                paramLabel = "SIZE",
                defaultValue = "1g",
                description =
                        "Memory of each memory server, taken as it is used (default: ${DEFAULT-VALUE}).")
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
                names = "--directory",
                paramLabel = "DIR",
                defaultValue = DEFAULT_DIRECTORY,
                description = DIRECTORY_HELP)
        private Path directory;

        @Option(
                names = "--allow-procedures",
                description =
                        "Let clients submit procedures. They are Java code, and may do all that the compute servers may.")
        private boolean allowsProcedures;

        @Option(
                names = "--wait",
                paramLabel = "SECONDS",
                defaultValue = "60",
                description = "How long to wait until all are ready (default: ${DEFAULT-VALUE}).")
        private int waitSeconds;

        @Override
        public Integer call() {
            check(memoryServers >= 1 && memoryServers <= MAX, "--memory-servers is 1 to 16");
            check(computeServers >= 0 && computeServers <= MAX, "--compute-servers is 0 to 16");
            LocalCluster cluster = new LocalCluster(directory);
            if (cluster.isRunning()) {
                return failed(
                        "a cluster runs there already; end it by 'nam cluster down%s' before"
                                .formatted(option()));
            }
            long start = System.nanoTime();
            ClusterConfig config;
            List<Integer> ports;
            try {
                ports =
                        cluster.configure(
                                memoryServers,
                                computeServers,
                                vectorServers,
                                replicatesCommits,
                                memory,
                                lease,
                                transport);
                config = ClusterConfig.read(cluster.configuration());
            } catch (IOException e) {
                return failed("--directory %s can't be used: %s".formatted(directory, e));
            } catch (ConfigException e) {
                return failed(String.valueOf(e.getMessage()));
            }
            startAll(cluster, config, ports);
            for (LocalCluster.Started each : cluster.started()) {
                while (!cluster.isReady(each)) {
                    boolean isLate =
                            System.nanoTime() - start > TimeUnit.SECONDS.toNanos(waitSeconds);
                    if (isLate || each.alive().isEmpty()) {
                        String why = isLate ? "is not ready in time" : "has ended";
                        String said = said(cluster, each);
                        int _ = cluster.end();
                        return failed("%s %s: %s".formatted(each.name(), why, said));
                    }
                    LocalCluster.pause();
                }
            }
            tell(cluster, ports, (System.nanoTime() - start) / 1e9);
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
                            directory.toAbsolutePath().resolve("zookeeper").toString(),
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

        private void tell(LocalCluster cluster, List<Integer> ports, double seconds) {
            PrintWriter out = spec.commandLine().getOut();
            out.printf(
                    "%s and %s are ready after %.1f s.%n",
                    number(memoryServers, "memory server"),
                    number(computeServers, "compute server"),
                    seconds);
            out.printf("Configuration for clients: %s%n", cluster.configuration());
            for (int port : ports) {
                out.printf("  any client   postgresql://namdb@127.0.0.1:%d/namdb%n", port);
            }
            out.printf("  SQL          nam sql --cluster %s%n", cluster.configuration());
            out.printf("  a program    NamDb.connect(Path.of(\"%s\"))%n", cluster.configuration());
            out.printf("  what it does nam status -c %s%n", cluster.configuration());
            out.printf("  its end      nam cluster down%s%n", option());
            out.flush();
        }

        private static String number(int number, String thing) {
            return "%d %s%s".formatted(number, thing, number == 1 ? "" : "s");
        }

        private String option() {
            String standard = System.getProperty("user.home") + "/.namdb/local";
            return directory.toString().equals(standard) ? "" : " --directory " + directory;
        }

        private static String said(LocalCluster cluster, LocalCluster.Started process) {
            try {
                List<String> lines = Files.readAllLines(cluster.log(process.name()));
                return lines.isEmpty() ? "it has said nothing" : lines.getLast();
            } catch (IOException e) {
                return "it has said nothing";
            }
        }

        private void check(boolean isRight, String message) {
            if (!isRight) {
                throw new ParameterException(spec.commandLine(), message);
            }
        }

        private int failed(String why) {
            spec.commandLine().getErr().println("nam cluster up: " + why);
            return 1;
        }
    }

    /// Shows what runs.
    @Command(
            name = "status",
            mixinStandardHelpOptions = true,
            description = "Says which of its processes run; 'nam status' says what they do.")
    static final class Status implements Callable<Integer> {
        @Spec private CommandSpec spec;

        @Option(
                names = "--directory",
                paramLabel = "DIR",
                defaultValue = DEFAULT_DIRECTORY,
                description = DIRECTORY_HELP)
        private Path directory;

        @Override
        public Integer call() {
            LocalCluster cluster = new LocalCluster(directory);
            PrintWriter out = spec.commandLine().getOut();
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
            out.flush();
            return isWhole ? 0 : 1;
        }
    }

    /// Ends it.
    @Command(
            name = "down",
            mixinStandardHelpOptions = true,
            description = "Ends all of its processes; what they held is gone.")
    static final class Down implements Callable<Integer> {
        @Spec private CommandSpec spec;

        @Option(
                names = "--directory",
                paramLabel = "DIR",
                defaultValue = DEFAULT_DIRECTORY,
                description = DIRECTORY_HELP)
        private Path directory;

        @Override
        public Integer call() {
            int ended = new LocalCluster(directory).end();
            PrintWriter out = spec.commandLine().getOut();
            out.println(ended == 0 ? "no cluster runs there" : "ended " + ended + " processes");
            out.flush();
            return 0;
        }
    }
}
