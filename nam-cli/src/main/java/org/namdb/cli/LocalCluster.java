package org.namdb.cli;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// The processes of a cluster on this machine, recorded in a directory:
/// ```
/// cluster.yaml        the configuration, for clients, too
/// processes           a line for each: name, pid, when it was started
/// NAME.log            what it has said
/// zookeeper/          ZooKeeper's data
/// ```
/// Regions are files in `/dev/shm`, so that compute servers map them.
final class LocalCluster {
    /// The order of the end: compute servers leave before what they need.
    private static final List<String> ENDING = List.of("compute-", "memory-", "zookeeper");

    private static final long END_SECONDS = 20;
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private final Path directory;

    LocalCluster(Path directory) {
        this.directory = directory.toAbsolutePath().normalize();
    }

    /// A process that was started.
    record Started(String name, long pid, Instant start) {
        Optional<ProcessHandle> alive() {
            return ProcessHandle.of(pid)
                    .filter(ProcessHandle::isAlive)
                    // Another one may have this pid by now.
                    .filter(handle -> handle.info().startInstant().equals(Optional.of(start)));
        }
    }

    /// The configuration of the cluster in the default directory.
    static Path standardConfiguration() {
        return new LocalCluster(Path.of(System.getProperty("user.home"), ".namdb", "local"))
                .configuration();
    }

    Path configuration() {
        return directory.resolve("cluster.yaml");
    }

    Path log(String name) {
        return directory.resolve(name + ".log");
    }

    private Path processes() {
        return directory.resolve("processes");
    }

    /// Where its regions are files; a name that no other cluster has.
    private Path regions() {
        String name = directory.toString().replace('/', '-').replaceAll("[^A-Za-z0-9-]", "_");
        return SHARED_MEMORY.resolve("namdb" + name);
    }

    /// All that were started, those that have ended since included.
    List<Started> started() {
        try {
            if (!Files.exists(processes())) {
                return List.of();
            }
            List<Started> started = new ArrayList<>();
            for (String line : Files.readAllLines(processes())) {
                String[] words = line.split(" ", 3);
                started.add(
                        new Started(words[0], Long.parseLong(words[1]), Instant.parse(words[2])));
            }
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isRunning() {
        return started().stream().anyMatch(each -> each.alive().isPresent());
    }

    /// Writes a configuration with ports that are free now.
    ///
    /// @return as many more ports as there are compute servers, for their clients
    /// @throws IOException if the directory can't be made or written to
    List<Integer> configure(
            int memoryServers,
            int computeServers,
            int vectorServers,
            boolean replicatesCommits,
            String memory,
            String lease,
            String transport)
            throws IOException {
        Files.createDirectories(directory.resolve("zookeeper"));
        StringBuilder text = new StringBuilder("# Made by 'nam cluster up'.\n");
        text.append("name: local\nmemory-servers:\n");
        List<Integer> ports = freePorts(memoryServers + computeServers + 1);
        for (int number = 0; number < memoryServers; number++) {
            text.append("  - address: 127.0.0.1:").append(ports.get(number)).append('\n');
            text.append("    memory: ").append(memory).append('\n');
            if (Files.isWritable(SHARED_MEMORY)) {
                Files.createDirectories(regions());
                text.append("    directory: ").append(regions()).append('\n');
            }
        }
        text.append("vector-servers: ").append(vectorServers).append('\n');
        text.append("replicated-commits: ").append(replicatesCommits).append('\n');
        text.append("transport: ").append(transport).append('\n');
        text.append("membership:\n  zookeeper: 127.0.0.1:").append(ports.getLast());
        text.append("\n  lease: ").append(lease).append('\n');
        Files.writeString(configuration(), text);
        Files.deleteIfExists(processes());
        return ports.subList(memoryServers, memoryServers + computeServers);
    }

    /// All at once, so that they differ.
    private static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return sockets.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }

    /// Starts a process of this very program, which outlives this one.
    void start(String name, String heap, List<String> arguments) {
        List<String> command = new ArrayList<>();
        if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
            command.add("/usr/bin/setsid"); // the terminal's Ctrl-C is not for it
        }
        command.add(ProcessHandle.current().info().command().orElse("java"));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> !each.startsWith("-Xm"))
                .forEach(command::add);
        command.addAll(List.of("-Xms32m", heap, "-cp", System.getProperty("java.class.path")));
        command.add(Nam.class.getName());
        command.addAll(arguments);
        File log = log(name).toFile();
        try {
            Files.deleteIfExists(log.toPath());
            Process process =
                    new ProcessBuilder(command)
                            .redirectInput(new File("/dev/null"))
                            .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                            .redirectErrorStream(true)
                            .start();
            Instant start = process.info().startInstant().orElseThrow();
            Files.writeString(
                    processes(),
                    "%s %d %s%n".formatted(name, process.pid(), start),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Whether a process has said that it is ready.
    boolean isReady(Started process) {
        try (Stream<String> lines = Files.lines(log(process.name()))) {
            return lines.anyMatch(line -> line.contains(" is ready"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Ends all of them, those that don't answer by force, and frees their memory.
    ///
    /// @return how many there were
    int end() {
        int ended = 0;
        for (String kind : ENDING) {
            List<ProcessHandle> alive =
                    started().stream()
                            .filter(each -> each.name().startsWith(kind))
                            .flatMap(each -> each.alive().stream())
                            .toList();
            alive.forEach(ProcessHandle::destroy);
            for (ProcessHandle each : alive) {
                awaitEnd(each);
                ended++;
            }
        }
        try {
            Files.deleteIfExists(processes());
            delete(regions());
            delete(directory.resolve("zookeeper"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ended;
    }

    private static void awaitEnd(ProcessHandle process) {
        long start = System.nanoTime();
        while (process.isAlive()) {
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(END_SECONDS)) {
                boolean _ = process.destroyForcibly();
            }
            pause();
        }
    }

    static void pause() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static void delete(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(tree)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
