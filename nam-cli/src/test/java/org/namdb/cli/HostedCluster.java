package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ClusterSettings;
import org.namdb.compute.NamDb;

/// A cluster whose processes have hosts of their own, with cables that can be cut: a ZooKeeper, two
/// memory servers, and four hosts for compute servers. They reach each other by TCP, and know a
/// token. TPC-C is loaded.
final class HostedCluster implements AutoCloseable {
    /// The hosts, by their numbers.
    static final int MEMORY_0 = 0;

    static final int MEMORY_1 = 1;
    static final int COMPUTE_0 = 2;
    static final int COMPUTE_1 = 3;
    static final int COMPUTE_2 = 4;
    static final int COMPUTE_3 = 5;

    private static final int ZOOKEEPER = 6;
    private static final int HOSTS = 7;

    private final Path directory;
    private final Namespaces namespaces;
    private final Programs programs;
    private final StringWriter said = new StringWriter();

    private HostedCluster(Path directory, Namespaces namespaces) {
        this.directory = directory;
        this.namespaces = namespaces;
        this.programs = new Programs(directory);
    }

    /// Starts it.
    ///
    /// @param directory for its configuration and its processes' output
    static HostedCluster up(Path directory) throws IOException {
        HostedCluster cluster = new HostedCluster(directory, Namespaces.make(HOSTS));
        boolean isUp = false;
        try {
            cluster.start();
            isUp = true;
            return cluster;
        } finally {
            if (!isUp) {
                cluster.close();
            }
        }
    }

    private void start() throws IOException {
        Files.writeString(directory.resolve("token"), "known to all of them");
        String zooKeeper = namespaces.address(ZOOKEEPER) + ":2181";
        Files.writeString(
                file(),
                """
                name: hosts
                transport: tcp
                memory-servers:
                  - address: %s:7400
                    memory: 256m
                  - address: %s:7400
                    memory: 256m
                security:
                  token-file: %s
                membership:
                  zookeeper: %s
                  lease: 10s
                """
                        .formatted(
                                namespaces.address(MEMORY_0),
                                namespaces.address(MEMORY_1),
                                directory.resolve("token"),
                                zooKeeper));
        String data = directory.resolve("zookeeper").toString();
        Files.createDirectories(Path.of(data));
        List<Process> servers =
                List.of(
                        startNam(
                                ZOOKEEPER,
                                "zookeeper",
                                "zookeeper",
                                "--directory",
                                data,
                                "--address",
                                zooKeeper),
                        startMemoryServer(MEMORY_0),
                        startMemoryServer(MEMORY_1));
        for (Process each : servers) {
            awaitReady(each);
        }
        assertThat(
                        nam(
                                "tpcc",
                                "--cluster",
                                file().toString(),
                                "--warehouses",
                                Integer.toString(TpccTerminals.SCALE.warehouses()),
                                "--population",
                                Integer.toString(TpccTerminals.SCALE.populationPercent()),
                                "--transactions",
                                "10"))
                .as(this::said)
                .isZero();
    }

    private Process startMemoryServer(int host) {
        return startNam(
                host,
                "memory-" + host,
                "memory-server",
                "-c",
                file().toString(),
                "-n",
                Integer.toString(host));
    }

    /// Waits until a server reports that it is ready.
    void awaitReady(Process server) throws IOException {
        BufferedReader lines = server.inputReader();
        String line = lines.readLine(); // the test's limit ends it
        assertThat(line).as("what a server says").contains(" is ready");
    }

    /// Its configuration, with a lease that is never lost while the cable is whole, however busy
    /// the machine is.
    Path file() {
        return directory.resolve("cluster.yaml");
    }

    /// The same with another lease.
    Path fileWithLease(String lease) throws IOException {
        Path file = directory.resolve("lease-" + lease + ".yaml");
        Files.writeString(
                file, Files.readString(file()).replaceAll("lease: .*", "lease: " + lease));
        return file;
    }

    ClusterConfig config() {
        return ClusterSettings.read(file(), Map.of(), Map.of()).config();
    }

    /// From this process, whose cable is not cut.
    NamDb connect() {
        return NamDb.connect(config());
    }

    /// Runs `nam` in this process.
    int nam(String... arguments) {
        var nam = Nam.commandLine();
        nam.setOut(new PrintWriter(said, true));
        nam.setErr(new PrintWriter(said, true));
        return nam.execute(arguments);
    }

    /// What the commands in this process have said.
    String said() {
        return said.toString();
    }

    /// Starts `nam` on a host.
    Process startNam(int host, String name, String... arguments) {
        return programs.start(namespaces.prefix(host), name, Nam.class, arguments);
    }

    /// Starts terminals on a host, which attach, and then wait.
    RunningTerminals startTerminals(int host, String name, Path file, long seed) {
        return new RunningTerminals(
                programs.start(
                        namespaces.prefix(host),
                        name,
                        TpccTerminals.class,
                        file.toString(),
                        Long.toString(seed)));
    }

    /// The standard error of a program.
    String errorsOf(String name) {
        return programs.errorsOf(name);
    }

    String address(int host) {
        return namespaces.address(host);
    }

    void cut(int host, Namespaces.Cut how) {
        namespaces.cut(host, how);
    }

    void mend(int host, Namespaces.Cut how) {
        namespaces.mend(host, how);
    }

    @Override
    public void close() {
        programs.close();
        namespaces.close();
    }
}
