package org.namdb.sql.engine.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Plays a scenario on a database and asserts that it went as it should.
public final class ScenarioPlayer {
    private final Scenario scenario;
    private final Map<Integer, SqlConnection> sessions = new TreeMap<>();
    private final Set<Integer> failed = new HashSet<>();

    private ScenarioPlayer(Scenario scenario) {
        this.scenario = scenario;
    }

    /// Creates the table again, plays all steps and checks what is left.
    ///
    /// @param database opens sessions with one database, in which the table `test` may be dropped
    public static void play(Scenario scenario, SqlConnection.Factory database) throws SqlFailure {
        ScenarioPlayer player = new ScenarioPlayer(scenario);
        try (SqlConnection observer = database.open()) {
            observer.query("DROP TABLE IF EXISTS test");
            observer.query("CREATE TABLE test (id INT PRIMARY KEY, value INT)");
            observer.query("INSERT INTO test VALUES (1, 10), (2, 20)");
            player.playSteps(database);
            assertThat(player.failed).as("sessions that failed").isEqualTo(scenario.losers());
            assertThat(lines(observer.query("SELECT id, value FROM test ORDER BY id")))
                    .as("rows in the end")
                    .isEqualTo(scenario.finalRows());
        }
    }

    private void playSteps(SqlConnection.Factory database) throws SqlFailure {
        try {
            for (Scenario.Step step : scenario.steps()) {
                SqlConnection session =
                        sessions.computeIfAbsent(step.session(), number -> database.open());
                // The steps of a session after its failure are left out.
                if (!failed.contains(step.session())) {
                    playStep(session, step);
                }
            }
        } finally {
            sessions.values().forEach(SqlConnection::close);
        }
    }

    private void playStep(SqlConnection session, Scenario.Step step) throws SqlFailure {
        try {
            List<String> rows = lines(session.query(step.sql()));
            if (step.expected() != null) {
                assertThat(rows)
                        .as("%s", step)
                        .containsExactlyInAnyOrderElementsOf(step.expected());
            }
        } catch (SqlFailure e) {
            assertThat(scenario.losers()).as("%s fails: %s", step, e).contains(step.session());
            assertThat(scenario.conflictStates()).as("%s: %s", step, e).contains(e.sqlState());
            failed.add(step.session());
            session.query("ROLLBACK");
        }
    }

    private static List<String> lines(List<List<@Nullable String>> rows) {
        return rows.stream()
                .map(row -> row.stream().map(String::valueOf).collect(Collectors.joining(" ")))
                .toList();
    }
}
