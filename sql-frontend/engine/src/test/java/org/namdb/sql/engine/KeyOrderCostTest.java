package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.fabric.shm.ShmFabric;

/// What the order of a primary key costs those who insert: verbs are counted, on a fabric whose
/// reads land.
class KeyOrderCostTest {
    private static final int ROWS = 20_000;

    private static SqlDatabase database() {
        return SqlDatabase.embedded(
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(192L << 20)
                        .withMaintenanceInterval(Duration.ofHours(1))
                        .withFabric(() ->
                                new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false))));
    }

    /// Round trips and verbs of one statement for each of its rows.
    private record Cost(double roundTrips, double verbs) {
        static Cost of(SqlSession session, String sql, int rows) {
            SqlFixture.run(session, sql);
            return new Cost(
                    (double) session.lastVerbs().roundTrips() / rows,
                    (double) session.lastVerbs().verbs() / rows);
        }

        Cost minus(Cost other) {
            return new Cost(roundTrips - other.roundTrips, verbs - other.verbs);
        }
    }

    /// What an insert of a row costs, the fewest of several, and each row of a load.
    private static Cost[] costs(String with) {
        try (SqlDatabase database = database();
                SqlSession session = database.session()) {
            SqlFixture.run(
                    session,
                    "CREATE TABLE t (id INT PRIMARY KEY, v INT) WITH (expected_rows = 100000%s);"
                                    .formatted(with)
                            + " INSERT INTO t SELECT 2 * (i * 7919 %% %d), i FROM generate_series(1, %d) s (i)"
                                    .formatted(ROWS, ROWS));
            Cost one = new Cost(Double.MAX_VALUE, Double.MAX_VALUE);
            for (int i = 0; i < 9; i++) {
                Cost cost =
                        Cost.of(
                                session,
                                "INSERT INTO t VALUES (%d, 1)".formatted(1001 + 4002 * i),
                                1);
                one = cost.roundTrips < one.roundTrips ? cost : one;
            }
            String load =
                    "INSERT INTO t SELECT 50000 + i, i FROM generate_series(1, %d) s (i)"
                            .formatted(ROWS);
            return new Cost[] {one, Cost.of(session, load, ROWS)};
        }
    }

    @Test
    void anInsertTakesARoundTripMoreAndALoadFewVerbs() {
        Cost[] ordered = costs("");
        Cost[] unordered = costs(", ordered = false");
        Cost one = ordered[0].minus(unordered[0]);
        Cost load = ordered[1].minus(unordered[1]);
        assertThat(one.roundTrips).as("round trips of an insert").isEqualTo(1);
        // A thousand entries are a run, which takes some eight.
        assertThat(load.roundTrips).as("round trips for a row of a load").isLessThan(0.012);
        assertThat(load.verbs).as("verbs for a row of a load").isLessThan(0.1);
    }
}
