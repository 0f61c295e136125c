package org.namdb.sql.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.sql.server.ServerFixture.error;
import static org.namdb.sql.server.ServerFixture.rows;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;
import org.postgresql.util.ServerErrorMessage;

/// PostgreSQL's JDBC driver, unmodified.
class JdbcTest {
    private static ServerFixture db;

    @BeforeAll
    static void open() throws SQLException {
        db = new ServerFixture();
        db.run(
                "CREATE TABLE account (id INT PRIMARY KEY, owner VARCHAR(20) NOT NULL,"
                        + " balance BIGINT, CHECK (balance >= 0))",
                "CREATE TABLE typed (id INT PRIMARY KEY, b BOOLEAN, s SMALLINT, l BIGINT,"
                        + " n NUMERIC(18, 4), r REAL, d DOUBLE PRECISION, c CHAR(4), v VARCHAR(20),"
                        + " t TEXT, day DATE, clock TIME, moment TIMESTAMP, x BYTEA, u UUID)");
    }

    @AfterAll
    static void close() {
        db.close();
    }

    @BeforeEach
    void empty() throws SQLException {
        db.run("DELETE FROM account", "DELETE FROM typed");
        db.run(
                "INSERT INTO account VALUES (1, 'Ada', 100), (2, 'Grace', 200), (3, 'Gräfin', NULL)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"?prepareThreshold=0", "?prepareThreshold=-1", "?binaryTransfer=false"})
    void arraysGoThereAndBack(String options) throws SQLException {
        try (Connection connection = db.connect(options);
                PreparedStatement byIds =
                        connection.prepareStatement(
                                "SELECT array_agg(owner ORDER BY id), array_agg(balance ORDER BY id)"
                                        + " FROM account WHERE id = ANY (?) AND owner <> ALL (?)");
                PreparedStatement same =
                        connection.prepareStatement(
                                "SELECT ?::text[], ?::float8[], ?::int8[], ?::bool[], ?::int2[],"
                                        + " ?::date[], ?::numeric[], ARRAY[1], '{}'::text[]")) {
            for (int i = 0; i < 3; i++) {
                byIds.setArray(1, connection.createArrayOf("int4", new Object[] {1, 3, 77}));
                byIds.setArray(2, connection.createArrayOf("text", new Object[] {"x", "y"}));
                try (ResultSet rows = byIds.executeQuery()) {
                    assertThat(rows.next()).isTrue();
                    assertThat((Object[]) rows.getArray(1).getArray())
                            .containsExactly("Ada", "Gräfin");
                    assertThat((Object[]) rows.getArray(2).getArray()).containsExactly(100L, null);
                    assertThat(rows.getArray(2).getBaseTypeName()).isEqualTo("int8");
                }
            }
            Object[][] values = {
                {"a", null, "b \"c\\,{}", ""},
                {1.5, null, Double.NaN},
                {1L, Long.MIN_VALUE},
                {true, false, null},
                {(short) 7},
                {java.sql.Date.valueOf("2026-01-31")},
                {new BigDecimal("1.50"), new BigDecimal("-7")}
            };
            String[] types = {"text", "float8", "int8", "bool", "int2", "date", "numeric"};
            for (int i = 0; i < values.length; i++) {
                same.setArray(i + 1, connection.createArrayOf(types[i], values[i]));
            }
            try (ResultSet rows = same.executeQuery()) {
                assertThat(rows.next()).isTrue();
                for (int i = 0; i < values.length; i++) {
                    assertThat((Object[]) rows.getArray(i + 1).getArray())
                            .as(types[i])
                            .containsExactly(values[i]);
                }
                assertThat((Object[]) rows.getArray(8).getArray()).containsExactly(1);
                assertThat((Object[]) rows.getArray(9).getArray()).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"?prepareThreshold=0", "?prepareThreshold=-1", "?binaryTransfer=false"})
    void columnsOfArrays(String options) throws SQLException {
        db.run("CREATE TABLE tagged (id INT PRIMARY KEY, tags TEXT[], scores BIGINT[])");
        try (Connection connection = db.connect(options);
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO tagged VALUES (?, ?, ?)");
                PreparedStatement read =
                        connection.prepareStatement(
                                "SELECT tags, scores, scores[2:], tags[1] FROM tagged WHERE ? = ANY (tags)")) {
            insert.setInt(1, 1);
            insert.setArray(2, connection.createArrayOf("text", new Object[] {"a b", null, "c"}));
            insert.setArray(3, connection.createArrayOf("int8", new Object[] {7L, 8L}));
            insert.addBatch();
            insert.setInt(1, 2);
            insert.setNull(2, java.sql.Types.ARRAY);
            insert.setArray(3, connection.createArrayOf("int8", new Object[0]));
            insert.addBatch();
            assertThat(insert.executeBatch()).containsExactly(1, 1);
            read.setString(1, "c");
            try (ResultSet rows = read.executeQuery()) {
                assertThat(rows.getMetaData().getColumnTypeName(1)).isEqualTo("_text");
                assertThat(rows.next()).isTrue();
                assertThat((Object[]) rows.getArray(1).getArray())
                        .containsExactly("a b", null, "c");
                assertThat((Object[]) rows.getArray(2).getArray()).containsExactly(7L, 8L);
                assertThat((Object[]) rows.getArray(3).getArray()).containsExactly(8L);
                assertThat(rows.getString(4)).isEqualTo("a b");
                assertThat(rows.next()).isFalse();
            }
            try (ResultSet columns =
                    connection.getMetaData().getColumns(null, null, "tagged", null)) {
                List<String> types = new ArrayList<>();
                while (columns.next()) {
                    types.add(columns.getString("TYPE_NAME") + " " + columns.getInt("DATA_TYPE"));
                }
                assertThat(types)
                        .containsExactly(
                                "int4 4",
                                "_text " + java.sql.Types.ARRAY,
                                "_int8 " + java.sql.Types.ARRAY);
            }
        } finally {
            db.run("DROP TABLE tagged");
        }
    }

    /// -1 has the driver use the binary format from the first execution on.
    @ParameterizedTest
    @ValueSource(strings = {"?prepareThreshold=0", "?prepareThreshold=-1", "?binaryTransfer=false"})
    void everyTypeGoesThereAndBack(String options) throws SQLException {
        UUID id = UUID.fromString("01234567-89ab-cdef-0123-456789abcdef");
        try (Connection connection = db.connect(options)) {
            PreparedStatement insert =
                    connection.prepareStatement(
                            "INSERT INTO typed VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
            insert.setInt(1, 1);
            insert.setBoolean(2, true);
            insert.setShort(3, Short.MIN_VALUE);
            insert.setLong(4, Long.MIN_VALUE);
            insert.setBigDecimal(5, new BigDecimal("-12345678.0900"));
            insert.setFloat(6, 1.1f);
            insert.setDouble(7, -2.5e300);
            insert.setString(8, "ab");
            insert.setString(9, "Gräfin €😀");
            insert.setString(10, "");
            insert.setObject(11, LocalDate.of(1969, 12, 31));
            insert.setObject(12, LocalTime.of(23, 59, 59, 123_456_000));
            insert.setObject(13, LocalDateTime.of(2026, 1, 31, 12, 0, 0, 1000));
            insert.setBytes(14, new byte[] {0, 1, -1, '\\'});
            insert.setObject(15, id);
            assertThat(insert.executeUpdate()).isOne();
            insert.setInt(1, 2);
            for (int i = 2; i <= 15; i++) {
                insert.setNull(i, Types.NULL);
            }
            assertThat(insert.executeUpdate()).isOne();
            PreparedStatement select =
                    connection.prepareStatement("SELECT * FROM typed ORDER BY id");
            for (int round = 0; round < 3; round++) {
                try (ResultSet row = select.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getBoolean(2)).isTrue();
                    assertThat(row.getShort(3)).isEqualTo(Short.MIN_VALUE);
                    assertThat(row.getLong(4)).isEqualTo(Long.MIN_VALUE);
                    assertThat(row.getBigDecimal(5)).isEqualTo(new BigDecimal("-12345678.0900"));
                    assertThat(row.getFloat(6)).isEqualTo(1.1f);
                    assertThat(row.getDouble(7)).isEqualTo(-2.5e300);
                    assertThat(row.getString(8)).isEqualTo("ab  ");
                    assertThat(row.getString(9)).isEqualTo("Gräfin €😀");
                    assertThat(row.getString(10)).isEmpty();
                    assertThat(row.getObject(11, LocalDate.class)).isEqualTo("1969-12-31");
                    assertThat(row.getObject(12, LocalTime.class)).isEqualTo("23:59:59.123456");
                    assertThat(row.getObject(13, LocalDateTime.class))
                            .isEqualTo("2026-01-31T12:00:00.000001");
                    assertThat(row.getBytes(14)).containsExactly(0, 1, -1, '\\');
                    assertThat(row.getObject(15)).isEqualTo(id);
                    assertThat(row.next()).isTrue();
                    for (int i = 2; i <= 15; i++) {
                        assertThat(row.getObject(i)).as("column " + i).isNull();
                    }
                    assertThat(row.next()).isFalse();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "1",
                "-1",
                "0.0001",
                "10000",
                "9999.9999",
                "-0.5000",
                "123456789012345678901234567890.12",
                "100000000",
                "0.00000000",
                "1e-30",
                "7e40"
            })
    void numbersOfAnySizeAreTheSameInBothFormats(String number) throws SQLException {
        BigDecimal value = new BigDecimal(number);
        try (Connection connection = db.connect("?prepareThreshold=-1")) {
            PreparedStatement echo = connection.prepareStatement("SELECT ?::numeric");
            echo.setBigDecimal(1, value);
            for (int round = 0; round < 2; round++) {
                try (ResultSet row = echo.executeQuery()) {
                    row.next();
                    assertThat(row.getBigDecimal(1)).isEqualByComparingTo(value);
                }
            }
        }
    }

    @Test
    void intervalsAreShownAsPostgresDoes() throws SQLException {
        assertThat(db.rows("SELECT INTERVAL '1 mon 2 days 03:00:04.5'"))
                .isEqualTo("1 mon 2 days 03:00:04.5");
    }

    @Test
    void aTimestampTakesAMomentAsTheSessionsClocksShowIt() throws SQLException {
        try (Connection connection = db.connect()) {
            connection.createStatement().execute("SET TIME ZONE 'Asia/Tokyo'");
            PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO typed (id, moment) VALUES (1, ?)");
            insert.setObject(1, OffsetDateTime.parse("2026-01-31T12:00:00+02:00"));
            insert.executeUpdate();
            assertThat(rows(connection, "SELECT moment FROM typed"))
                    .isEqualTo("2026-01-31 19:00:00");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?prepareThreshold=-1"})
    void momentsGoThereAndBackInBothFormats(String options) throws SQLException {
        db.run(
                "DROP TABLE IF EXISTS event",
                "CREATE TABLE event (id INT PRIMARY KEY, at TIMESTAMPTZ, day DATE)");
        OffsetDateTime at = OffsetDateTime.parse("2026-07-31T12:00:00.123456+02:00");
        OffsetDateTime old = OffsetDateTime.parse("1969-12-31T23:59:59.999999Z");
        try (Connection connection = db.connect(options)) {
            PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO event VALUES (?, ?, ?)");
            insert.setInt(1, 1);
            insert.setObject(2, at);
            insert.setObject(3, LocalDate.of(2026, 7, 31));
            insert.executeUpdate();
            insert.setInt(1, 2);
            insert.setTimestamp(2, Timestamp.from(old.toInstant()));
            insert.executeUpdate();
            connection.createStatement().execute("SET TIME ZONE 'America/New_York'");
            PreparedStatement select =
                    connection.prepareStatement("SELECT at FROM event WHERE at = ?");
            for (OffsetDateTime each : List.of(at, old)) {
                for (int i = 0; i < 2; i++) {
                    select.setObject(1, each);
                    try (ResultSet row = select.executeQuery()) {
                        assertThat(row.next()).isTrue();
                        assertThat(row.getObject(1, OffsetDateTime.class).toInstant())
                                .isEqualTo(each.toInstant());
                        assertThat(row.getTimestamp(1).toInstant()).isEqualTo(each.toInstant());
                        assertThat(row.getMetaData().getColumnTypeName(1)).isEqualTo("timestamptz");
                    }
                }
            }
            assertThat(rows(connection, "SELECT at, at::date = day FROM event ORDER BY id"))
                    .isEqualTo("2026-07-31 06:00:00.123456-04|t; 1969-12-31 18:59:59.999999-05|f");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?prepareThreshold=-1"})
    void aMegabyteGoesThereAndBack(String options) throws SQLException {
        db.run(
                "DROP TABLE IF EXISTS document",
                "CREATE TABLE document (id INT PRIMARY KEY, body TEXT, image BYTEA)");
        String body = "é<\t\\".repeat(200_000);
        byte[] image = new byte[1 << 20];
        new Random(1).nextBytes(image);
        try (Connection connection = db.connect(options)) {
            PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO document VALUES (1, ?, ?)");
            insert.setString(1, body);
            insert.setBytes(2, image);
            insert.executeUpdate();
            PreparedStatement select =
                    connection.prepareStatement("SELECT body, image FROM document WHERE image = ?");
            select.setBytes(1, image);
            try (ResultSet row = select.executeQuery()) {
                assertThat(row.next()).isTrue();
                assertThat(row.getString(1)).isEqualTo(body);
                assertThat(row.getBytes(2)).isEqualTo(image);
            }
            CopyManager copies = connection.unwrap(PGConnection.class).getCopyAPI();
            StringWriter out = new StringWriter();
            assertThat(copies.copyOut("COPY document TO STDOUT", out)).isEqualTo(1);
            connection.createStatement().execute("DELETE FROM document");
            assertThat(copies.copyIn("COPY document FROM STDIN", new StringReader(out.toString())))
                    .isEqualTo(1);
            assertThat(rows(connection, "SELECT md5(body), length(image) FROM document"))
                    .endsWith("|1048576");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// The driver needs it, and refuses to go on with another date style.
    @Test
    void aChangedTimeZoneIsReported() throws SQLException {
        try (Connection connection = db.connect()) {
            PGConnection driver = connection.unwrap(PGConnection.class);
            connection.createStatement().execute("SET TIME ZONE 'europe/berlin'");
            assertThat(driver.getParameterStatus("TimeZone")).isEqualTo("Europe/Berlin");
            rows(connection, "SELECT set_config('timezone', 'Asia/Tokyo', false)");
            assertThat(driver.getParameterStatus("TimeZone")).isEqualTo("Asia/Tokyo");
            connection.setAutoCommit(false);
            connection.createStatement().execute("SET LOCAL timezone = 'UTC'");
            assertThat(driver.getParameterStatus("TimeZone")).isEqualTo("UTC");
            connection.rollback();
            assertThat(driver.getParameterStatus("TimeZone")).isEqualTo("Asia/Tokyo");
        }
    }

    @Test
    void aPreparedStatementIsRunOftenWithOtherValues() throws SQLException {
        try (Connection connection = db.connect();
                PreparedStatement select =
                        connection.prepareStatement("SELECT owner FROM account WHERE id = ?")) {
            for (int round = 0; round < 20; round++) {
                int id = 1 + round % 3;
                select.setInt(1, id);
                try (ResultSet row = select.executeQuery()) {
                    assertThat(rows(row)).isEqualTo(id == 1 ? "Ada" : id == 2 ? "Grace" : "Gräfin");
                }
            }
        }
    }

    @Test
    void aPreparedStatementOutlivesAChangeOfItsTable() throws SQLException {
        try (Connection connection = db.connect("?prepareThreshold=1");
                PreparedStatement select =
                        connection.prepareStatement("SELECT * FROM changing WHERE id = ?")) {
            db.run("CREATE TABLE changing (id INT PRIMARY KEY)", "INSERT INTO changing VALUES (1)");
            select.setInt(1, 1);
            for (int i = 0; i < 3; i++) {
                try (ResultSet row = select.executeQuery()) {
                    assertThat(rows(row)).isEqualTo("1");
                }
            }
            db.run("ALTER TABLE changing ADD COLUMN more INT DEFAULT 7");
            // The driver prepares it again when it learns that the columns have changed.
            try (ResultSet row = select.executeQuery()) {
                assertThat(rows(row)).isEqualTo("1|7");
            } catch (SQLException e) {
                assertThat(e.getMessage()).contains("cached plan must not change result type");
            }
            try (ResultSet row = select.executeQuery()) {
                assertThat(rows(row)).isEqualTo("1|7");
            }
            db.run("DROP TABLE changing");
        }
    }

    @Test
    void aBatchIsOneTransaction() throws SQLException {
        try (Connection connection = db.connect();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO account VALUES (?, 'batch', ?)")) {
            for (int i = 10; i < 20; i++) {
                insert.setInt(1, i);
                insert.setLong(2, i);
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).hasSize(10).containsOnly(1);
            assertThat(
                            rows(
                                    connection,
                                    "SELECT count(*), sum(balance) FROM account WHERE id >= 10"))
                    .isEqualTo("10|145");
            for (int i : new int[] {20, 21, 1, 22}) {
                insert.setInt(1, i);
                insert.setLong(2, i);
                insert.addBatch();
            }
            Assertions.assertThatThrownBy(insert::executeBatch)
                    .isInstanceOf(BatchUpdateException.class)
                    .hasMessageContaining("account_pkey");
            assertThat(rows(connection, "SELECT count(*) FROM account WHERE id >= 20"))
                    .isEqualTo("0");
        }
    }

    @Test
    void statementsOfOneTextAreOneTransaction() throws SQLException {
        try (Connection connection = db.connect("?preferQueryMode=simple")) {
            ServerErrorMessage error =
                    error(() ->
                            ServerFixture.run(
                                    connection,
                                    "INSERT INTO account VALUES (30, 'a', 1);"
                                            + " INSERT INTO account VALUES (1, 'b', 1)"));
            assertThat(error.getSQLState()).isEqualTo("23505");
            assertThat(rows(connection, "SELECT count(*) FROM account")).isEqualTo("3");
            ServerFixture.run(
                    connection,
                    "INSERT INTO account VALUES (30, 'a', 1);; INSERT INTO account VALUES (31, 'b', 1);");
            assertThat(rows(connection, "SELECT count(*) FROM account")).isEqualTo("5");
        }
    }

    @Test
    void definitionsStandBesideOtherStatementsOfOneText() throws SQLException {
        try (Connection connection = db.connect("?preferQueryMode=simple")) {
            ServerFixture.run(
                    connection,
                    "CREATE TABLE mixed (id INT PRIMARY KEY); INSERT INTO mixed VALUES (1);"
                            + " INSERT INTO mixed VALUES (2); CREATE INDEX mixed_i ON mixed (id);"
                            + " INSERT INTO mixed VALUES (3); DELETE FROM mixed WHERE id = 1");
            assertThat(rows(connection, "SELECT id FROM mixed ORDER BY id")).isEqualTo("2; 3");
            ServerFixture.run(connection, "DROP TABLE mixed");
        }
    }

    @Test
    void definitionsAreRolledBackWithTheOtherStatements() throws SQLException {
        String failing =
                "CREATE TABLE made (id INT PRIMARY KEY); INSERT INTO made VALUES (1);"
                        + " ALTER TABLE account ADD COLUMN more INT; SELECT 1 / 0";
        try (Connection connection = db.connect("?preferQueryMode=simple")) {
            assertThat(error(() -> ServerFixture.run(connection, failing)).getSQLState())
                    .isEqualTo("22012");
            assertThat(error(() -> rows(connection, "SELECT * FROM made")).getSQLState())
                    .isEqualTo("42P01");
        }
        try (Connection connection = db.connect()) {
            connection.setAutoCommit(false);
            ServerFixture.run(connection, "CREATE TABLE made (id INT PRIMARY KEY)");
            ServerFixture.run(connection, "INSERT INTO made VALUES (7)");
            ServerFixture.run(connection, "ALTER TABLE account ADD COLUMN more INT DEFAULT 3");
            assertThat(
                            rows(
                                    connection,
                                    "SELECT made.id, more FROM made, account WHERE owner = 'Ada'"))
                    .isEqualTo("7|3");
            assertThat(error(() -> db.rows("SELECT more FROM account")).getSQLState())
                    .isEqualTo("42703");
            connection.rollback();
            assertThat(error(() -> rows(connection, "SELECT * FROM made")).getSQLState())
                    .isEqualTo("42P01");
            connection.rollback();
            ServerFixture.run(connection, "CREATE TABLE made (id INT)");
            ServerFixture.run(connection, "DROP TABLE made");
            connection.commit();
        }
    }

    @Test
    void transactionsAreCommittedAndRolledBack() throws SQLException {
        try (Connection connection = db.connect()) {
            connection.setAutoCommit(false);
            ServerFixture.run(connection, "UPDATE account SET balance = 1 WHERE id = 1");
            assertThat(db.rows("SELECT balance FROM account WHERE id = 1")).isEqualTo("100");
            connection.commit();
            assertThat(db.rows("SELECT balance FROM account WHERE id = 1")).isEqualTo("1");
            ServerFixture.run(connection, "UPDATE account SET balance = 2 WHERE id = 1");
            connection.rollback();
            assertThat(db.rows("SELECT balance FROM account WHERE id = 1")).isEqualTo("1");
        }
    }

    @Test
    void aFailedBlockTakesNothingButItsEnd() throws SQLException {
        try (Connection connection = db.connect()) {
            connection.setAutoCommit(false);
            ServerFixture.run(connection, "UPDATE account SET balance = 1 WHERE id = 1");
            assertThat(error(() -> rows(connection, "SELECT 1 / 0")).getSQLState())
                    .isEqualTo("22012");
            assertThat(error(() -> rows(connection, "SELECT * FROM nothing")).getSQLState())
                    .isEqualTo("25P02");
            connection.rollback();
            assertThat(rows(connection, "SELECT balance FROM account WHERE id = 1"))
                    .isEqualTo("100");
            Savepoint savepoint = connection.setSavepoint();
            assertThat(error(() -> rows(connection, "SELECT 1 / 0")).getSQLState())
                    .isEqualTo("22012");
            connection.rollback(savepoint);
            assertThat(rows(connection, "SELECT 1")).isEqualTo("1");
            connection.commit();
        }
    }

    @Test
    void lostConflictsAre40001() throws SQLException {
        try (Connection one = db.connect();
                Connection other = db.connect()) {
            one.setAutoCommit(false);
            other.setAutoCommit(false);
            rows(one, "SELECT balance FROM account WHERE id = 1");
            rows(other, "SELECT balance FROM account WHERE id = 1");
            ServerFixture.run(one, "UPDATE account SET balance = 1 WHERE id = 1");
            ServerFixture.run(other, "UPDATE account SET balance = 2 WHERE id = 1");
            one.commit();
            ServerErrorMessage error = error(other::commit);
            assertThat(error.getSQLState()).isEqualTo("40001");
            assertThat(error.getHint()).isEqualTo("Run the transaction again.");
        }
    }

    @Test
    void errorsHaveTheirStateAndPlace() throws SQLException {
        try (Connection connection = db.connect()) {
            ServerErrorMessage error =
                    error(() -> rows(connection, "SELECT '😀é', ownr FROM account"));
            assertThat(error.getSQLState()).isEqualTo("42703");
            assertThat(error.getPosition()).isEqualTo(14);
            assertThat(error.getSeverity()).isEqualTo("ERROR");
            assertThat(error(() -> rows(connection, "SELEC 1")).getSQLState()).isEqualTo("42601");
            assertThat(error(() -> rows(connection, "SELECT 'x'::int")).getSQLState())
                    .isEqualTo("22P02");
        }
    }

    @Test
    void violationsNameTheirConstraint() throws SQLException {
        try (Connection connection = db.connect()) {
            ServerErrorMessage duplicate =
                    error(() ->
                            ServerFixture.run(
                                    connection, "INSERT INTO account VALUES (1, 'x', 1)"));
            assertThat(duplicate.getSQLState()).isEqualTo("23505");
            assertThat(duplicate.getTable()).isEqualTo("account");
            assertThat(duplicate.getConstraint()).isEqualTo("account_pkey");
            assertThat(duplicate.getDetail()).contains("(id)=(1)");
            ServerErrorMessage missing =
                    error(() ->
                            ServerFixture.run(
                                    connection, "INSERT INTO account VALUES (9, NULL, 1)"));
            assertThat(missing.getSQLState()).isEqualTo("23502");
            assertThat(missing.getTable()).isEqualTo("account");
            assertThat(missing.getColumn()).isEqualTo("owner");
            ServerErrorMessage check =
                    error(() ->
                            ServerFixture.run(
                                    connection, "INSERT INTO account VALUES (9, 'x', -1)"));
            assertThat(check.getSQLState()).isEqualTo("23514");
            assertThat(check.getConstraint()).isEqualTo("account_balance_check");
        }
    }

    @Test
    void rowsAreFetchedInPartsBesideOtherStatements() throws SQLException {
        try (Connection connection = db.connect()) {
            connection.setAutoCommit(false);
            ServerFixture.run(
                    connection,
                    "INSERT INTO account SELECT i, 'many', i FROM generate_series(100, 599) AS s (i)");
            try (PreparedStatement select =
                            connection.prepareStatement(
                                    "SELECT id FROM account WHERE id >= 100 ORDER BY id");
                    PreparedStatement update =
                            connection.prepareStatement(
                                    "UPDATE account SET balance = 0 WHERE id = ?")) {
                select.setFetchSize(7);
                int expected = 100;
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        assertThat(row.getInt(1)).isEqualTo(expected++);
                        update.setInt(1, row.getInt(1) + 1);
                        update.executeUpdate();
                    }
                }
                assertThat(expected).isEqualTo(600);
            }
            connection.rollback();
        }
    }

    @Test
    void rowsAreFetchedInPartsAlone() throws SQLException {
        try (Connection connection = db.connect()) {
            connection.setAutoCommit(false);
            try (Statement select = connection.createStatement()) {
                select.setFetchSize(100);
                try (ResultSet row =
                        select.executeQuery("SELECT i FROM generate_series(1, 1000) AS s (i)")) {
                    int expected = 1;
                    while (row.next()) {
                        assertThat(row.getInt(1)).isEqualTo(expected++);
                    }
                    assertThat(expected).isEqualTo(1001);
                }
            }
        }
    }

    @Test
    void returningAndGeneratedKeysGiveRows() throws SQLException {
        try (Connection connection = db.connect();
                PreparedStatement insert =
                        connection.prepareStatement(
                                "INSERT INTO account VALUES (40, 'x', 1)", new String[] {"id"})) {
            assertThat(insert.executeUpdate()).isOne();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                assertThat(rows(keys)).isEqualTo("40");
            }
        }
    }

    @Test
    void columnsReportTheirTypes() throws SQLException {
        try (Connection connection = db.connect();
                PreparedStatement select =
                        connection.prepareStatement(
                                "SELECT id, owner, balance, ? AS given FROM account WHERE id = ?")) {
            assertThat(select.getMetaData().getColumnName(2)).isEqualTo("owner");
            assertThat(select.getMetaData().getColumnTypeName(2)).isEqualTo("varchar");
            assertThat(select.getMetaData().getPrecision(2)).isEqualTo(20);
            assertThat(select.getMetaData().getColumnType(3)).isEqualTo(Types.BIGINT);
            assertThat(select.getParameterMetaData().getParameterTypeName(2)).isEqualTo("int4");
        }
    }

    @Test
    void emptyTextsAndCommentsAreNoError() throws SQLException {
        try (Connection connection = db.connect();
                Statement statement = connection.createStatement()) {
            assertThat(statement.execute("")).isFalse();
            assertThat(statement.execute("-- ping")).isFalse();
            connection.setAutoCommit(false);
            assertThat(statement.execute(" ; ")).isFalse();
            assertThat(rows(connection, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void settingsBelongToTheConnection() throws SQLException {
        try (Connection one = db.connect("?ApplicationName=teller");
                Connection other = db.connect("?options=-c%20work_mem=1MB")) {
            assertThat(rows(one, "SHOW application_name")).isEqualTo("teller");
            assertThat(rows(other, "SHOW work_mem")).isEqualTo("1MB");
            ServerFixture.run(one, "SET application_name = 'changed'");
            assertThat(one.unwrap(PGConnection.class).getParameterStatus("application_name"))
                    .isEqualTo("changed");
            assertThat(one.getTransactionIsolation())
                    .isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
            one.setReadOnly(true);
            one.setAutoCommit(false);
            assertThat(error(() -> ServerFixture.run(one, "DELETE FROM account")).getSQLState())
                    .isEqualTo("25006");
        }
    }

    @Test
    void warningsArrive() throws SQLException {
        try (Connection connection = db.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS account (id INT PRIMARY KEY)");
            assertThat(statement.getWarnings().getMessage()).contains("already exists");
        }
    }

    @Test
    void invalidTextIsRefused() throws SQLException {
        try (Connection connection = db.connect();
                PreparedStatement select = connection.prepareStatement("SELECT ?::text")) {
            select.setString(1, "a\0b");
            assertThat(error(select::executeQuery).getSQLState()).isEqualTo("22021");
            assertThat(rows(connection, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void anUnknownSettingOfTheStartEndsTheConnection() {
        assertThat(
                        error(() ->
                                        DriverManager.getConnection(
                                                        db.url("?options=-c%20no.such=1"),
                                                        "ada",
                                                        "")
                                                .close())
                                .getSQLState())
                .isEqualTo("42704");
    }
}
