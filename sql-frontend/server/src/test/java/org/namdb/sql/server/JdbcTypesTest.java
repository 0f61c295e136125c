package org.namdb.sql.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.sql.server.ServerFixture.rows;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/// Values of each type, by PostgreSQL's JDBC driver, unmodified: there and back, in both formats.
class JdbcTypesTest {
    private static ServerFixture db;

    @BeforeAll
    static void open() throws SQLException {
        db = new ServerFixture();
        db.createAccounts();
        db.run(
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
        db.resetAccounts();
        db.run("DELETE FROM typed");
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
}
