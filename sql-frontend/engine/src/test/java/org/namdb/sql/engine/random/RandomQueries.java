package org.namdb.sql.engine.random;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.namdb.sql.engine.golden.Answer;
import org.namdb.sql.engine.golden.GoldenTarget;

/// Sends two databases the same random queries.
public final class RandomQueries {
    private static final String WRONG_STATEMENT = "ERROR 42";

    private final GoldenTarget reference;
    private final GoldenTarget other;

    /// All queries, in order.
    private final List<String> history = new ArrayList<>();

    private boolean isInBlock;
    private int errors;
    private int empty;

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

    /// The result of a comparison.
    ///
    /// @param difference the first one, if any; nothing is queried after it
    public record Result(Optional<Difference> difference, int queries, int errors, int empty) {}

    /// Makes tables from the seed in both databases, which are fresh, and compares their answers to
    /// that many queries. Rows whose order isn't determined are compared as multisets, errors by
    /// their SQLSTATE.
    ///
    /// @param reference the database that is believed
    public static Result compare(
            GoldenTarget reference, GoldenTarget other, long seed, int queries) {
        return new RandomQueries(reference, other).compare(seed, queries);
    }

    /// The queries of a seed.
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
            Optional<Difference> difference = run(seed, statement, true);
            if (difference.isPresent()) {
                return new Result(difference, 0, 0, 0);
            }
        }
        QueryGenerator generator = new QueryGenerator(random, schema);
        IndexQueries indexQueries = new IndexQueries(random, schema);
        RandomChanges changes = new RandomChanges(random, schema);
        int i = 0;
        Optional<Difference> difference = Optional.empty();
        while (i < queries && difference.isEmpty()) {
            i++;
            difference =
                    switch (random.nextInt(24)) {
                        case 0 -> change(seed, changes.next(), schema);
                        case 1 -> border(seed, random);
                        case 2, 3, 4, 5, 6, 7, 8 -> run(seed, indexQueries.next());
                        default -> run(seed, generator.next());
                    };
        }
        return new Result(difference, i, errors, empty);
    }

    /// The begin or end of a transaction block.
    private Optional<Difference> border(long seed, Random random) {
        String statement = isInBlock ? random.nextInt(3) == 0 ? "ROLLBACK" : "COMMIT" : "BEGIN";
        isInBlock = !isInBlock;
        return run(seed, statement, true);
    }

    private Optional<Difference> change(long seed, String statement, RandomSchema schema) {
        Optional<Difference> difference = run(seed, statement, false);
        for (RandomSchema.Table table : schema.tables()) {
            if (difference.isEmpty()) {
                difference = run(seed, "SELECT * FROM " + table.name() + " ORDER BY id", true);
            }
        }
        return difference;
    }

    private Optional<Difference> run(long seed, IndexQueries.IndexQuery query) {
        return run(seed, query.sql(), query.isOrdered());
    }

    private Optional<Difference> run(long seed, Query query) {
        Optional<Difference> difference = run(seed, query.sql(), query.ordered());
        if (difference.isEmpty() || !differs(query)) {
            return difference;
        }
        String smallest = smallest(query).sql();
        return Optional.of(
                new Difference(
                        seed,
                        changes(smallest),
                        smallest,
                        reference.run(smallest, null),
                        other.run(smallest, null)));
    }

    /// Runs a statement in both; the reference must not take it for a wrong one.
    private Optional<Difference> run(long seed, String statement, boolean isOrdered) {
        history.add(statement);
        String expected = answer(reference, statement, isOrdered);
        String actual = answer(other, statement, isOrdered);
        errors += Answer.isError(expected) ? 1 : 0;
        empty += expected.endsWith("(0 rows)") ? 1 : 0;
        if (expected.startsWith(WRONG_STATEMENT) || !expected.equals(actual)) {
            return Optional.of(
                    new Difference(seed, changes(statement), statement, expected, actual));
        }
        if (isInBlock && Answer.isError(expected)) {
            isInBlock = false;
            return run(seed, "ROLLBACK", true);
        }
        return Optional.empty();
    }

    /// The statements before a statement, without the other queries.
    private List<String> changes(String statement) {
        return history.stream()
                .filter(s -> !s.equals(statement) && !s.startsWith("SELECT"))
                .toList();
    }

    /// Removes what can be removed such that the answers still differ.
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
        String expected = answer(reference, query.sql(), query.ordered());
        return !expected.startsWith(WRONG_STATEMENT)
                && !expected.equals(answer(other, query.sql(), query.ordered()));
    }

    private static String answer(GoldenTarget target, String statement, boolean isOrdered) {
        String answer = Answer.binding(target.run(statement, null));
        if (isOrdered) {
            return answer;
        }
        List<String> lines = new ArrayList<>(answer.lines().toList());
        if (lines.size() > 2) {
            Collections.sort(lines.subList(1, lines.size() - 1));
        }
        return String.join("\n", lines);
    }
}
