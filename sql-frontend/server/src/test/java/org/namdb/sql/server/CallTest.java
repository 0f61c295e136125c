package org.namdb.sql.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.sql.server.ServerFixture.error;
import static org.namdb.sql.server.ServerFixture.rows;

import java.math.BigDecimal;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.sql.language.result.Result;

/// Procedures that clients call.
class CallTest {
    private ServerFixture db;

    record Deposit(int id, BigDecimal amount) {}

    record Account(int id, BigDecimal balance) {}

    @BeforeEach
    void open() throws SQLException {
        db = new ServerFixture();
        db.run(
                "CREATE TABLE account (id INT PRIMARY KEY, balance DECIMAL(10, 2))",
                "INSERT INTO account VALUES (1, 100), (2, 50)");
        db.database
                .procedures()
                .register(
                        "deposit",
                        Deposit.class,
                        Account.class,
                        (context, in) -> {
                            try (Result row =
                                    context.execute(
                                            "UPDATE account SET balance = balance + ? WHERE id = ?"
                                                    + " RETURNING balance",
                                            in.amount,
                                            in.id)) {
                                if (!row.next()) {
                                    throw new IllegalStateException("there is no account " + in.id);
                                }
                                return new Account(in.id, (BigDecimal) row.value(0));
                            }
                        });
        db.database
                .procedures()
                .register(
                        "forget",
                        Integer.class,
                        Void.class,
                        (context, id) -> {
                            context.execute("DELETE FROM account WHERE id = ?", id).close();
                            return null;
                        });
    }

    @AfterEach
    void close() {
        db.close();
    }

    @Test
    void jdbcCallsAProcedureInItsManners() throws SQLException {
        for (String mode : List.of("select", "callIfNoReturn", "call")) {
            try (Connection connection =
                            db.connect("?prepareThreshold=2&escapeSyntaxCallMode=" + mode);
                    CallableStatement call = connection.prepareCall("{call deposit(?, ?)}")) {
                for (int i = 0; i < 5; i++) {
                    call.setInt(1, 1);
                    call.setBigDecimal(2, new BigDecimal("1.50"));
                    assertThat(call.execute()).isTrue();
                    try (ResultSet row = call.getResultSet()) {
                        assertThat(row.getMetaData().getColumnName(2)).isEqualTo("balance");
                        assertThat(row.next()).isTrue();
                        assertThat(row.getInt("id")).isOne();
                    }
                }
            }
        }
        assertThat(db.rows("SELECT balance FROM account WHERE id = 1")).isEqualTo("122.50");
    }

    @Test
    void jdbcTakesAResult() throws SQLException {
        db.database
                .procedures()
                .register("twice", Integer.class, Long.class, (context, n) -> 2L * n);
        try (Connection connection = db.connect();
                CallableStatement call = connection.prepareCall("{? = call twice(?)}")) {
            call.registerOutParameter(1, Types.BIGINT);
            call.setInt(2, 21);
            call.execute();
            assertThat(call.getLong(1)).isEqualTo(42);
        }
    }

    @Test
    void aProcedureWithoutAResultIsCalled() throws SQLException {
        try (Connection connection = db.connect("?escapeSyntaxCallMode=callIfNoReturn");
                CallableStatement call = connection.prepareCall("{call forget(?)}");
                Statement statement = connection.createStatement()) {
            call.setInt(1, 1);
            assertThat(call.execute()).isFalse();
            assertThat(statement.execute("CALL forget(2)")).isFalse();
            assertThat(rows(connection, "SELECT count(*) FROM account")).isEqualTo("0");
            assertThat(rows(connection, "SELECT forget(2)")).isEmpty();
        }
    }

    @Test
    void aCallIsPartOfTheCallersTransaction() throws SQLException {
        try (Connection connection = db.connect()) {
            connection.setAutoCommit(false);
            assertThat(rows(connection, "SELECT * FROM deposit(1, 10)")).isEqualTo("1|110.00");
            assertThat(rows(connection, "SELECT balance FROM account WHERE id = 1"))
                    .isEqualTo("110.00");
            connection.rollback();
            assertThat(rows(connection, "SELECT balance FROM account WHERE id = 1"))
                    .isEqualTo("100.00");
        }
    }

    @Test
    void anErrorSaysWhereItCameFrom() throws SQLException {
        try (Connection connection = db.connect()) {
            var error = error(() -> rows(connection, "CALL deposit(9, 1)"));
            assertThat(error.getSQLState()).isEqualTo("38000");
            assertThat(error.getMessage()).isEqualTo("there is no account 9");
            assertThat(error.getWhere())
                    .isEqualTo("procedure deposit, java.lang.IllegalStateException");
            assertThat(error(() -> rows(connection, "CALL deposit(1)")).getHint())
                    .isEqualTo("It is deposit(id integer, amount numeric).");
            assertThat(error(() -> rows(connection, "CALL deposit('x', 1)")).getSQLState())
                    .isEqualTo("22P02");
        }
    }

    /// Most servers are not for that.
    @Test
    void jarsAreInstalledWhereTheServerAllowsIt() throws SQLException {
        try (Connection connection = db.connect();
                PreparedStatement install =
                        connection.prepareStatement("CALL sqlj.install_jar(?, 'bank')")) {
            install.setBytes(1, new byte[] {1, 2, 3});
            var refused = error(install::execute);
            assertThat(refused.getSQLState()).isEqualTo("42501");
            assertThat(refused.getHint()).contains("--allow-procedures");
        }
        try (ServerFixture open = new ServerFixture(options -> options.withProcedures(true));
                Connection connection = open.connect();
                PreparedStatement install =
                        connection.prepareStatement("CALL sqlj.install_jar(?, 'bank')")) {
            install.setBytes(1, new byte[] {1, 2, 3});
            assertThat(error(install::execute).getSQLState()).isEqualTo("46001");
        }
    }
}
