package org.namdb.sql.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.sql.server.ServerFixture.rows;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What a server tells by HTTP, and of its clients in `pg_stat_activity`.
class MetricsServerTest {
    private static final Pattern NAME = Pattern.compile("namdb_[a-z_]+");

    private final ServerFixture db = new ServerFixture(options -> options);
    private final HttpClient http = HttpClient.newHttpClient();
    private MetricsServer metrics;

    @BeforeEach
    void start() throws IOException {
        metrics =
                MetricsServer.start(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        db.database,
                        db.server);
    }

    @AfterEach
    void close() {
        metrics.close();
        http.close();
        db.close();
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(), path);
    }

    private HttpResponse<String> send(HttpRequest.Builder request, String path)
            throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + metrics.address().getPort() + path);
        return http.send(request.uri(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    private double metric(String name) throws IOException, InterruptedException {
        String prefix = name + " ";
        return get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(prefix))
                .mapToDouble(line -> Double.parseDouble(line.substring(prefix.length())))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no metric " + name));
    }

    @Test
    void metricsCountWhatHasHappened() throws Exception {
        db.run("CREATE TABLE t (id INT PRIMARY KEY)");
        try (Connection client = db.connect()) {
            metricsCount(client);
        }
    }

    private void metricsCount(Connection client) throws Exception {
        double statements = metric("namdb_statements_total");
        double committed = metric("namdb_transactions_total{outcome=\"committed\"}");
        double read = metric("namdb_verbs_total{verb=\"read\"}");
        double used = metric("namdb_memory_used_bytes{server=\"0\"}");
        for (int id = 0; id < 3; id++) {
            ServerFixture.run(client, "INSERT INTO t VALUES (" + id + ")");
        }
        assertThat(metric("namdb_statements_total")).isEqualTo(statements + 3);
        assertThat(metric("namdb_transactions_total{outcome=\"committed\"}"))
                .isGreaterThanOrEqualTo(committed + 3);
        assertThat(metric("namdb_verbs_total{verb=\"read\"}")).isGreaterThan(read);
        assertThat(metric("namdb_memory_used_bytes{server=\"0\"}")).isGreaterThanOrEqualTo(used);
        assertThat(metric("namdb_memory_size_bytes{server=\"0\"}")).isGreaterThan(used);
        assertThat(metric("namdb_connections")).isEqualTo(db.server.connectionCount());
    }

    @Test
    void failuresAreCounted() throws Exception {
        db.run("CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1)");
        double before = metric("namdb_statement_failures_total");
        assertThat(ServerFixture.error(() -> db.run("INSERT INTO t VALUES (1)")).getSQLState())
                .isEqualTo("23505");
        assertThat(metric("namdb_statement_failures_total")).isEqualTo(before + 1);
        assertThat(metric("namdb_transactions_total{outcome=\"rolled_back\"}")).isEqualTo(1);
    }

    @Test
    void conflictsAreCountedByTable() throws Exception {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1, 0)");
        loseAConflict();
        assertThat(metric("namdb_write_conflicts_total{table=\"t\"}")).isPositive();
    }

    private void loseAConflict() throws Exception {
        try (Connection client = db.connect()) {
            client.setAutoCommit(false);
            assertThat(rows(client, "SELECT v FROM t")).isEqualTo("0");
            db.run("UPDATE t SET v = 1");
            assertThat(
                            ServerFixture.error(() ->
                                            ServerFixture.run(client, "UPDATE t SET v = v + 1"))
                                    .getSQLState())
                    .isEqualTo("40001");
            client.rollback();
        }
    }

    @Test
    void timesAreAHistogram() throws Exception {
        try (Connection client = db.connect()) {
            timesAreAHistogram(client);
        }
    }

    private void timesAreAHistogram(Connection client) throws Exception {
        double before = metric("namdb_statement_seconds_count");
        ServerFixture.run(client, "SELECT 1");
        assertThat(metric("namdb_statement_seconds_count")).isEqualTo(before + 1);
        assertThat(metric("namdb_statement_seconds_bucket{le=\"+Inf\"}")).isEqualTo(before + 1);
        assertThat(metric("namdb_statement_seconds_sum")).isPositive();
    }

    @Test
    void anOpenTransactionHoldsASnapshotAndASlot() throws Exception {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1, 0)");
        try (Connection client = db.connect()) {
            client.setAutoCommit(false);
            assertThat(rows(client, "SELECT v FROM t")).isEqualTo("0");
            db.run("UPDATE t SET v = 1", "UPDATE t SET v = 2");
            double age = metric("namdb_oldest_transaction_seconds");
            assertThat(age).isPositive();
            assertThat(metric("namdb_oldest_transaction_seconds")).isGreaterThan(age);
            assertThat(metric("namdb_snapshots_behind")).isGreaterThanOrEqualTo(2);
            assertThat(metric("namdb_slots_used")).isBetween(1.0, metric("namdb_slots"));
            client.rollback();
        }
        assertThat(metric("namdb_oldest_transaction_seconds")).isZero();
    }

    @Test
    void healthAndReadinessAreTold() throws Exception {
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
        assertThat(get("/readyz").body()).isEqualTo("ready\n");
        HttpResponse<String> page = get("/");
        assertThat(page.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
        assertThat(page.body()).contains("<title>NamDB</title>");
        assertThat(page.body()).doesNotContain("http://", "https://");
        assertThat(get("/metrics/x").statusCode()).isEqualTo(404);
        HttpRequest.Builder post = HttpRequest.newBuilder().DELETE();
        assertThat(send(post, "/metrics").statusCode()).isEqualTo(405);
    }

    @Test
    void everyMetricOfThePageIsThere() throws Exception {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1, 0)");
        loseAConflict();
        String text = get("/metrics").body();
        get("/").body()
                .lines()
                .flatMap(line -> NAME.matcher(line).results())
                .map(MatchResult::group)
                .distinct()
                .forEach(name -> assertThat(text).contains("\n" + name));
    }

    @Test
    void aClientsAddressIsInItsActivity() throws Exception {
        try (Connection client = db.connect("?ApplicationName=till")) {
            assertThat(rows(client, "SELECT 1")).isEqualTo("1");
            String query =
                    "SELECT client_addr, client_port > 0, state, pid = "
                            + rows(client, "SELECT pg_backend_pid()")
                            + " FROM pg_stat_activity WHERE application_name = 'till'";
            assertThat(rows(client, query)).isEqualTo("127.0.0.1|t|active|t");
        }
    }
}
