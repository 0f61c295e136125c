package org.namdb.sql.golden;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The golden files say what PostgreSQL 15 says. Runs only where a server is given: `.ci/postgres ./mvnw ... test`.
///
/// With `-Dnamdb.golden.write=true` the answers are written instead of compared; review them before they are committed.
class GoldenTest {
    private static final String WRITE = "namdb.golden.write";
    static final Path DIRECTORY = Path.of("src/test/resources/golden");

    static List<String> subjects() {
        return GoldenFile.subjects(DIRECTORY);
    }

    @ParameterizedTest
    @MethodSource("subjects")
    @EnabledIf("org.namdb.sql.golden.PostgresTarget#isGiven")
    void postgresAnswersAsWritten(String subject) throws IOException {
        GoldenFile file = GoldenFile.read(DIRECTORY, subject);
        try (GoldenTarget target = PostgresTarget.fresh()) {
            if (Boolean.getBoolean(WRITE)) {
                Files.writeString(file.answers(), file.play(target));
            } else {
                assertThat(file.differences(target)).as(subject).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("subjects")
    @DisabledIfSystemProperty(named = WRITE, matches = "true")
    void everyStatementHasAnAnswer(String subject) {
        GoldenFile file = GoldenFile.read(DIRECTORY, subject);
        assertThat(file.expectedAnswers())
                .hasSameSizeAs(file.statements())
                .allSatisfy(answer -> assertThat(answer).isNotEmpty());
    }
}
