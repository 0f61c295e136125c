package org.namdb.sql.engine.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How golden files are cut, played and compared.
class GoldenFileTest {
    /// Answers every statement with its own text.
    private static final class Echo implements GoldenTarget {
        @Override
        public String run(String statement, @Nullable String copyData) {
            return copyData == null ? "did " + statement : Answer.copied(copyData, 1);
        }

        @Override
        public void close() {}
    }

    private static List<String> texts(String sql) {
        return GoldenFile.split(sql).stream().map(GoldenFile.Statement::text).toList();
    }

    @Test
    void aSemicolonInQuotesOrCommentsEndsNothing() {
        assertThat(texts("SELECT ';', \"a;b\" -- ;\n, 1; SELECT /* ; /* ; */ ; */ 2;"))
                .containsExactly("SELECT ';', \"a;b\" -- ;\n, 1", "SELECT /* ; /* ; */ ; */ 2");
    }

    @Test
    void quotesAreDoubledOrEscaped() {
        assertThat(texts("SELECT 'it''s;'; SELECT E'it\\'s;'; SELECT 'a\\'; SELECT name'x';"))
                .containsExactly(
                        "SELECT 'it''s;'", "SELECT E'it\\'s;'", "SELECT 'a\\'", "SELECT name'x'");
    }

    @Test
    void commentsBetweenStatementsAreLeftOut() {
        assertThat(texts("-- one;\n\n/* two; */ SELECT 1;; -- end")).containsExactly("SELECT 1");
    }

    @Test
    void copyTakesTheLinesUpToTheDot() {
        List<GoldenFile.Statement> statements =
                GoldenFile.split(
                        "COPY t FROM STDIN;\n1\tx;y\n\n\\.\nCOPY t (a) FROM STDIN WITH (FORMAT csv);\n\\.\n"
                                + "COPY t TO STDOUT;");
        assertThat(statements)
                .extracting(GoldenFile.Statement::copyData)
                .containsExactly("1\tx;y\n\n", "", null);
    }

    @Test
    void whatHasNoEndIsRefused() {
        for (String text : List.of("SELECT 1", "SELECT 'a;", "COPY t FROM STDIN;\n1\n")) {
            assertThatThrownBy(() -> GoldenFile.split(text))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aFilePlayedAsWrittenHasNoDifference(@TempDir Path directory) throws IOException {
        Files.writeString(
                directory.resolve("s.sql"),
                "SELECT\n1; COPY t FROM STDIN;\n> a\n\n\\.\nSELECT 2;\nSELECT 3;");
        GoldenFile file = GoldenFile.read(directory, "s");
        Files.writeString(file.answers(), file.play(new Echo()));
        assertThat(file.expectedAnswers())
                .containsExactly("did SELECT\n1", "> a\n\nCOPY 1", "did SELECT 2", "did SELECT 3");
        assertThat(file.differences(new Echo())).isEmpty();

        Files.writeString(
                file.answers(), Files.readString(file.answers()).replace("did SELECT 3", "other"));
        assertThat(file.differences(new Echo()))
                .containsExactly(new GoldenFile.Difference("SELECT 3", "other", "did SELECT 3"));
        assertThat(GoldenFile.subjects(directory)).containsExactly("s");
    }

    @Test
    void answersThatBelongToOtherStatementsAreStale(@TempDir Path directory) throws IOException {
        Files.writeString(directory.resolve("s.sql"), "SELECT 1; SELECT 2;");
        Files.writeString(directory.resolve("s.out"), "> SELECT 1\n1\n\n> SELECT 3\n3\n\n");
        GoldenFile file = GoldenFile.read(directory, "s");
        assertThatThrownBy(file::expectedAnswers)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is stale");
    }

    @Test
    void rowsAreWrittenWithNullsAndACount() {
        assertThat(Answer.rows(List.of("a", "b"), List.of(Arrays.asList("1\n2", null))))
                .isEqualTo("a | b\n1\\n2 | <NULL>\n(1 row)");
        assertThat(Answer.rows(List.of("a"), List.of())).isEqualTo("a\n(0 rows)");
    }

    @Test
    void theMessageOfAnErrorDoesNotBind() {
        String error = Answer.error("23505", "duplicate key\n  Detail: Key (a)=(1)");
        assertThat(error).isEqualTo("ERROR 23505: duplicate key");
        assertThat(Answer.isError(error)).isTrue();
        assertThat(Answer.binding(error)).isEqualTo("ERROR 23505");
        assertThat(Answer.binding(Answer.binding(error))).isEqualTo("ERROR 23505");
        assertThat(Answer.binding("INSERT 0 1")).isEqualTo("INSERT 0 1");
    }
}
