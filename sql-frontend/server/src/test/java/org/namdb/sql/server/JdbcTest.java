package org.namdb.sql.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.sql.server.ServerFixture.error;
import static org.namdb.sql.server.ServerFixture.rows;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.util.ServerErrorMessage;

/// Statements and transactions of PostgreSQL's JDBC driver, unmodified.
class JdbcTest {
    private static ServerFixture db;

    @BeforeAll
    static void open() throws SQLException {
        db = new ServerFixture();
        db.createAccounts();
    }

    @AfterAll
    static void close() {
        db.close();
    }

    @BeforeEach
    void empty() throws SQLException {
        db.resetAccounts();
    }

    /// As psycopg drops those that it has prepared.
    @Test
    void whatTheProtocolHasPreparedIsKnownToSqlByItsName() throws SQLException {
        String shown =
                "SELECT statement, parameter_types, from_sql, generic_plans FROM pg_prepared_statements"
                        + " WHERE name = 'S_1'";
        String name = "\"S_1\"";
        try (Connection connection = db.connect("?prepareThreshold=1");
                PreparedStatement query =
                        connection.prepareStatement("SELECT ? + 1 FROM account WHERE id = 1")) {
            for (int i = 0; i < 2; i++) {
                query.setInt(1, i);
                query.executeQuery().close();
            }
            try (Statement other = connection.createStatement()) {
                assertThat(rows(other.executeQuery(shown)))
                        .isEqualTo("SELECT $1 + 1 FROM account WHERE id = 1|{integer}|f|2");
                assertThat(rows(other.executeQuery("EXECUTE " + name + " (5)"))).isEqualTo("6");
                assertThat(
                                error(() -> other.execute("PREPARE " + name + " AS SELECT 1"))
                                        .getSQLState())
                        .isEqualTo("42P05");
                other.execute("DEALLOCATE " + name);
                assertThat(rows(other.executeQuery(shown))).isEmpty();
            }
            assertThat(rows(query.executeQuery())).isEqualTo("2"); // the driver prepares it again
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
    void changesInWithGiveRows() throws SQLException {
        try (Connection connection = db.connect();
                PreparedStatement move =
                        connection.prepareStatement(
                                "WITH new AS (INSERT INTO account VALUES (?, 'w', 1) RETURNING id)"
                                        + " SELECT id + ? FROM new")) {
            assertThat(move.getMetaData().getColumnCount()).isOne();
            for (int id = 50; id < 53; id++) {
                move.setInt(1, id);
                move.setInt(2, 100);
                try (ResultSet rows = move.executeQuery()) {
                    assertThat(rows(rows)).isEqualTo(String.valueOf(id + 100));
                }
            }
            assertThat(rows(connection, "SELECT count(*) FROM account WHERE owner = 'w'"))
                    .isEqualTo("3");
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
    void rowsMayHaveNoColumns() throws SQLException {
        try (Connection connection = db.connect();
                PreparedStatement select =
                        connection.prepareStatement("SELECT FROM generate_series(1, ?)")) {
            assertThat(select.getMetaData().getColumnCount()).isZero();
            for (int count : new int[] {3, 0}) {
                select.setInt(1, count);
                try (ResultSet rows = select.executeQuery()) {
                    for (int i = 0; i < count; i++) {
                        assertThat(rows.next()).isTrue();
                    }
                    assertThat(rows.next()).isFalse();
                }
            }
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
