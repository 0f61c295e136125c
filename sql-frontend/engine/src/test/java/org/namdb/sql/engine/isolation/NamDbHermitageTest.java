package org.namdb.sql.engine.isolation;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.result.Result;

/// What snapshot isolation forbids does not happen, and write skew can.
class NamDbHermitageTest {
    static List<Scenario> scenarios() {
        return Hermitage.scenarios();
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void namDbDoesAsExpected(Scenario scenario) throws SqlFailure {
        try (SqlDatabase database =
                SqlDatabase.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(256 << 20))) {
            ScenarioPlayer.play(scenario, () -> new Connection(once(database.session())));
        }
    }

    /// A session whose blocks are not run again: a loser is to be seen.
    private static SqlSession once(SqlSession session) {
        session.execute("SET namdb.block_attempts = 1").close();
        return session;
    }

    private record Connection(SqlSession session) implements SqlConnection {
        @Override
        public List<List<@Nullable String>> query(String sql) throws SqlFailure {
            List<List<@Nullable String>> rows = new ArrayList<>();
            try (Result result = session.execute(sql)) {
                while (result.hasRows() && result.next()) {
                    List<@Nullable String> row = new ArrayList<>();
                    for (int i = 0; i < result.columns().size(); i++) {
                        row.add(result.text(i));
                    }
                    rows.add(row);
                }
                return rows;
            } catch (SqlException e) {
                throw new SqlFailure(e.state().code(), String.valueOf(e.getMessage()));
            }
        }

        @Override
        public void close() {
            session.close();
        }
    }
}
