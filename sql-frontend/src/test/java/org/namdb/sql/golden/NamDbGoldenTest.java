package org.namdb.sql.golden;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// NamDB answers as PostgreSQL 15 does.
class NamDbGoldenTest {
    static List<String> subjects() {
        return GoldenTest.subjects();
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void namDbAnswersAsWritten(String subject) {
        GoldenFile file = GoldenFile.read(GoldenTest.DIRECTORY, subject);
        try (GoldenTarget target = NamDbTarget.fresh()) {
            assertThat(file.differences(target)).as(subject).isEmpty();
        }
    }
}
