package org.namdb.sql.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadPartTest {
    @Test
    void itIsThePercentageOfTheFilesBytes(@TempDir Path directory) throws IOException {
        Path file = Files.write(directory.resolve("file"), new byte[1000]);
        ReadPart part = new ReadPart();
        assertThat(part.text()).isEmpty();
        try (InputStream bytes = part.open(file)) {
            assertThat(part.text()).isEqualTo("0 %");
            assertThat(bytes.readNBytes(499)).hasSize(499);
            assertThat(part.text()).isEqualTo("49 %");
            assertThat(bytes.read()).isZero();
            assertThat(part.text()).isEqualTo("50 %");
            assertThat(bytes.readAllBytes()).hasSize(500);
            assertThat(part.text()).isEmpty();
        }
    }
}
