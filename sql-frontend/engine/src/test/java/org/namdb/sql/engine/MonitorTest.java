package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.sql.engine.monitor.SessionActivity;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.result.Result;

/// What `pg_stat_activity` and `pg_stat_statements` show.
class MonitorTest {
    private final SqlFixture db = new SqlFixture();
    private final SqlDatabase database = db.database;
    private final SqlSession session = db.session;

    @AfterEach
    void close() {
        db.close();
    }

    private List<String> rows(String query) {
        return rows(session, query);
    }

    private static List<String> rows(SqlSession session, String query) {
        try (Result result = session.execute(query)) {
            List<String> rows = new ArrayList<>();
            while (result.next()) {
                StringBuilder row = new StringBuilder();
                for (int column = 0; column < result.columns().size(); column++) {
                    row.append(column == 0 ? "" : "|").append(result.text(column));
                }
                rows.add(row.toString());
            }
            return rows;
        }
    }

    private void run(String... statements) {
        for (String statement : statements) {
            session.execute(statement).close();
        }
    }

    @Test
    void statementsAreCountedWithoutTheirConstants() {
        run("CREATE TABLE t (id INT PRIMARY KEY, v TEXT)");
        for (int id = 0; id < 5; id++) {
            run("INSERT INTO t VALUES (" + id + ", 'a''b')");
        }
        run("insert into  t values (10, /* two */ 'x'), (11, 'y')");
        assertThat(rows("SELECT id FROM t WHERE id > 2 AND v <> 'z'")).hasSize(4);
        assertThatThrownBy(() -> run("INSERT INTO t VALUES (1, 'twice')"))
                .isInstanceOf(SqlException.class);

        String columns = "SELECT query, calls, rows, failures FROM pg_stat_statements ";
        assertThat(rows(columns + "WHERE query LIKE 'INSERT%' OR query LIKE 'insert%'"))
                .containsExactlyInAnyOrder(
                        "INSERT INTO t VALUES ($1, $2)|6|5|1",
                        "insert into t values ($1, $2), ($3, $4)|1|2|0");
        assertThat(rows(columns + "WHERE query LIKE 'SELECT id%'"))
                .containsExactly("SELECT id FROM t WHERE id > $1 AND v <> $2|1|4|0");
    }

    @Test
    void theirCostIsThatOfTheStatement() {
        run("CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1)");
        run("SELECT id FROM t WHERE id = 1", "SELECT id FROM t WHERE id = 1");
        assertThat(
                        rows(
                                "SELECT calls, verbs > 0, round_trips > 0, bytes > 0, min_exec_time > 0,"
                                        + " min_exec_time <= mean_exec_time,"
                                        + " mean_exec_time <= max_exec_time,"
                                        + " max_exec_time <= total_exec_time"
                                        + " FROM pg_stat_statements"
                                        + " WHERE query = 'SELECT id FROM t WHERE id = $1'"))
                .containsExactly("2|t|t|t|t|t|t|t");
    }

    @Test
    void activityShowsWhatTheOthersDo() {
        try (SqlSession other = database.session()) {
            other.setDefault("application_name", "loader");
            String query =
                    "SELECT state, query, wait_event, xact_start IS NULL, query_start IS NULL,"
                            + " client_addr IS NULL, usename FROM pg_stat_activity"
                            + " WHERE application_name = 'loader'";
            other.execute("CREATE TABLE t (id INT PRIMARY KEY)").close();
            assertThat(rows(query))
                    .containsExactly(
                            "idle|CREATE TABLE t (id INT PRIMARY KEY)|ClientRead|t|f|t|namdb");
            other.execute("BEGIN").close();
            other.execute("INSERT INTO t VALUES (1)").close();
            assertThat(rows(query))
                    .containsExactly(
                            "idle in transaction|INSERT INTO t VALUES (1)|ClientRead|f|f|t|namdb");
            assertThatThrownBy(() -> other.execute("INSERT INTO t VALUES (1)"))
                    .isInstanceOf(SqlException.class);
            assertThat(rows(query))
                    .containsExactly(
                            "idle in transaction (aborted)|INSERT INTO t VALUES (1)|ClientRead|f|f|t|namdb");
            other.execute("ROLLBACK").close();
            try (Result open = other.execute("SELECT 1 FROM generate_series(1, 10)")) {
                assertThat(open.next()).isTrue();
                assertThat(rows(query))
                        .containsExactly(
                                "active|SELECT 1 FROM generate_series(1, 10)|null|f|f|t|namdb");
            }
            assertThat(other.activity().state()).isEqualTo(SessionActivity.State.IDLE);
        }
        assertThat(rows("SELECT count(*) FROM pg_stat_activity")).containsExactly("1");
    }

    @Test
    void aScriptsStatementsAreShownOneByOne() {
        session.run("SELECT 1; SELECT 'a', 2 -- and a remark\n", _ -> {});
        assertThat(rows("SELECT query FROM pg_stat_statements ORDER BY query"))
                .containsExactly("SELECT $1", "SELECT $1, $2");
        session.run(
                "SELECT 3; SELECT query FROM pg_stat_activity",
                result -> {
                    if (result.next() && result.columns().getFirst().name().equals("query")) {
                        assertThat(result.text(0)).isEqualTo("SELECT query FROM pg_stat_activity");
                    }
                });
    }

    @Test
    void superusersAloneMayReadThem() {
        run("CREATE ROLE clerk LOGIN");
        session.execute("SET SESSION AUTHORIZATION clerk").close();
        for (String relation : List.of("pg_stat_activity", "pg_catalog.pg_stat_statements")) {
            assertThatThrownBy(() -> rows("SELECT * FROM " + relation))
                    .isInstanceOfSatisfying(
                            SqlException.class,
                            e -> assertThat(e.state().code()).isEqualTo("42501"));
        }
        assertThatThrownBy(() -> run("SET log_min_duration_statement = 0"))
                .isInstanceOfSatisfying(
                        SqlException.class, e -> assertThat(e.state().code()).isEqualTo("42501"));
    }
}
