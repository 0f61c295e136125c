package org.namdb.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.fabric.FabricException;

/// The files that regions are, at a memory server's start.
class RegionFileTest {
    private static final int BYTES = 1 << 16;

    @TempDir Path directory;

    private ShmFabric fabric() {
        return new ShmFabric(new ShmFabric.Options(true, 1 << 20, directory));
    }

    private Path file() {
        return directory.resolve("memory-server-0.region");
    }

    @Test
    void aFullFileSystemIsReportedAtTheStart() throws IOException {
        long free = Files.getFileStore(directory).getUsableSpace();
        long bytes = free + (1L << 30) & -4096L;
        try (ShmFabric fabric = fabric()) {
            assertThatThrownBy(() -> fabric.register(0, bytes))
                    .isInstanceOf(FabricException.class)
                    .hasMessageMatching(
                            "can't map .*memory-server-0.region: [0-9]+ MiB are free there, of"
                                    + " [0-9]+ MiB that are needed");
        }
        assertThat(file()).doesNotExist();
    }

    @Test
    void aFileThatIsLeftIsReplacedNotChanged() throws IOException {
        Files.write(file(), new byte[] {1, 2, 3});
        Path kept = directory.resolve("kept");
        Files.createLink(kept, file()); // as a process that still has it mapped
        try (ShmFabric fabric = fabric()) {
            fabric.register(0, BYTES);
            assertThat(Files.size(file())).isGreaterThan(BYTES);
            RegionFile file = fabric.file(0);
            assertThat(file).isNotNull();
            assertThat(file.isHere()).isTrue();
        }
        assertThat(Files.readAllBytes(kept)).containsExactly(1, 2, 3);
        assertThat(file()).doesNotExist();
    }

    @Test
    void aDirectoryThatIsNotThereIsNamed() {
        Path missing = directory.resolve("missing");
        try (ShmFabric fabric = new ShmFabric(new ShmFabric.Options(true, 1 << 20, missing))) {
            assertThatThrownBy(() -> fabric.register(0, BYTES))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("there is no directory " + missing);
        }
    }
}
