package org.namdb.tpcc.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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

/// TPC-C with ordered indexes whose entries are spread by hash: the twelve conditions hold.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CoarseIndexRunTest {
    @ParameterizedTest
    @EnumSource(ReadMode.class)
    void inOneProcess(ReadMode reads) {
        TpccOptions options = options("--memory-servers 4 --threads 4 --reads " + reads);
        NamDb db = NamDb.embedded(RunDatabase.embedded(options, RecoveryProgress.UNSEEN));
        try (RunFixture fixture = new RunFixture(options, db, IndexDefinition.COARSE)) {
            requireRun(fixture);
        }
    }

    @Test
    void overTcp() {
        TcpMemoryFabric memory = new TcpMemoryFabric(TcpServerOptions.LOOPBACK.withWorkers(2));
        Fabric fabric =
                Fabric.of(
                        memory,
                        TcpComputeFabric.connect(
                                List.of(memory.address()), TcpClientOptions.DEFAULT));
        try (SharedDatabase shared = new SharedDatabase(fabric);
                RunFixture fixture =
                        new RunFixture(
                                options("--threads 2"), shared.attach(), IndexDefinition.COARSE)) {
            requireRun(fixture);
        }
    }

    private static TpccOptions options(String more) {
        return RunFixture.options("--transactions 3000 " + more);
    }

    private static void requireRun(RunFixture fixture) {
        assertThat(fixture.run().end()).isEqualTo(RunEnd.TRANSACTIONS);
        fixture.assertConsistent();
    }
}
