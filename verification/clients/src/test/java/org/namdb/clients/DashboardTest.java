package org.namdb.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.server.MetricsServer;

/// The dashboard in a browser without a window: Chromium opens it, its script runs for ten seconds
/// of the page's own time, and what the page shows then is printed.
class DashboardTest {
    private static final String BROWSER = "chromium";

    private final SqlDatabase database =
            SqlDatabase.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(256L << 20).withSlots(16));

    @TempDir Path directory;

    @BeforeEach
    void createTable() {
        try (SqlSession session = database.session()) {
            session.execute("CREATE TABLE \"<i>\" (id INT PRIMARY KEY, v INT)").close();
            session.execute("INSERT INTO \"<i>\" VALUES (1, 0)").close();
        }
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void thePageShowsWhatTheServerDoes() throws Exception {
        ScriptTest.require(
                BROWSER, List.of(BROWSER, "--version"), "install the packages of .ci/clients");
        loseAConflict();
        AtomicBoolean isEnd = new AtomicBoolean();
        Thread work = Thread.ofPlatform().start(() -> work(isEnd));
        String page;
        try (MetricsServer metrics = start(0)) {
            page = show(metrics.address().getPort());
        } finally {
            isEnd.set(true);
            work.join();
        }
        for (String rate : List.of("Transactions committed", "Statements", "Verbs")) {
            assertThat(chart(page, rate).group(1)).matches("[1-9][0-9.]* [kM]?/s");
        }
        assertThat(chart(page, "Time of a statement, median").group(1))
                .matches("[1-9][0-9.]* (µs|ms)");
        assertThat(chart(page, "Slots of the timestamp vector in use").group(1))
                .matches("[1-9][0-9]*");
        assertThat(chart(page, "Memory used").group(2)).contains("L"); // two points and more
        assertThat(page)
                .contains("<td>committed</td>")
                .contains("<td>write conflict</td><td>1</td>")
                .contains("<td>&lt;i&gt;</td><td>1</td>") // a table's name is no markup
                .containsPattern("<td>server 0</td><td>[^<]*</td><td>of 256 MiB</td>")
                .containsPattern("0 clients connected, [1-9][0-9]* slots, 120 seconds shown")
                .doesNotContain("class=\"lost\"");
    }

    @Test
    void aServerThatIsGoneIsShown() throws Exception {
        ScriptTest.require(
                BROWSER, List.of(BROWSER, "--version"), "install the packages of .ci/clients");
        Path copy = directory.resolve("dashboard.html");
        try (var page = MetricsServer.class.getResourceAsStream("dashboard.html")) {
            Files.copy(page, copy);
        }
        assertThat(show(copy.toUri().toString()))
                .containsPattern("id=\"status\" class=\"lost\">the server does not answer: ");
    }

    private MetricsServer start(int port) throws IOException {
        return MetricsServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port), database, null);
    }

    private void loseAConflict() {
        try (SqlSession loser = database.session();
                SqlSession winner = database.session()) {
            loser.execute("BEGIN").close();
            assertThat(loser.execute("SELECT v FROM \"<i>\"").next()).isTrue();
            winner.execute("UPDATE \"<i>\" SET v = 1").close();
            try {
                loser.execute("UPDATE \"<i>\" SET v = v + 1").close();
            } catch (SqlException e) {
                assertThat(e.state().code()).isEqualTo("40001");
            }
            loser.execute("ROLLBACK").close();
        }
    }

    /// Reads only: maintenance locks records that have old versions, and a writer would lose
    /// conflicts to it.
    private void work(AtomicBoolean isEnd) {
        try (SqlSession session = database.session()) {
            while (!isEnd.get()) {
                session.execute("SELECT v FROM \"<i>\" WHERE id = 1").close();
            }
        }
    }

    private static Matcher chart(String page, String name) {
        String figure =
                "<span>"
                        + Pattern.quote(name)
                        + "</span><b>([^<]*)</b></figcaption><svg[^>]*><path d=\"M([^\"]*)\"";
        Matcher chart = Pattern.compile(figure).matcher(page);
        assertThat(chart.find()).as("%s in %s", name, page).isTrue();
        return chart;
    }

    private String show(int port) throws Exception {
        return show("http://127.0.0.1:" + port + "/");
    }

    /// What is in a page when its script has run, and nothing that the browser complains of.
    private String show(String url) throws Exception {
        Path log = directory.resolve("log");
        Process browser =
                new ProcessBuilder(
                                BROWSER,
                                "--headless",
                                "--no-sandbox", // which root can't have
                                "--disable-gpu",
                                "--enable-logging=stderr",
                                "--user-data-dir=" + directory.resolve("profile"),
                                "--virtual-time-budget=10000",
                                "--dump-dom",
                                url)
                        .redirectError(log.toFile())
                        .start();
        try {
            String page =
                    new String(browser.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(browser.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(Files.readString(log)).doesNotContain("Uncaught");
            return page;
        } finally {
            browser.destroyForcibly();
        }
    }
}
