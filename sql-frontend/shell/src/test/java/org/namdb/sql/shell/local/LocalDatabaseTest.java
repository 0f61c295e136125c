package org.namdb.sql.shell.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.shell.ShellConnection;

/// What the shell gets of a database in its own process.
class LocalDatabaseTest {
    private static LocalDatabase open() {
        return LocalDatabase.of(
                NamDb.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(256L << 20)));
    }

    private static String tag(ShellConnection session, String sql) {
        try (Result result = session.execute(sql)) {
            return result.tag();
        }
    }

    @Test
    void copyReadsAndWritesTheUsersFiles(@TempDir Path directory) throws IOException {
        Path rows = directory.resolve("rows.csv");
        Files.writeString(rows, "\ufeff1,a\n2,b\n"); // with a byte order mark
        Path copy = directory.resolve("copy.txt");
        try (LocalDatabase database = open();
                ShellConnection session = database.connect()) {
            tag(session, "CREATE TABLE t (id INT PRIMARY KEY, name TEXT)");
            assertThat(tag(session, "COPY t FROM '" + rows + "' CSV")).isEqualTo("COPY 2");
            assertThat(tag(session, "COPY t (id) TO '" + copy + "'")).isEqualTo("COPY 2");
            assertThat(Files.readAllLines(copy)).containsExactlyInAnyOrder("1", "2");
            assertIsMissing(session, "COPY t FROM '" + directory.resolve("none") + "'");
            assertIsMissing(session, "COPY t TO '" + directory.resolve("none/x") + "'");
        }
    }

    private static void assertIsMissing(ShellConnection session, String sql) {
        assertThatThrownBy(() -> tag(session, sql))
                .isInstanceOfSatisfying(
                        SqlException.class,
                        e -> assertThat(e.state()).isEqualTo(SqlState.UNDEFINED_FILE));
    }

    @Test
    void theVocabularyIsTheEngines() {
        try (LocalDatabase database = open()) {
            assertThat(database.vocabulary().functions()).contains("lower", "string_agg", "count");
            assertThat(database.vocabulary().settings()).contains("work_mem", "lock_timeout");
            assertThat(database.vocabulary().tableOptions()).contains("versions", "bucket_size");
        }
    }
}
