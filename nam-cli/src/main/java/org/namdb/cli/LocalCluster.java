package org.namdb.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The processes of a cluster on this machine, recorded in a directory:
/// ```
/// cluster.yaml        the configuration, for clients, too
/// processes           a line for each: name, pid, when it was started
/// NAME.command        its heap and its arguments, a line each, to start it again
/// NAME.log            what it has said
/// NAME.log.before     what it had said when it was started again
/// lock                locked by the command that starts or ends processes
/// zookeeper/          ZooKeeper's data
/// ```
/// Regions are files in `/dev/shm`, so that compute servers map them.
final class LocalCluster {
    /// The order of the end: compute servers leave before what they need.
    private static final List<String> ENDING = List.of("compute-", "memory-", "zookeeper");

    /// What a memory server says that outlives another one.
    static final String RESTARTS = "restarts with empty memory";

    /// In a data directory: a line with the port of each compute server for its clients.
    private static final String SQL_PORTS = "sql-ports";

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

    private Path command(String name) {
        return directory.resolve(name + ".command");
    }

    private Path processes() {
        return directory.resolve("processes");
    }

    /// Where its regions are files; a name that no other cluster has.
    private Path regions() {
        String name = directory.toString().replace('/', '-').replaceAll("[^A-Za-z0-9-]", "_");
        return SHARED_MEMORY.resolve("namdb" + name);
    }

    /// All that were started, those that have ended since included; once each, as it was started
    /// last.
    List<Started> started() {
        try {
            if (!Files.exists(processes())) {
                return List.of();
            }
            Map<String, Started> started = new LinkedHashMap<>();
            for (String line : Files.readAllLines(processes())) {
                String[] words = line.split(" ", 3);
                Started each =
                        new Started(words[0], Long.parseLong(words[1]), Instant.parse(words[2]));
                Started _ = started.put(each.name(), each);
            }
            return List.copyOf(started.values());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Locks it: one command at a time starts or ends processes.
    ///
    /// @return null if another one has it
    /// @throws IOException if the directory can't be made or written to
    @Nullable FileChannel tryLock() throws IOException {
        Files.createDirectories(directory);
        FileChannel channel =
                FileChannel.open(
                        directory.resolve("lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
        boolean isLocked = false;
        try {
            isLocked = channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // By a command in this process, that is.
        } finally {
            if (!isLocked) {
                channel.close();
            }
        }
        return isLocked ? channel : null;
    }

    boolean isRunning() {
        return started().stream().anyMatch(each -> each.alive().isPresent());
    }

    /// Writes a configuration.
    ///
    /// @param ports one for each memory server, and one for ZooKeeper
    /// @param data where memory servers keep commits, each in a directory of its own; null if they
    ///     keep none
    /// @throws IOException if the directory can't be made or written to
    void configure(
            List<Integer> ports,
            int memoryServers,
            int vectorServers,
            boolean replicatesCommits,
            @Nullable Path data,
            String memory,
            String lease,
            String transport,
            String lineBytes,
            String lineCache)
            throws IOException {
        delete(directory.resolve("zookeeper")); // of a cluster whose processes were killed
        Files.createDirectories(directory.resolve("zookeeper"));
        StringBuilder text = new StringBuilder("# Made by 'nam cluster up'.\n");
        text.append("name: local\nmemory-servers:\n");
        for (int number = 0; number < memoryServers; number++) {
            text.append("  - address: 127.0.0.1:").append(ports.get(number)).append('\n');
            text.append("    memory: ").append(memory).append('\n');
            if (data != null) {
                Path own = data.toAbsolutePath().normalize().resolve("memory-" + number);
                text.append("    data: '").append(own.toString().replace("'", "''")).append("'\n");
            }
            if (Files.isWritable(SHARED_MEMORY)) {
                Files.createDirectories(regions());
                text.append("    directory: ").append(regions()).append('\n');
            }
        }
        text.append("vector-servers: ").append(vectorServers).append('\n');
        text.append("replicated-commits: ").append(replicatesCommits).append('\n');
        text.append("transport: ").append(transport).append('\n');
        text.append("compute:\n  peers: 127.0.0.1:0\n"); // for lines, and cached tables
        text.append("  line-bytes: ").append(lineBytes);
        text.append("\n  line-cache: ").append(lineCache).append('\n');
        text.append("membership:\n  zookeeper: 127.0.0.1:").append(ports.getLast());
        text.append("\n  lease: ").append(lease).append('\n');
        Files.writeString(configuration(), text);
        Files.deleteIfExists(processes());
    }

    /// The ports of compute servers for their clients, as they were when a cluster was started with
    /// this data directory last; none if there was none.
    ///
    /// @throws IOException if they can't be read
    static List<Integer> sqlPorts(Path data) throws IOException {
        Path file = data.resolve(SQL_PORTS);
        try (Stream<String> lines = Files.exists(file) ? Files.lines(file) : Stream.empty()) {
            return lines.map(Integer::valueOf).toList();
        } catch (NumberFormatException e) {
            throw new IOException(file + " has a line that is no port: delete the file", e);
        }
    }

    /// Keeps them for the next start.
    ///
    /// @throws IOException if they can't be written
    static void keepSqlPorts(Path data, List<Integer> ports) throws IOException {
        Files.createDirectories(data);
        Files.write(data.resolve(SQL_PORTS), ports.stream().map(String::valueOf).toList());
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
            List<String> again = new ArrayList<>(List.of(heap));
            again.addAll(arguments);
            Files.write(command(name), again);
            if (log.exists()) {
                Files.move(
                        log.toPath(),
                        directory.resolve(name + ".log.before"),
                        StandardCopyOption.REPLACE_EXISTING);
            }
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

    /// Starts a process again that has ended.
    ///
    /// @throws UncheckedIOException if it is not recorded how
    void startAgain(String name) {
        try {
            List<String> again = Files.readAllLines(command(name));
            start(name, again.getFirst(), again.subList(1, again.size()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Whether a process has said that it is ready, and not since that it restarts.
    boolean isReady(Started process) {
        boolean isReady = false;
        for (String line : said(process.name())) {
            isReady = line.contains(" is ready") || isReady && !line.contains(RESTARTS);
        }
        return isReady;
    }

    /// What a process has said, line by line.
    List<String> said(String name) {
        try {
            return new String(Files.readAllBytes(log(name)), UTF_8).lines().toList();
        } catch (IOException e) {
            return List.of(); // it has said nothing yet
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

    /// Deletes a file, or a directory with all that is in it; nothing if there is none.
    static void delete(Path tree) throws IOException {
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
