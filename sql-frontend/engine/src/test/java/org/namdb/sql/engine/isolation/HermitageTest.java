package org.namdb.sql.engine.isolation;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.namdb.sql.engine.golden.PostgresTarget;

/// The scenarios are right for PostgreSQL's snapshot isolation. There a writer waits for a row's
/// lock; a short time limit makes the wait a failure.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIf("org.namdb.sql.engine.golden.PostgresTarget#isGiven")
class HermitageTest {
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private PostgresTarget database;

    @BeforeAll
    void createDatabase() {
        database = PostgresTarget.fresh();
    }

    @AfterAll
    void dropDatabase() {
        database.close();
    }

    static List<Scenario> scenarios() {
        return Hermitage.scenarios();
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void postgresDoesAsExpected(Scenario scenario) throws SqlFailure {
        assumeThat(scenario.firstUpdaterWins()).isTrue();
        ScenarioPlayer.play(scenario, () -> new JdbcConnection(database));
    }

    private static final class JdbcConnection implements SqlConnection {
        private final Connection connection;

        JdbcConnection(PostgresTarget database) {
            try {
                connection = database.connectAgain();
                query("SET lock_timeout = 100");
            } catch (SQLException | SqlFailure e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public List<List<@Nullable String>> query(String sql) throws SqlFailure {
            List<List<@Nullable String>> rows = new ArrayList<>();
            try (Statement statement = connection.createStatement()) {
                if (statement.execute(sql)) {
                    ResultSet result = statement.getResultSet();
                    while (result.next()) {
                        List<@Nullable String> row = new ArrayList<>();
                        for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                            row.add(result.getString(i));
                        }
                        rows.add(row);
                    }
                }
                return rows;
            } catch (SQLException e) {
                boolean waited = LOCK_NOT_AVAILABLE.equals(e.getSQLState());
                String state = waited ? Scenario.SERIALIZATION_FAILURE : e.getSQLState();
                throw new SqlFailure(String.valueOf(state), String.valueOf(e.getMessage()));
            }
        }

        @Override
        public void close() {
            try {
                connection.close();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
