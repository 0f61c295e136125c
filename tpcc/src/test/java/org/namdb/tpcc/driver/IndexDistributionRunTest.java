package org.namdb.tpcc.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.namdb.compute.NamDb;
import org.namdb.compute.journal.RecoveryProgress;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.tcp.TcpClientOptions;
import org.namdb.fabric.tcp.TcpComputeFabric;
import org.namdb.fabric.tcp.TcpMemoryFabric;
import org.namdb.fabric.tcp.TcpServerOptions;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.tpcc.TpccOptions;
import org.namdb.workload.RunOptions.ReadMode;
import org.namdb.workload.driver.RunDatabase;
import org.namdb.workload.statistics.RunEnd;

/// TPC-C with ordered indexes of other distributions than the default: the twelve conditions hold.
/// `-Dnamdb.transactions=N`: runs of N transactions in place of 300.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IndexDistributionRunTest {
    private static final int TRANSACTIONS = Integer.getInteger("namdb.transactions", 300);

    private static final List<String> OTHERS =
            List.of(
                    IndexDefinition.COARSE,
                    IndexDefinition.COARSE + " " + IndexDefinition.BY_RANGE,
                    IndexDefinition.HYBRID,
                    IndexDefinition.HYBRID + " " + IndexDefinition.BY_RANGE);

    private static Stream<Arguments> all() {
        return OTHERS.stream()
                .flatMap(distribution ->
                        Arrays.stream(ReadMode.values())
                                .map(reads -> Arguments.of(distribution, reads)));
    }

    @ParameterizedTest
    @MethodSource("all")
    void inOneProcess(String distribution, ReadMode reads) {
        TpccOptions options = options("--memory-servers 4 --threads 4 --reads " + reads);
        NamDb db = NamDb.embedded(RunDatabase.embedded(options, RecoveryProgress.UNSEEN));
        try (RunFixture fixture = new RunFixture(options, db, distribution)) {
            requireRun(fixture);
        }
    }

    @ParameterizedTest
    @FieldSource("OTHERS")
    void overTcp(String distribution) {
        requireRun(distribution, TcpServerOptions.LOOPBACK, TcpClientOptions.DEFAULT);
    }

    /// Verbs go to mapped memory, and requests to the server.
    @ParameterizedTest
    @FieldSource("OTHERS")
    void inMappedMemory(String distribution, @TempDir Path directory) {
        requireRun(
                distribution,
                TcpServerOptions.LOOPBACK.withDirectory(directory),
                TcpClientOptions.DEFAULT.withMappedRegions(true));
    }

    private static void requireRun(
            String distribution, TcpServerOptions server, TcpClientOptions client) {
        TcpMemoryFabric memory = new TcpMemoryFabric(server.withWorkers(2));
        Fabric fabric =
                Fabric.of(memory, TcpComputeFabric.connect(List.of(memory.address()), client));
        try (SharedDatabase shared = new SharedDatabase(fabric);
                RunFixture fixture =
                        new RunFixture(options("--threads 2"), shared.attach(), distribution)) {
            requireRun(fixture);
        }
    }

    private static TpccOptions options(String more) {
        return RunFixture.options("--transactions " + TRANSACTIONS + " " + more);
    }

    private static void requireRun(RunFixture fixture) {
        assertThat(fixture.run().end()).isEqualTo(RunEnd.TRANSACTIONS);
        fixture.assertConsistent();
    }
}
