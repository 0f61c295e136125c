package org.namdb.sql.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Clients that vanish, stall, or send what is no message: they hold nothing, and disturb no other
/// client.
class RubbishTest {
    private ServerFixture db;

    @BeforeEach
    void open() throws SQLException {
        db =
                new ServerFixture(options ->
                        options.withMaxSessions(1)
                                .withTimeouts(
                                        Duration.ofSeconds(20),
                                        Duration.ofSeconds(1),
                                        Duration.ZERO,
                                        Duration.ofSeconds(60)));
        db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1, 1)");
    }

    /// The only session is free, and the table as it was.
    @AfterEach
    void othersAreNotDisturbed() throws Exception {
        ServerFixture.await("no session is used", () -> db.server.usedSessions() == 0);
        assertThat(db.rows("SELECT * FROM t")).isEqualTo("1|1");
        ServerFixture.await("no client is connected", () -> db.server.connectionCount() == 0);
        db.close();
    }

    @Test
    void aClientThatSendsNothingIsLeftAlone() throws IOException {
        try (RawClient client = new RawClient(db)) {
            assertThat(client.until('Z')).isEqualTo("$");
        }
    }

    @Test
    void theRightFramesAreAnswered() throws IOException {
        try (RawClient client = RawClient.ready(db)) {
            client.query("SELECT * FROM t");
            assertThat(client.until('Z')).isEqualTo("TDCZI");
            client.query("BEGIN; SELECT 1/0");
            assertThat(client.until('Z')).isEqualTo("CTE(22012)ZE");
            client.query("");
            assertThat(client.until('Z')).isEqualTo("IZE");
        }
    }

    /// As in PostgreSQL, a limit below zero is none.
    @Test
    void aNegativeRowLimitIsNone() throws IOException {
        try (RawClient client = RawClient.ready(db)) {
            client.raw(RawClient.message('P', "", "SELECT generate_series(1, 3)", "\0"));
            client.raw(RawClient.message('B', new byte[8]));
            client.raw(RawClient.message('E', new byte[] {0, -1, -1, -1, -1}));
            client.raw(RawClient.message('S', new byte[0]));
            assertThat(client.until('Z')).isEqualTo("12DDDCZI");
        }
    }

    @Test
    void aStatementWithoutRowsIsExecutedOnceByItsPortal() throws IOException {
        try (RawClient client = RawClient.ready(db)) {
            client.raw(RawClient.message('P', "", "DELETE FROM t WHERE false", "\0"));
            client.raw(RawClient.message('B', new byte[8]));
            client.raw(RawClient.message('E', new byte[5]));
            client.raw(RawClient.message('E', new byte[5]));
            client.raw(RawClient.message('S', new byte[0]));
            assertThat(client.until('Z')).isEqualTo("12CE(55000)ZI");
        }
    }

    /// As in PostgreSQL: what has arrived whole is refused, and the connection goes on.
    @Test
    void aMalformedMessageIsRefused() throws IOException {
        try (RawClient client = RawClient.ready(db)) {
            client.raw(RawClient.message('Q', "SELECT 1", "; SELECT 2"));
            assertThat(client.until('Z')).isEqualTo("E(08P01)ZI");
            client.raw(RawClient.message('Q', "SELECT 1".getBytes(StandardCharsets.UTF_8)));
            assertThat(client.until('Z')).isEqualTo("E(08P01)ZI");
            assertThat(refusal(client, RawClient.message('P', "", "SELECT 1", "X\0\0")))
                    .isEqualTo("E(08P01)ZI");
            assertThat(refusal(client, RawClient.message('D', "Xname"))).isEqualTo("E(08P01)ZI");
            assertThat(refusal(client, RawClient.message('C', "Xname"))).isEqualTo("E(08P01)ZI");
            assertThat(refusal(client, RawClient.message('E', new byte[4])))
                    .isEqualTo("E(08P01)ZI");
            assertThat(refusal(client, RawClient.message('E', new byte[6])))
                    .isEqualTo("E(08P01)ZI");
            client.raw(RawClient.message('S', "x"));
            assertThat(client.until('Z')).isEqualTo("E(08P01)ZI");
            client.query("SELECT 1");
            assertThat(client.until('Z')).isEqualTo("TDCZI");
        }
    }

    @Test
    void anUnknownFormatIsRefused() throws IOException {
        try (RawClient client = RawClient.ready(db)) {
            client.raw(RawClient.message('P', "", "SELECT $1::int", "\0"));
            byte[] two = {0, 0, 0, 1, 0, 2, 0, 1, 0, 0, 0, 1, '1', 0, 0};
            assertThat(refusal(client, RawClient.message('B', two))).isEqualTo("1E(22023)ZI");
            byte[] toMany = {0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, '1', 0, 0};
            assertThat(refusal(client, RawClient.message('B', toMany))).isEqualTo("E(08P01)ZI");
            byte[] result = {0, 0, 0, 0, 0, 1, 0, 0, 0, 1, '1', 0, 1, 0, 2};
            client.raw(RawClient.message('B', result));
            assertThat(refusal(client, RawClient.message('E', new byte[5])))
                    .isEqualTo("2E(22023)ZI");
            client.raw(RawClient.message('P', "", "BEGIN", "\0"));
            client.raw(RawClient.message('B', new byte[] {0, 0, 0, 0, 0, 0, 0, 1, 0, 5}));
            assertThat(refusal(client, RawClient.message('E', new byte[5]))).isEqualTo("12CZT");
        }
    }

    @Test
    void aParameterNeedsAType() throws IOException {
        try (RawClient client = RawClient.ready(db)) {
            byte[] unknown = RawClient.message('P', "", "SELECT $1", "\0\1\0\1\0");
            assertThat(refusal(client, unknown)).isEqualTo("E(42704)ZI"); // 65536
            byte[] unused = RawClient.message('P', "", "SELECT 1", "\0\1\0\0\0");
            assertThat(refusal(client, unused)).isEqualTo("E(42P18)ZI");
        }
    }

    private static String refusal(RawClient client, byte[] message) throws IOException {
        client.raw(message);
        client.raw(RawClient.message('S', new byte[0]));
        return client.until('Z');
    }

    @Test
    void hugeAndImpossibleLengthsEndTheConnection() throws IOException {
        for (int length : new int[] {0, 3, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 65 << 20}) {
            try (RawClient client = RawClient.ready(db)) {
                client.raw(
                        (byte) 'Q',
                        (byte) (length >> 24),
                        (byte) (length >> 16),
                        (byte) (length >> 8),
                        (byte) length);
                assertThat(client.until('Z')).as("length " + length).isEqualTo("E(08P01)$");
            }
            try (RawClient client = new RawClient(db)) {
                client.raw(
                        (byte) (length >> 24),
                        (byte) (length >> 16),
                        (byte) (length >> 8),
                        (byte) length);
                assertThat(client.until('Z')).as("startup " + length).isEqualTo("E(08P01)$");
            }
        }
    }

    @Test
    void halfAMessageEndsTheConnection() throws IOException {
        byte[] query = RawClient.message('Q', "DELETE FROM t");
        for (int length = 1; length < query.length; length += 3) {
            try (RawClient client = RawClient.ready(db)) {
                client.raw(Arrays.copyOf(query, length));
                client.socket.shutdownOutput();
                assertThat(client.until('Z')).isEqualTo("E(08P01)$");
            }
        }
    }

    @Test
    void aMessageThatIsNeverCompletedEndsTheConnection() throws IOException {
        try (RawClient client = RawClient.ready(db)) {
            client.raw(Arrays.copyOf(RawClient.message('Q', "DELETE FROM t"), 9));
            assertThat(client.until('Z')).isEqualTo("E(08P01)$");
        }
    }

    /// A byte at times: each arrives in time, and the message does not.
    @Test
    void aMessageThatTricklesInEndsTheConnection() throws Exception {
        try (RawClient client = RawClient.ready(db)) {
            byte[] query = RawClient.message('Q', "DELETE FROM t WHERE v = 5".repeat(100));
            Thread trickle =
                    Thread.ofVirtual()
                            .start(() -> {
                                try {
                                    for (byte each : query) {
                                        client.raw(each);
                                        Thread.sleep(100);
                                    }
                                } catch (IOException | InterruptedException e) {
                                    // the server has had enough
                                }
                            });
            assertThat(client.until('Z')).startsWith("E(08P01)");
            trickle.interrupt();
            trickle.join();
        }
    }

    @Test
    void whatComesBehindTheEndOfACopyBelongsToIt() throws IOException {
        try (RawClient client = RawClient.ready(db)) {
            client.query("BEGIN; COPY t FROM STDIN; COPY t FROM STDIN; SELECT 1 FROM t; ROLLBACK");
            client.until('G');
            client.raw(
                    RawClient.message('d', "5\t5\n\\.\n6\t6\n".getBytes(StandardCharsets.UTF_8)));
            client.raw(RawClient.message('d', "7\t7\n".getBytes(StandardCharsets.UTF_8)));
            client.raw(RawClient.message('c', new byte[0]));
            assertThat(client.until('G')).isEqualTo("CG");
            client.raw(RawClient.message('d', "8\t8\n9\t9\n".getBytes(StandardCharsets.UTF_8)));
            client.raw(RawClient.message('c', new byte[0]));
            assertThat(client.until('Z')).isEqualTo("CTDDDDCCZI"); // 1, 5, 8, 9
        }
    }

    @Test
    void statementsAndPortalsMayHoldALimitedAmountTogether() throws IOException {
        String text = "SELECT " + "  ".repeat(4 << 20) + "$1::text"; // 8 MiB
        try (RawClient client = RawClient.ready(db)) {
            client.raw(RawClient.message('Q', "BEGIN"));
            client.until('Z');
            int held = 0;
            String answer = "";
            while (answer.isEmpty() && held < 20) {
                client.raw(RawClient.message('P', "s" + held, text, "\0"));
                client.raw(RawClient.message('B', "p" + held, "s" + held, "\0\0\0\1\0\0\0\1x\0"));
                client.raw(RawClient.message('S', new byte[0]));
                String types = client.until('Z');
                answer = types.contains("E") ? types : "";
                held++;
            }
            assertThat(answer).endsWith("E(53200)ZE");
            client.query("ROLLBACK"); // portals end
            client.until('Z');
            client.query("DEALLOCATE ALL");
            client.until('Z');
            client.raw(RawClient.message('P', "again", text, "\0"));
            client.raw(RawClient.message('S', new byte[0]));
            assertThat(client.until('Z')).isEqualTo("1ZI");
        }
    }

    @Test
    void aCancelOfASuspendedPortalComesTooLate() throws IOException {
        try (RawClient client = RawClient.ready(db)) {
            client.query("BEGIN");
            client.until('Z');
            client.raw(
                    RawClient.message(
                            'P', "", "SELECT i FROM generate_series(1, 90000) s (i)", "\0"));
            client.raw(RawClient.message('B', "p", "", "\0\0\0\0\0"));
            client.raw(
                    RawClient.message(
                            'E', (byte) 'p', (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 2));
            client.raw(RawClient.message('S', new byte[0]));
            assertThat(client.until('Z')).isEqualTo("12DDsZT");
            cancel(client.number, client.key);
            client.raw(RawClient.message('E', "p", "\0\0\0"));
            client.raw(RawClient.message('S', new byte[0]));
            assertThat(client.until('Z')).endsWith("DDCZT");
        }
    }

    @Test
    void anUnknownProtocolIsRefused() throws IOException {
        try (RawClient client = new RawClient(db)) {
            client.raw(
                    (byte) 0, (byte) 0, (byte) 0, (byte) 8, (byte) 0, (byte) 2, (byte) 0, (byte) 0);
            assertThat(client.until('Z')).isEqualTo("E(0A000)$");
        }
    }

    @Test
    void anUnknownMessageEndsTheConnection() throws IOException {
        try (RawClient client = RawClient.ready(db)) {
            client.raw(RawClient.message('!', "x"));
            assertThat(client.until('Z')).isEqualTo("E(08P01)$");
        }
    }

    @Test
    void aBlockWhoseClientVanishesIsRolledBack() throws IOException {
        try (RawClient client = RawClient.ready(db)) {
            client.query("BEGIN; UPDATE t SET v = 2; INSERT INTO t VALUES (2, 2)");
            assertThat(client.until('Z')).isEqualTo("CCCZT");
            assertThat(db.server.usedSessions()).isOne();
        }
    }

    @Test
    void aCopyWhoseClientVanishesIsRolledBack() throws IOException {
        for (boolean isInBlock : new boolean[] {false, true}) {
            try (RawClient client = RawClient.ready(db)) {
                client.query((isInBlock ? "BEGIN;" : "") + "COPY t FROM STDIN");
                assertThat(client.until('G')).endsWith("G");
                for (int i = 100; i < 1000; i++) {
                    client.raw(
                            RawClient.message('d', (i + "\t1\n").getBytes(StandardCharsets.UTF_8)));
                }
            }
        }
    }

    @Test
    void aCopyThatTheClientGivesUpIsRolledBack() throws IOException {
        try (RawClient client = RawClient.ready(db)) {
            client.query("COPY t FROM STDIN");
            client.until('G');
            client.raw(RawClient.message('d', "5\t5\n".getBytes(StandardCharsets.UTF_8)));
            client.raw(RawClient.message('f', "no more"));
            assertThat(client.until('Z')).isEqualTo("E(57014)ZI");
        }
    }

    @Test
    void dataThatComesAfterACopyHasFailedIsSkipped() throws IOException {
        try (RawClient client = RawClient.ready(db)) {
            client.query("COPY t FROM STDIN");
            client.until('G');
            for (int i = 0; i < 1000; i++) {
                client.raw(
                        RawClient.message('d', "no number\t5\n".getBytes(StandardCharsets.UTF_8)));
            }
            client.raw(RawClient.message('c', new byte[0]));
            assertThat(client.until('Z')).isEqualTo("E(22P02)ZI");
            client.query("SELECT 1");
            assertThat(client.until('Z')).isEqualTo("TDCZI");
        }
    }

    @Test
    void aQueryInACopyEndsTheConnection() throws IOException {
        try (RawClient client = RawClient.ready(db)) {
            client.query("COPY t FROM STDIN");
            client.until('G');
            client.query("SELECT 1");
            assertThat(client.until('Z')).isEqualTo("E(08P01)$");
        }
    }

    @Test
    void aClientThatReadsNothingIsDisconnected() throws Exception {
        try (RawClient client = RawClient.ready(db)) {
            client.query("SELECT i, repeat('x', 1000) FROM generate_series(1, 1000000) AS s (i)");
            ServerFixture.await("it has begun", () -> db.server.usedSessions() == 1);
            ServerFixture.await("it has ended", () -> db.server.usedSessions() == 0);
        }
    }

    @Test
    void afterAnErrorAllIsSkippedUpToSync() throws IOException {
        try (RawClient client = RawClient.ready(db)) {
            client.raw(RawClient.message('P', "", "SELEC", "\0"));
            client.raw(RawClient.message('B', "nonsense"));
            client.raw(RawClient.message('E', "nonsense"));
            client.raw(RawClient.message('S', new byte[0]));
            assertThat(client.until('Z')).isEqualTo("E(42601)ZI");
        }
    }

    @Test
    void whateverIsSentTheServerGoesOn() throws IOException {
        long seed = Long.getLong("namdb.seed", new Random().nextLong());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        String types = "QPBDECHSFXdcfp";
        for (int round = 0; round < 300; round++) {
            try (RawClient client = round % 4 == 0 ? new RawClient(db) : RawClient.ready(db)) {
                for (int i = 0; i < 1 + random.nextInt(20); i++) {
                    byte[] body = new byte[random.nextInt(40)];
                    random.nextBytes(body);
                    if (random.nextBoolean()) {
                        Arrays.fill(body, 0, body.length / 2, (byte) 0);
                    }
                    char type = types.charAt(random.nextInt(types.length()));
                    client.raw(random.nextInt(5) == 0 ? body : RawClient.message(type, body));
                }
                client.socket.shutdownOutput();
                client.until('$');
            } catch (SocketException e) {
                // the server has had enough before all was sent
            }
        }
        System.out.println("the random frames of seed " + seed + " have done no harm");
    }

    @Test
    void theKeyOfACancellationIsChecked() throws Exception {
        try (RawClient client = RawClient.ready(db)) {
            int wrong = client.key + 1;
            client.query("SELECT count(*) FROM generate_series(1, 100000000) AS s (i)");
            ServerFixture.await("it runs", () -> db.server.usedSessions() == 1);
            cancel(client.number, wrong);
            cancel(client.number + 1000, client.key);
            assertThat(db.server.usedSessions()).isOne();
            cancel(client.number, client.key);
            assertThat(client.until('Z')).isEqualTo("TE(57014)ZI");
        }
    }

    private void cancel(int number, int key) throws IOException {
        try (RawClient client = new RawClient(db)) {
            ByteBuffer request = ByteBuffer.allocate(16);
            request.putInt(16).putInt(80877102).putInt(number).putInt(key);
            client.raw(request.array());
            assertThat(client.until('Z')).isEqualTo("$");
        }
    }

    @Test
    void cursorsOfSqlAreDescribedAsPortals() throws IOException {
        try (RawClient client = RawClient.ready(db)) {
            client.query("BEGIN; DECLARE \"C c\" CURSOR FOR SELECT 1 AS one");
            assertThat(client.until('Z')).isEqualTo("CCZT");
            client.raw(RawClient.message('D', "PC c"));
            client.raw(RawClient.message('S', new byte[0]));
            assertThat(client.until('Z')).isEqualTo("TZT");
            client.query("FETCH ALL \"C c\"; CLOSE \"C c\"");
            assertThat(client.until('Z')).isEqualTo("TDCCZT");
            client.raw(RawClient.message('D', "PC c"));
            client.raw(RawClient.message('S', new byte[0]));
            assertThat(client.until('Z')).isEqualTo("E(34000)ZE");
        }
    }
}
