package org.namdb.sql.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
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
import org.namdb.sql.client.NamClient;
import org.namdb.sql.language.error.SqlException;
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

    /// OUT parameters, messages and errors of PL/pgSQL.
    @Test
    void jdbcCallsARoutine() throws SQLException {
        db.run(
                "CREATE PROCEDURE withdraw(account_id INT, amount NUMERIC, OUT remaining NUMERIC) LANGUAGE plpgsql AS $$"
                        + " BEGIN UPDATE account SET balance = balance - amount WHERE id = account_id"
                        + " RETURNING balance INTO remaining; RAISE NOTICE 'now %', remaining;"
                        + " IF remaining IS NULL THEN RAISE EXCEPTION 'no account %', account_id USING ERRCODE = 'NA001'; END IF;"
                        + " END $$",
                "CREATE FUNCTION add(a INT, b INT) RETURNS INT LANGUAGE plpgsql AS $$ BEGIN RETURN a + b; END $$");
        try (Connection connection = db.connect("?escapeSyntaxCallMode=callIfNoReturn")) {
            try (CallableStatement call = connection.prepareCall("{call withdraw(?, ?, ?)}")) {
                call.setInt(1, 1);
                call.setBigDecimal(2, new BigDecimal("1.50"));
                call.registerOutParameter(3, Types.NUMERIC);
                call.execute();
                assertThat(call.getBigDecimal(3)).isEqualTo("98.50");
                assertThat(call.getWarnings().getMessage()).isEqualTo("now 98.50");
                call.setInt(1, 9);
                var error = error(call::execute);
                assertThat(error.getSQLState()).isEqualTo("NA001");
                assertThat(error.getWhere())
                        .isEqualTo("PL/pgSQL function withdraw(integer,numeric) line 1 at RAISE");
            }
            try (CallableStatement call = connection.prepareCall("{? = call add(?, ?)}")) {
                call.registerOutParameter(1, Types.INTEGER);
                call.setInt(2, 20);
                call.setInt(3, 22);
                call.execute();
                assertThat(call.getInt(1)).isEqualTo(42);
            }
        }
    }

    @Test
    void namClientCallsARoutine() throws SQLException {
        db.run(
                "CREATE PROCEDURE withdraw(account_id INT, amount NUMERIC, OUT id INT, OUT balance NUMERIC) LANGUAGE plpgsql AS $$"
                        + " BEGIN UPDATE account a SET balance = a.balance - amount WHERE a.id = account_id"
                        + " RETURNING a.id, a.balance INTO id, balance; END $$",
                "CREATE PROCEDURE empty_all() LANGUAGE plpgsql AS $$ BEGIN UPDATE account SET balance = 0; END $$",
                "CREATE FUNCTION rich(lowest NUMERIC) RETURNS SETOF account STABLE LANGUAGE plpgsql AS $$"
                        + " BEGIN RETURN QUERY SELECT * FROM account WHERE balance >= lowest ORDER BY id; END $$",
                "CREATE FUNCTION fails(a INT) RETURNS INT LANGUAGE plpgsql AS $$ BEGIN RETURN no_such_function(a); END $$");
        try (NamClient client =
                NamClient.connect("postgresql://ada@127.0.0.1:" + db.port() + "/bank")) {
            for (int i = 0; i < 3; i++) {
                Account left =
                        client.call("withdraw", new Deposit(1, BigDecimal.TEN), Account.class);
                assertThat(left).isEqualTo(new Account(1, new BigDecimal(90 - 10 * i + ".00")));
                assertThat(client.callForList("rich", new BigDecimal(60), Account.class))
                        .hasSize(1);
            }
            assertThat(client.call("rich", BigDecimal.ZERO)).isEqualTo(1L);
            assertThatThrownBy(() -> client.call("fails", 1))
                    .isInstanceOfSatisfying(
                            SqlException.class, e -> assertThat(e.code()).isEqualTo("42883"));
            assertThat(client.call("empty_all", null)).isNull();
            assertThat(client.callForList("rich", BigDecimal.ONE, Account.class)).isEmpty();
        }
    }
}
