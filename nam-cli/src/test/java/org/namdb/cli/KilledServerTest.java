package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// `nam server --data` is killed by SIGKILL: what it had answered its clients is there when it is
/// started again, and what they had left open is not.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KilledServerTest {
    private static final long MAX_SECONDS = 60;

    @TempDir private Path directory;

    @Test
    void whatClientsWereAnsweredIsThere() throws Exception {
        try (Programs programs = new Programs(directory)) {
            Process first = start(programs, "first");
            String url = url(programs, first, "first");
            try (Connection one = DriverManager.getConnection(url);
                    Connection other = DriverManager.getConnection(url);
                    Statement statement = one.createStatement()) {
                statement.execute("CREATE TABLE t (id INT PRIMARY KEY, name TEXT)");
                statement.execute("INSERT INTO t VALUES (1, 'one'), (2, 'two')");
                other.setAutoCommit(false);
                try (Statement open = other.createStatement()) {
                    open.execute("INSERT INTO t VALUES (3, 'three')");
                }
                ClusterFixture.kill(first.toHandle());
            } catch (SQLException e) {
                // Its connections can not be closed in order.
            }

            Process second = start(programs, "second");
            try (Connection connection =
                            DriverManager.getConnection(url(programs, second, "second"));
                    Statement statement = connection.createStatement();
                    ResultSet rows =
                            statement.executeQuery(
                                    "SELECT string_agg(name, ' ' ORDER BY id) FROM t")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString(1)).isEqualTo("one two");
            }
            second.destroy();
            assertThat(second.waitFor(MAX_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(programs.errorsOf("second")).contains("Recovered 2 rows in 2 tables");
        }
    }

    private Process start(Programs programs, String name) {
        return programs.start(
                List.of(),
                name,
                Nam.class,
                "server",
                "--trust",
                "--listen=127.0.0.1:0",
                "--memory=64m",
                "--data=" + directory.resolve("data"));
    }

    /// As the server prints it.
    private static String url(Programs programs, Process server, String name) throws Exception {
        BufferedReader lines = server.inputReader();
        String line = lines.readLine();
        while (line != null && !line.strip().startsWith("jdbc:")) {
            line = lines.readLine(); // the test's limit ends it
        }
        assertThat(line).as(() -> programs.errorsOf(name)).isNotNull();
        return String.valueOf(line).strip();
    }
}
