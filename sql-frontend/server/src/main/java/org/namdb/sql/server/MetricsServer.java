package org.namdb.sql.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.sql.engine.SqlDatabase;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a server is doing, by HTTP:
///
/// | path | answer |
/// |---|---|
/// | `/metrics` | counters and gauges, as Prometheus reads them |
/// | `/healthz` | 200 while the process lives |
/// | `/readyz` | 200 while it can run transactions, else 503 and why |
/// | `/` | a page that shows some of it, and needs nothing else |
///
/// It asks for no password, and changes nothing.
public final class MetricsServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsServer.class);
    private static final int BACKLOG = 16;
    private static final int OK = 200;
    private static final int NOT_FOUND = 404;
    private static final int METHOD_NOT_ALLOWED = 405;
    private static final int FAILED = 500;
    private static final int UNAVAILABLE = 503;
    private static final String TEXT = "text/plain; charset=utf-8";

    private final HttpServer http;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final ExpositionFormats formats = ExpositionFormats.init();
    private final SqlDatabase database;
    private final Metrics metrics;
    private final byte[] page;

    private MetricsServer(
            HttpServer http, SqlDatabase database, @Nullable SqlServer clients, byte[] page) {
        this.http = http;
        this.database = database;
        this.metrics = new Metrics(database, clients);
        this.page = page;
    }

    /// Listens until it is closed.
    ///
    /// @param clients the server of the database's clients; null if it has none
    /// @throws IOException if the address can't be had
    public static MetricsServer start(
            InetSocketAddress address, SqlDatabase database, @Nullable SqlServer clients)
            throws IOException {
        byte[] page;
        try (InputStream in = MetricsServer.class.getResourceAsStream("dashboard.html")) {
            if (in == null) {
                throw new IllegalStateException("dashboard.html is not in the server's jar");
            }
            page = in.readAllBytes();
        }
        HttpServer http = HttpServer.create(address, BACKLOG);
        MetricsServer server = new MetricsServer(http, database, clients, page);
        http.createContext("/", server::answer);
        http.setExecutor(server.threads);
        http.start();
        return server;
    }

    /// Where it listens.
    public InetSocketAddress address() {
        return http.getAddress();
    }

    private void answer(HttpExchange exchange) {
        try (exchange) {
            String method = exchange.getRequestMethod();
            if (!method.equals("GET") && !method.equals("HEAD")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                send(exchange, METHOD_NOT_ALLOWED, TEXT, text("only GET and HEAD"));
                return;
            }
            switch (exchange.getRequestURI().getPath()) {
                case "/" -> send(exchange, OK, "text/html; charset=utf-8", page);
                case "/metrics" -> metrics(exchange);
                case "/healthz" -> send(exchange, OK, TEXT, text("ok"));
                case "/readyz" -> ready(exchange);
                default ->
                        send(
                                exchange,
                                NOT_FOUND,
                                TEXT,
                                text("there are /, /metrics, /healthz and /readyz"));
            }
        } catch (IOException e) {
            LOG.debug("a client of the metrics has left: {}", e.toString());
        }
    }

    private void metrics(HttpExchange exchange) throws IOException {
        ExpositionFormatWriter writer =
                formats.findWriter(exchange.getRequestHeaders().getFirst("Accept"));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            writer.write(out, metrics.snapshots());
        } catch (RuntimeException e) { // a memory server that is gone, above all
            send(exchange, FAILED, TEXT, text(String.valueOf(e.getMessage())));
            return;
        }
        send(exchange, OK, writer.getContentType(), out.toByteArray());
    }

    private void ready(HttpExchange exchange) throws IOException {
        NamDb engine = database.engine();
        String loss = engine.loss();
        if (loss == null) {
            send(exchange, OK, TEXT, text("ready"));
        } else {
            send(exchange, UNAVAILABLE, TEXT, text(loss));
        }
    }

    private static byte[] text(String line) {
        return (line + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static void send(HttpExchange exchange, int status, String type, byte[] body)
            throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(status, -1);
        } else {
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    /// Stops listening.
    @Override
    public void close() {
        http.stop(0);
        threads.close();
    }
}
