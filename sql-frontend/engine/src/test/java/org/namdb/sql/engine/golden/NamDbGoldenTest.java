package org.namdb.sql.engine.golden;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// NamDB answers as PostgreSQL 15 does; and where it has answers of its own, they stay what
/// they are.
///
/// With `-Dnamdb.golden.write=true` its own answers are written instead of compared; review them
/// before they are committed.
class NamDbGoldenTest {
    private static final Path OWN = GoldenTest.DIRECTORY.resolve("namdb_only");

    static List<String> subjects() {
        return GoldenTest.subjects();
    }

    static List<String> ownSubjects() {
        return GoldenFile.subjects(OWN);
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void namDbAnswersAsWritten(String subject) {
        GoldenFile file = GoldenFile.read(GoldenTest.DIRECTORY, subject);
        try (GoldenTarget target = NamDbTarget.fresh()) {
            assertThat(file.differences(target)).as(subject).isEmpty();
        }
    }

    /// Messages and hints bind, too.
    @ParameterizedTest
    @MethodSource("ownSubjects")
    void namDbOnlyAnswersAsWritten(String subject) throws IOException {
        GoldenFile file = GoldenFile.read(OWN, subject);
        // One subject is where tables lie.
        int memoryServers = subject.equals("placement") ? 4 : 1;
        try (GoldenTarget target = NamDbTarget.freshWithHints(memoryServers)) {
            if (Boolean.getBoolean("namdb.golden.write")) {
                Files.writeString(file.answers(), file.play(target));
            } else {
                assertThat(file.play(target)).isEqualTo(Files.readString(file.answers()));
            }
        }
    }
}
