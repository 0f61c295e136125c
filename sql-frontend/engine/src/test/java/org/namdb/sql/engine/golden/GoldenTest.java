package org.namdb.sql.engine.golden;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The golden files have PostgreSQL 15's answers. Runs only where a server is given: `.ci/postgres
/// ./mvnw ... test`.
///
/// With `-Dnamdb.golden.write=true` the answers are written instead of compared; review them before
/// they are committed.
class GoldenTest {
    private static final String WRITE = "namdb.golden.write";

    /// Also the rows of a function alone, in FROM or in a select list without FROM.
    private static final Pattern ORDERED =
            Pattern.compile(
                    "ORDER BY|^EXECUTE |^INSERT .* VALUES |^VALUES|FROM (generate_series|unnest)\\("
                            + "|^SELECT (?!.*(FROM|UNION|INTERSECT|EXCEPT) )");

    static final Path DIRECTORY = Path.of("src/test/resources/golden");

    static List<String> subjects() {
        return GoldenFile.subjects(DIRECTORY);
    }

    @ParameterizedTest
    @MethodSource("subjects")
    @EnabledIf("org.namdb.sql.engine.golden.PostgresTarget#isGiven")
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

    /// Without an order two databases may answer in different ones. INSERT takes rows in the order
    /// in which they are given, and a series has one.
    @ParameterizedTest
    @MethodSource("subjects")
    @DisabledIfSystemProperty(named = WRITE, matches = "true")
    void severalRowsAreOrdered(String subject) {
        GoldenFile file = GoldenFile.read(DIRECTORY, subject);
        List<String> answers = file.expectedAnswers();
        for (int i = 0; i < answers.size(); i++) {
            String text = file.statements().get(i).text();
            List<String> lines = answers.get(i).lines().toList();
            boolean header = lines.getLast().endsWith(" rows)");
            boolean rows = header || lines.getLast().startsWith("COPY ");
            if (rows
                    && lines.subList(header ? 1 : 0, lines.size() - 1).stream().distinct().count()
                            > 1) {
                assertThat(text.startsWith("FETCH ") ? declared(file, i) : text)
                        .containsPattern(ORDERED);
            }
        }
    }

    /// The query of the cursor that a FETCH reads.
    private static String declared(GoldenFile file, int fetch) {
        String text = file.statements().get(fetch).text();
        String name = text.substring(text.lastIndexOf(' ') + 1);
        for (int i = fetch - 1; i >= 0; i--) {
            String before = file.statements().get(i).text();
            if (before.startsWith("DECLARE " + name + " ")) {
                return before.substring(before.indexOf(" FOR ") + " FOR ".length());
            }
        }
        throw new AssertionError("no cursor is declared for " + text);
    }
}
