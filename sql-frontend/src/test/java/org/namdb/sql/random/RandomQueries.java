package org.namdb.sql.random;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.namdb.sql.golden.Answer;
import org.namdb.sql.golden.GoldenTarget;

/// Asks two databases the same random questions.
public final class RandomQueries {
    private static final String WRONG_STATEMENT = "ERROR 42";

    private final GoldenTarget reference;
    private final GoldenTarget other;

    private RandomQueries(GoldenTarget reference, GoldenTarget other) {
        this.reference = reference;
        this.other = other;
    }

    /// What the databases answered differently.
    ///
    /// @param statements what made the tables and rows
    /// @param query the smallest query found that is answered differently
    public record Difference(
            long seed, List<String> statements, String query, String expected, String actual) {
        @Override
        public String toString() {
            return "-Dnamdb.seed=%d\n%s;\n%s;\n--- expected:\n%s\n--- actual:\n%s\n"
                    .formatted(seed, String.join(";\n", statements), query, expected, actual);
        }
    }

    /// What a comparison came to.
    ///
    /// @param difference the first one, if any; nothing is asked after it
    public record Result(Optional<Difference> difference, int queries, int errors, int empty) {}

    /// Makes tables from the seed in both databases, which are fresh, and compares their answers to that many queries. Rows whose
    /// order isn't determined are compared as multisets, errors by their SQLSTATE.
    ///
    /// @param reference the database that is believed
    public static Result compare(
            GoldenTarget reference, GoldenTarget other, long seed, int queries) {
        return new RandomQueries(reference, other).compare(seed, queries);
    }

    /// The queries of a seed, as they would be asked.
    public static List<String> queries(long seed, int count) {
        Random random = new Random(seed);
        QueryGenerator generator = new QueryGenerator(random, RandomSchema.random(random));
        List<String> queries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            queries.add(generator.next().sql());
        }
        return queries;
    }

    private Result compare(long seed, int queries) {
        Random random = new Random(seed);
        RandomSchema schema = RandomSchema.random(random);
        for (String statement : schema.statements()) {
            String expected = reference.run(statement, null);
            String actual = other.run(statement, null);
            if (Answer.isError(expected) || !expected.equals(actual)) {
                Difference difference =
                        new Difference(seed, schema.statements(), statement, expected, actual);
                return new Result(Optional.of(difference), 0, 0, 0);
            }
        }
        QueryGenerator generator = new QueryGenerator(random, schema);
        int errors = 0;
        int empty = 0;
        for (int i = 0; i < queries; i++) {
            Query query = generator.next();
            String expected = answer(reference, query);
            errors += Answer.isError(expected) ? 1 : 0;
            empty += expected.endsWith("(0 rows)") ? 1 : 0;
            if (expected.startsWith(WRONG_STATEMENT) || !expected.equals(answer(other, query))) {
                Difference difference = difference(seed, schema, smallest(query));
                return new Result(Optional.of(difference), i + 1, errors, empty);
            }
        }
        return new Result(Optional.empty(), queries, errors, empty);
    }

    private Difference difference(long seed, RandomSchema schema, Query query) {
        return new Difference(
                seed,
                schema.statements(),
                query.sql(),
                reference.run(query.sql(), null),
                other.run(query.sql(), null));
    }

    /// Takes away what can be taken away such that the answers still differ.
    private Query smallest(Query query) {
        Query smallest = query;
        Optional<Query> smaller = Optional.of(query);
        while (smaller.isPresent()) {
            smallest = smaller.get();
            smaller = smallest.smaller().stream().filter(this::differs).findFirst();
        }
        return smallest;
    }

    /// A query that the reference refuses as wrong is no example.
    private boolean differs(Query query) {
        String expected = answer(reference, query);
        return !expected.startsWith(WRONG_STATEMENT) && !expected.equals(answer(other, query));
    }

    private static String answer(GoldenTarget target, Query query) {
        String answer = Answer.binding(target.run(query.sql(), null));
        if (query.ordered()) {
            return answer;
        }
        List<String> lines = new ArrayList<>(answer.lines().toList());
        if (lines.size() > 2) {
            Collections.sort(lines.subList(1, lines.size() - 1));
        }
        return String.join("\n", lines);
    }
}
