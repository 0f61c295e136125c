package org.namdb.sql.engine.random;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.namdb.sql.engine.golden.Answer;
import org.namdb.sql.engine.golden.GoldenTarget;
import org.namdb.sql.engine.golden.NamDbTarget;
import org.namdb.sql.engine.golden.PostgresTarget;

/// The random queries themselves: they are what they should be, and a difference between databases
/// is found and made small. `-Dnamdb.queries=N`: N queries of each seed spill, in place of 120.
class RandomQueryTest {
    private static final int QUERIES = 300;
    private static final int SEEDS = 5;
    private static final int SPILLED = Integer.getInteger("namdb.queries", 120);

    private static long seed() {
        long seed = Long.getLong("namdb.seed", new Random().nextLong());
        System.out.println("-Dnamdb.seed=" + seed);
        return seed;
    }

    /// PostgreSQL accepts every query, and gives the same answer twice. Sometimes that is an error;
    /// a few tables give none.
    @Test
    @EnabledIf("org.namdb.sql.engine.golden.PostgresTarget#isGiven")
    void postgresAgreesWithItself() {
        long first = seed();
        int errors = 0;
        for (long seed = first; seed < first + SEEDS; seed++) {
            try (GoldenTarget one = PostgresTarget.fresh();
                    GoldenTarget other = PostgresTarget.fresh()) {
                RandomQueries.Result result = RandomQueries.compare(one, other, seed, QUERIES);
                assertThat(result.difference()).isEmpty();
                errors += result.errors();
            }
        }
        assertThat(errors).isBetween(1, SEEDS * QUERIES / 5);
    }

    @RepeatedTest(5)
    @EnabledIf("org.namdb.sql.engine.golden.PostgresTarget#isGiven")
    void namDbAgreesWithPostgres() {
        long seed = seed();
        try (GoldenTarget postgres = PostgresTarget.fresh();
                GoldenTarget namDb = NamDbTarget.fresh()) {
            assertThat(RandomQueries.compare(postgres, namDb, seed, QUERIES).difference())
                    .isEmpty();
        }
    }

    /// Queries spill most of what they keep, but for those that can't.
    private record Spilling(GoldenTarget target) implements GoldenTarget {
        @Override
        public String run(String statement, @Nullable String copyData) {
            boolean isSpilled =
                    (statement.startsWith("SELECT") || statement.startsWith("("))
                            && !statement.contains("(DISTINCT ")
                            && !statement.contains("IN (SELECT ");
            target.run("SET work_mem = '" + (isSpilled ? "4kB'" : "64MB'"), null);
            return target.run(statement, copyData);
        }

        @Override
        public void close() {
            target.close();
        }
    }

    @RepeatedTest(5)
    void spilledQueriesGiveTheSameAnswers() {
        long seed = seed();
        try (GoldenTarget much = NamDbTarget.fresh();
                GoldenTarget little = new Spilling(NamDbTarget.fresh())) {
            assertThat(RandomQueries.compare(much, little, seed, SPILLED).difference()).isEmpty();
        }
    }

    @Test
    void aSeedMakesTheSameQueriesAgain() {
        assertThat(RandomQueries.queries(7, 50)).isEqualTo(RandomQueries.queries(7, 50));
        assertThat(RandomQueries.queries(7, 50)).isNotEqualTo(RandomQueries.queries(8, 50));
    }

    @Test
    void aThousandQueriesUseAllClauses() {
        String all = String.join("\n", RandomQueries.queries(seed(), 1_000));
        assertThat(all)
                .contains(" LEFT JOIN ", " RIGHT JOIN ", " CROSS JOIN ", " JOIN ", ", t", " ON ")
                .contains(" GROUP BY ", " HAVING ", " UNION ", " UNION ALL ", "SELECT DISTINCT ")
                .contains(
                        " LIMIT ", " OFFSET ", " ORDER BY ", " WHERE ", "EXISTS (", " IN (SELECT ")
                .contains("COUNT(*)", "COUNT(", "SUM(", "AVG(", "CASE WHEN", "COALESCE(", " LIKE ");
    }

    /// Answers every query with nothing, but those with a certain word in them with a row too many.
    private record Wrong(String word, List<String> statements) implements GoldenTarget {
        @Override
        public String run(String statement, @Nullable String copyData) {
            statements.add(statement);
            boolean wrong = !word.isEmpty() && statement.contains(word);
            return Answer.rows(List.of("a"), wrong ? List.of(List.of("1")) : List.of());
        }

        @Override
        public void close() {}
    }

    @Test
    void aDifferenceIsFoundAndLosesWhatDoesNotMatter() {
        GoldenTarget right = new Wrong("", new ArrayList<>());
        GoldenTarget wrong = new Wrong(" LIKE ", new ArrayList<>());
        long seed = seed();
        RandomQueries.Difference difference =
                RandomQueries.compare(right, wrong, seed, 5_000).difference().orElseThrow();
        assertThat(difference.query()).contains(" LIKE ");
        assertThat(difference.query())
                .doesNotContain("UNION", "LIMIT", "ORDER BY", "SELECT DISTINCT");
        assertThat(difference.toString()).startsWith("-Dnamdb.seed=" + seed + "\nCREATE TABLE t0");
    }
}
