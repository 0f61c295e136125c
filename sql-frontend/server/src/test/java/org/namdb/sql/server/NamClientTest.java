package org.namdb.sql.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.sql.client.NamClient;
import org.namdb.sql.engine.procedure.Procedure;
import org.namdb.sql.engine.procedure.ProcedureContext;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Result;

/// The client of stored procedures.
class NamClientTest {
    private ServerFixture db;

    /// Adds to a counter.
    public static final class Add implements Procedure<Add.Step, Add.State> {
        public record Step(int id, long by) {}

        public record State(int id, long total) {}

        @Override
        public State run(ProcedureContext context, Step step) {
            try (Result row =
                    context.execute(
                            "UPDATE counter SET total = total + ? WHERE id = ? RETURNING total",
                            step.by,
                            step.id)) {
                if (!row.next()) {
                    throw new IllegalArgumentException("there is no counter " + step.id);
                }
                return new State(step.id, row.int64(0));
            }
        }
    }

    /// All types there and back.
    public static final class Echo implements Procedure<Echo.All, Echo.All> {
        public record All(
                boolean flag,
                @Nullable Short small,
                int number,
                Long big,
                float real,
                double precise,
                BigDecimal exact,
                @Nullable String text,
                LocalDate day,
                LocalTime time,
                LocalDateTime at,
                Instant moment,
                OffsetDateTime offset,
                UUID id) {}

        @Override
        public All run(ProcedureContext context, All all) {
            return all;
        }
    }

    @BeforeEach
    void open() throws Exception {
        db = new ServerFixture(options -> options.withProcedures(true));
        db.run(
                "CREATE TABLE counter (id INT PRIMARY KEY, total BIGINT)",
                "INSERT INTO counter VALUES (1, 0), (2, 0)");
    }

    @AfterEach
    void close() {
        db.close();
    }

    private NamClient client() {
        return NamClient.connect("postgresql://ada@127.0.0.1:" + db.port() + "/namdb");
    }

    /// A jar that names procedures; their classes are this test's.
    private static byte[] jar(Class<?>... procedures) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            zip.putNextEntry(new ZipEntry("META-INF/services/" + Procedure.class.getName()));
            for (Class<?> each : procedures) {
                zip.write((each.getName() + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
        return bytes.toByteArray();
    }

    @Test
    void aJarIsSubmittedAndCalled(@TempDir Path directory) throws IOException {
        Path file = Files.write(directory.resolve("counters.jar"), jar(Add.class, Echo.class));
        try (NamClient client = client()) {
            client.submit(file);
            assertThat(client.call("add", new Add.Step(1, 5), Add.State.class))
                    .isEqualTo(new Add.State(1, 5));
            assertThat(client.call("add", new Add.Step(1, 5))).isEqualTo(1L); // the first column
            Echo.All all =
                    new Echo.All(
                            true,
                            null,
                            -7,
                            1L << 60,
                            1.5f,
                            0.1,
                            new BigDecimal("12.340"),
                            "'é'\n\\",
                            LocalDate.of(2026, 2, 28),
                            LocalTime.of(12, 30, 1, 5000),
                            LocalDateTime.of(1969, 12, 31, 23, 59, 59),
                            Instant.parse("2026-02-28T12:00:00.000001Z"),
                            OffsetDateTime.parse("1969-12-31T23:59:59Z"),
                            UUID.fromString("12345678-1234-1234-1234-123456789abc"));
            assertThat(client.callForList("echo", all, Echo.All.class)).containsExactly(all);
            assertThat(client.procedures().get(1))
                    .startsWith("add", "id integer, by bigint", "id integer, total bigint");
            client.remove("counters");
            assertThatThrownBy(() -> client.call("add", new Add.Step(1, 5)))
                    .isInstanceOfSatisfying(
                            SqlException.class,
                            e -> assertThat(e.state()).isEqualTo(SqlState.UNDEFINED_FUNCTION));
        }
    }

    @Test
    void manyCallsAreInFlight() throws Exception {
        db.database.procedures().register(new Add());
        int calls = 2000;
        try (NamClient client = client();
                NamClient other = client()) {
            List<CompletableFuture<Add.@Nullable State>> states = new ArrayList<>();
            for (int i = 0; i < calls; i++) {
                NamClient each = i % 2 == 0 ? client : other;
                states.add(
                        each.callAsync(
                                "add", new Add.Step(i % 4 == 3 ? 9 : 1, 1), Add.State.class));
            }
            int failed = 0;
            for (CompletableFuture<Add.@Nullable State> state : states) {
                try {
                    assertThat(state.get(1, TimeUnit.MINUTES)).isNotNull();
                } catch (ExecutionException e) {
                    assertThat(e.getCause()).hasMessage("there is no counter 9");
                    failed++;
                }
            }
            assertThat(failed).isEqualTo(calls / 4);
        }
        assertThat(db.rows("SELECT total FROM counter WHERE id = 1")).isEqualTo("1500");
    }

    /// What a program does with one result may wait for another.
    @Test
    void aResultMayCall() {
        db.database.procedures().register(new Add());
        try (NamClient client = client()) {
            CompletableFuture<Object> second =
                    client.callAsync("add", new Add.Step(1, 1))
                            .thenApply(done -> client.call("add", new Add.Step(2, 7)));
            assertThat(second.join()).isEqualTo(2L);
        }
    }

    @Test
    void aLostConnectionFailsWhatIsInFlight() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch mayGo = new CountDownLatch(1);
        db.database
                .procedures()
                .register(
                        "wait",
                        Void.class,
                        Void.class,
                        (context, none) -> {
                            entered.countDown();
                            mayGo.await();
                            return null;
                        });
        NamClient client = client();
        CompletableFuture<Object> first = client.callAsync("wait", null);
        CompletableFuture<Object> second = client.callAsync("wait", null);
        assertThat(entered.await(1, TimeUnit.MINUTES)).isTrue();
        assertThatThrownBy(() -> second.get(10, TimeUnit.MILLISECONDS))
                .isInstanceOf(TimeoutException.class);
        client.close();
        for (CompletableFuture<Object> each : List.of(first, second, client.callAsync("wait", 1))) {
            assertThatThrownBy(() -> each.get(1, TimeUnit.MINUTES))
                    .cause()
                    .isInstanceOfSatisfying(
                            SqlException.class,
                            e -> assertThat(e.state()).isEqualTo(SqlState.CONNECTION_FAILURE));
        }
        mayGo.countDown();
    }

    @Test
    void aRefusedClientGetsAnError() throws Exception {
        assertThatThrownBy(() -> NamClient.connect("jdbc:postgresql://localhost"))
                .hasMessageContaining("no URL of a server");
        assertThatThrownBy(() -> NamClient.connect("postgresql://127.0.0.1:1"))
                .isInstanceOfSatisfying(
                        SqlException.class, e -> assertThat(e.hint()).contains("PGPORT"))
                .hasMessageContaining("can't be connected to");
        try (ServerFixture strict =
                new ServerFixture(
                        options -> options.withPasswords(Passwords.of("ada", "secret@:/")))) {
            String place = "@127.0.0.1:" + strict.port();
            assertThatThrownBy(() -> NamClient.connect("postgresql://ada" + place))
                    .hasMessage("the server asks for a password");
            assertThatThrownBy(() -> NamClient.connect("postgresql://ada:wrong" + place))
                    .isInstanceOfSatisfying(
                            SqlException.class,
                            e -> assertThat(e.state()).isEqualTo(SqlState.INVALID_PASSWORD));
            try (NamClient client = NamClient.connect("postgresql://ada:secret%40%3A%2F" + place)) {
                assertThat(client.procedures()).hasSize(1);
                assertThatThrownBy(() -> client.submit("bank", jar(Add.class)))
                        .hasMessageContaining("permission denied");
            }
        }
    }
}
