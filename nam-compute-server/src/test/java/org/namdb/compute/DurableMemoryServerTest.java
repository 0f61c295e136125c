package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ClusterDurability;
import org.namdb.cluster.config.HostPort;
import org.namdb.cluster.config.Transport;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.journal.RecoveryProgress;
import org.namdb.compute.journal.RecoveryReport;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.rdma.RdmaOptions;
import org.namdb.memory.process.MemoryProcess;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// A recovery that fails: by itself, or since another memory server has ended meanwhile, and is not
/// there again yet. Then it waits for that one, whatever the failure.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DurableMemoryServerTest {
    private static final HostPort ANYWHERE = new HostPort("127.0.0.1", 0);
    private static final int SERVERS = 2;

    @TempDir private Path directory;

    private final List<DurableMemoryServer> open = new ArrayList<>();
    private final List<RecoveryReport> reports = new ArrayList<>();
    private Runnable whileChecking = () -> {};
    private ClusterConfig config;

    private final RecoveryProgress progress =
            new RecoveryProgress() {
                @Override
                public void at(Step step, long done, long all) {
                    if (step == Step.CHECK) {
                        whileChecking.run();
                    }
                }

                @Override
                public void ended(RecoveryReport report) {
                    reports.add(report);
                }
            };

    @BeforeEach
    void keepARow() {
        config = config(List.of(ANYWHERE, ANYWHERE));
        config = config(start().stream().map(MemoryProcess::address).toList());
        assertThat(open.getFirst().recover(config, progress)).isTrue();
        try (NamDb db = NamDb.connect(config)) {
            Table table =
                    db.createTable(
                            TableDefinition.named("t")
                                    .column("id", ColumnType.INT64)
                                    .primaryKey("id")
                                    .build());
            db.transact(tx -> tx.insert(table, table.newKey().set(7)));
        }
        end();
    }

    @AfterEach
    void end() {
        open.reversed().forEach(DurableMemoryServer::close);
        open.clear();
    }

    private ClusterConfig config(List<HostPort> addresses) {
        List<ClusterConfig.Memory> servers = new ArrayList<>();
        for (int number = 0; number < SERVERS; number++) {
            Path data = directory.resolve("memory-" + number);
            servers.add(new ClusterConfig.Memory(addresses.get(number), 48 << 20, null, 1, data));
        }
        return new ClusterConfig(
                "kept-memory-test",
                servers,
                32,
                1,
                true,
                ClusterDurability.SYNC,
                Duration.ofSeconds(20),
                Transport.TCP,
                RdmaOptions.DEFAULT,
                ClusterConfig.Security.NONE,
                new ClusterConfig.Membership(List.of(), Duration.ofSeconds(20)),
                new ClusterConfig.Compute(
                        1,
                        Duration.ofMillis(5),
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(20),
                        null,
                        ClusterConfig.Lines.DEFAULT),
                ClusterConfig.Sql.NONE);
    }

    private List<MemoryProcess> start() {
        List<MemoryProcess> started = new ArrayList<>();
        for (int number = 0; number < SERVERS; number++) {
            MemoryProcess server = MemoryProcess.start(config, number);
            started.add(server);
            Path data = directory.resolve("memory-" + number);
            open.add(DurableMemoryServer.open(config, number, server, data));
        }
        return started;
    }

    private void requireRecovered() {
        end();
        List<MemoryProcess> _ = start();
        assertThat(open.getFirst().recover(config, progress)).isTrue();
        assertThat(reports.getLast().rows()).isEqualTo(1);
    }

    static Stream<RuntimeException> failures() {
        return Stream.of(
                new IllegalStateException("no record to update"),
                new JournalException(JournalException.Kind.DAMAGED, "a block is damaged", null));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aFailureIsReportedWhereAllMemoryServersAreThere(RuntimeException failure) {
        List<MemoryProcess> _ = start();
        whileChecking =
                () -> {
                    throw failure;
                };
        assertThatThrownBy(() -> open.getFirst().recover(config, progress)).isSameAs(failure);
        whileChecking = () -> {};
        requireRecovered();
    }

    @ParameterizedTest
    @MethodSource("failures")
    void theRecoveryIsBegunOnceMoreWhereOneIsAway(RuntimeException failure) {
        List<MemoryProcess> _ = start();
        whileChecking =
                () -> {
                    whileChecking = () -> {};
                    open.removeLast().close();
                    throw failure;
                };
        assertThat(open.getFirst().recover(config, progress)).isFalse();
        requireRecovered();
    }

    @ParameterizedTest
    @MethodSource("failures")
    void theRecoveryIsBegunOnceMoreWhereOneHasOtherMemory(RuntimeException failure) {
        List<MemoryProcess> _ = start();
        whileChecking =
                () -> {
                    whileChecking = () -> {};
                    open.removeLast().close();
                    MemoryProcess again = MemoryProcess.start(config, 1);
                    open.add(
                            DurableMemoryServer.open(
                                    config, 1, again, directory.resolve("memory-1")));
                    throw failure;
                };
        assertThat(open.getFirst().recover(config, progress)).isFalse();
        requireRecovered();
    }

    /// That of memory server 0 is lost, too, and the others have outlived it: they restart.
    @Test
    void aNewDirectoryIsNoOtherDatabase() throws Exception {
        List<MemoryProcess> _ = start();
        assertThat(open.getFirst().recover(config, progress)).isTrue();
        open.removeFirst().close();
        try (Stream<Path> files = Files.list(directory.resolve("memory-0"))) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        MemoryProcess first = MemoryProcess.start(config, 0);
        open.addFirst(DurableMemoryServer.open(config, 0, first, directory.resolve("memory-0")));
        CompletableFuture<Void> second =
                CompletableFuture.runAsync(() -> {
                    while (!open.getLast().isOver()) {
                        Host.MACHINE.sleep(10_000_000);
                    }
                    open.removeLast().close();
                    MemoryProcess again = MemoryProcess.start(config, 1);
                    Path data = directory.resolve("memory-1");
                    open.add(DurableMemoryServer.open(config, 1, again, data));
                });
        assertThat(open.getFirst().recover(config, progress)).isTrue();
        second.get(60, TimeUnit.SECONDS);
        assertThat(reports.getLast().rows()).isEqualTo(1);
    }

    /// Its connection was lost: whether it is there again does not matter.
    @Test
    void theRecoveryIsBegunOnceMoreAfterALostConnection() {
        List<MemoryProcess> _ = start();
        whileChecking =
                () -> {
                    whileChecking = () -> {};
                    throw new FabricException(FabricException.Kind.CONNECTION_LOST, "lost");
                };
        assertThat(open.getFirst().recover(config, progress)).isFalse();
        requireRecovered();
    }
}
