package org.namdb.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricConformance;
import org.namdb.fabric.QueuePair;

/// Regions that the memory servers' side and the compute server's have mapped each for itself.
class MappedConformanceTest extends FabricConformance {
    private static final Path MEMORY_FILES = Path.of("/dev/shm");

    private Path directory;
    private TcpComputeFabric compute;

    @Override
    protected Fabric open(int landingBytes) throws IOException {
        directory =
                Files.isWritable(MEMORY_FILES)
                        ? Files.createTempDirectory(MEMORY_FILES, "nam-fabric")
                        : Files.createTempDirectory("nam-fabric");
        TcpMemoryFabric memory =
                new TcpMemoryFabric(TcpServerOptions.LOOPBACK.withDirectory(directory));
        compute =
                TcpComputeFabric.connect(
                        List.of(memory.address()),
                        TcpClientOptions.DEFAULT
                                .withLandingBytes(landingBytes)
                                .withMappedRegions(true));
        return Fabric.of(memory, compute);
    }

    @Override
    protected void closed() throws IOException {
        Files.delete(directory);
    }

    @Test
    void regionsAreMapped() {
        for (int server = 0; server < SERVERS; server++) {
            assertThat(compute.isMapped(server)).isTrue();
            assertThat(queuePair().readsInPlace(server)).isTrue();
        }
    }

    @Test
    void verbsPassTheAgentByAndAreCounted() {
        TcpStatistics before = compute.statistics(0);
        QueuePair other = connect();
        writeWord(other, address(0, 8), 5);
        assertThat(readWord(other, address(0, 8))).isEqualTo(5);
        other.close();
        TcpStatistics after = compute.statistics(0);
        assertThat(after.verbs()).isEqualTo(before.verbs());
        assertThat(after.mappedVerbs()).isEqualTo(before.mappedVerbs() + 2);
    }
}
