package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.fabric.shm.ShmFabric;

/// How many round trips ranges of an ordered index take, begin and end included.
class RangeCostTest {
    private static final int ROWS = 20_000;

    private SqlDatabase database;
    private SqlSession session;

    @AfterEach
    void close() {
        session.close();
        database.close();
    }

    private void open(boolean inPlace) {
        database =
                SqlDatabase.embedded(
                        EmbeddedOptions.DEFAULT
                                .withMemoryBytes(192L << 20)
                                .withMemoryServers(4)
                                .withMaintenanceInterval(Duration.ofHours(1))
                                .withFabric(() ->
                                        new ShmFabric(
                                                ShmFabric.Options.DEFAULT.withReadsInPlace(
                                                        inPlace))));
        session = database.session();
        SqlFixture.run(
                session,
                "CREATE TABLE t (id INT PRIMARY KEY, v INT, c VARCHAR(20)) WITH (expected_rows = 60000); "
                        + "INSERT INTO t SELECT i, i * 7919 %% %d, 'c' FROM generate_series(1, %d) s (i); "
                                .formatted(ROWS, ROWS)
                        + "CREATE INDEX t_v ON t USING BTREE (v)");
    }

    /// Of several, as every sixteenth transaction collects garbage.
    private long fewest(String sql, int rows) {
        long fewest = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            assertThat(SqlFixture.rows(session, sql).split("; ").length).isEqualTo(rows);
            fewest = Math.min(fewest, session.lastVerbs().roundTrips());
        }
        return fewest;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aThousandRowsAreAtMostTwelveRoundTrips(boolean inPlace) {
        open(inPlace);
        assertThat(fewest("SELECT c FROM t WHERE v BETWEEN 5000 AND 5999", 1_000))
                .isLessThanOrEqualTo(12);
        assertThat(fewest("SELECT c FROM t WHERE v BETWEEN 5000 AND 5999 ORDER BY v DESC", 1_000))
                .isLessThanOrEqualTo(12);
        assertThat(fewest("SELECT c FROM t WHERE v >= 5000 ORDER BY v LIMIT 1000", 1_000))
                .isLessThanOrEqualTo(12);
    }

    /// Begin, entries, rows, end; and where a hundred rows are met, one more for the leaves of the
    /// next inner node, and one for a record in an overflow area.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aKnownLimitIsReadAtOnce(boolean inPlace) {
        open(inPlace);
        for (int limit : new int[] {1, 3, 20, 100}) {
            assertThat(fewest("SELECT c FROM t WHERE v >= 5000 ORDER BY v LIMIT " + limit, limit))
                    .as("LIMIT %d", limit)
                    .isLessThanOrEqualTo(limit == 1 ? 4 : 6);
        }
    }
}
