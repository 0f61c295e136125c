package org.namdb.sql.engine.isolation;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Steps of several sessions on the table `test (id INT PRIMARY KEY, value INT)`, which at first
/// holds (1, 10) and (2, 20).
///
/// No session waits for a lock: a loser fails at the statement that would change the row, at a
/// later one, or at its COMMIT, whichever the database prefers. A session's BEGIN is always
/// followed by a statement of its own before anything is committed, so it doesn't matter which of
/// the two takes the snapshot.
///
/// @param name the anomaly, as the literature calls it, and the variant
/// @param steps in the order in which they are played
/// @param losers the sessions that must not commit
/// @param conflictStates the SQLSTATEs that a loser may fail with
/// @param firstUpdaterWins false if the winner writes second and commits first, which databases
///     with row locks refuse
/// @param finalRows what the table holds in the end: lines `id value` in the order of the ids
public record Scenario(
        String name,
        List<Step> steps,
        Set<Integer> losers,
        Set<String> conflictStates,
        boolean firstUpdaterWins,
        List<String> finalRows) {
    /// SQLSTATE serialization_failure.
    public static final String SERIALIZATION_FAILURE = "40001";

    /// One statement.
    ///
    /// @param session 1 to 3
    /// @param expected the rows, values joined by blanks, in any order; null if it isn't a query
    public record Step(int session, String sql, @Nullable List<String> expected) {
        @Override
        public String toString() {
            return "T" + session + ": " + sql;
        }
    }

    @Override
    public String toString() {
        return name;
    }

    static Builder named(String name) {
        return new Builder(name);
    }

    /// Collects the steps of a scenario.
    static final class Builder {
        private final String name;
        private final List<Step> steps = new ArrayList<>();
        private Set<Integer> losers = Set.of();
        private Set<String> conflictStates = Set.of(SERIALIZATION_FAILURE);
        private boolean firstUpdaterWins = true;

        private Builder(String name) {
            this.name = name;
        }

        Builder run(int session, String sql) {
            steps.add(new Step(session, sql, null));
            return this;
        }

        Builder begin(int session) {
            return run(session, "BEGIN ISOLATION LEVEL REPEATABLE READ");
        }

        Builder commit(int session) {
            return run(session, "COMMIT");
        }

        Builder set(int session, int id, int value) {
            return run(session, "UPDATE test SET value = " + value + " WHERE id = " + id);
        }

        Builder sees(int session, String sql, String... rows) {
            steps.add(new Step(session, sql, List.of(rows)));
            return this;
        }

        /// The whole table.
        Builder seesAll(int session, String... rows) {
            return sees(session, "SELECT id, value FROM test", rows);
        }

        Builder seesValue(int session, int id, int value) {
            return sees(session, "SELECT value FROM test WHERE id = " + id, "" + value);
        }

        Builder loses(int session, String... otherStates) {
            losers = Set.of(session);
            List<String> states = new ArrayList<>(List.of(otherStates));
            states.add(SERIALIZATION_FAILURE);
            conflictStates = Set.copyOf(states);
            return this;
        }

        Builder secondUpdaterWins() {
            firstUpdaterWins = false;
            return this;
        }

        Scenario leaves(String... rows) {
            return new Scenario(
                    name,
                    List.copyOf(steps),
                    losers,
                    conflictStates,
                    firstUpdaterWins,
                    List.of(rows));
        }
    }
}
