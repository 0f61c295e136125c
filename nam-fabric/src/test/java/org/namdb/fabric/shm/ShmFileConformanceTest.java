package org.namdb.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricConformance;
import org.namdb.fabric.QueuePair;

/// Regions that are files, on a memory file system where there is one.
class ShmFileConformanceTest extends FabricConformance {
    private static final Path MEMORY_FILES = Path.of("/dev/shm");

    private Path directory;

    @Override
    protected Fabric open(int landingBytes) throws IOException {
        directory =
                Files.isWritable(MEMORY_FILES)
                        ? Files.createTempDirectory(MEMORY_FILES, "nam-fabric")
                        : Files.createTempDirectory("nam-fabric");
        return new ShmFabric(new ShmFabric.Options(true, landingBytes, directory));
    }

    @Override
    protected void closed() throws IOException {
        Files.delete(directory);
    }

    @Test
    void closingGivesTheFilesBack() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).hasSize(SERVERS);
        }
        fabric().close();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aFileThatIsLeftFromAnEarlierRunIsReplaced() throws IOException {
        Path left = directory.resolve("memory-server-5.region");
        Files.write(left, new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
        QueuePair queuePair = connect(fabric().register(5, 4096));
        assertThat(readWord(queuePair, address(5, 0))).isZero();
    }
}
