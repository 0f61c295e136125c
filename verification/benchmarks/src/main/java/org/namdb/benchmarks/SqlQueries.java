package org.namdb.benchmarks;

import java.util.concurrent.TimeUnit;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.language.parser.SqlParser;
import org.namdb.sql.language.result.Result;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// Queries of many rows, and the parser on a long text.
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
        value = 1,
        jvmArgsAppend = {
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Xmx2g"
        })
public class SqlQueries {
    private static final int LINES = 1_000_000;
    private static final int BATCH = 50_000;
    private static final int PARSED_BYTES = 1 << 20;

    /// A million order lines of a hundred thousand items.
    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH calls the set-up before all else
    public static class Orders {
        private static final long MEMORY_BYTES = 3L << 30;

        private SqlDatabase database;
        private SqlSession session;

        /// Fills the tables.
        @Setup(Level.Trial)
        public void open() {
            database = SqlDatabase.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(MEMORY_BYTES));
            session = database.session();
            session.run(
                    "CREATE TABLE item (id BIGINT PRIMARY KEY, kind INT, price DECIMAL(8, 2), name VARCHAR(20))"
                            + " WITH (expected_rows = 100000);"
                            + " CREATE TABLE line (id BIGINT PRIMARY KEY, item BIGINT, quantity INT)"
                            + " WITH (expected_rows = 1000000);"
                            + " INSERT INTO item SELECT i, i % 100, 1.25, 'item ' || i"
                            + " FROM generate_series(0, 99999) AS s (i)",
                    result -> {});
            for (int from = 0; from < LINES; from += BATCH) {
                Result result =
                        session.execute(
                                "INSERT INTO line SELECT i, i * 7919 % 100000, i % 10"
                                        + " FROM generate_series(?::bigint, ?) AS s (i)",
                                from, from + BATCH - 1);
                result.close();
            }
        }

        /// Frees the memory.
        @TearDown(Level.Trial)
        public void close() {
            session.close();
            database.close();
        }

        private long rows(String sql) {
            try (Result result = session.execute(sql)) {
                while (result.next()) {
                    // counted by the result
                }
                return result.rowCount();
            }
        }
    }

    /// A megabyte of statements.
    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH calls the set-up before all else
    public static class Script {
        private String text;

        /// Writes it.
        @Setup(Level.Trial)
        public void write() {
            StringBuilder script = new StringBuilder();
            for (int i = 0; script.length() < PARSED_BYTES; i++) {
                script.append("INSERT INTO line (id, item, quantity) VALUES (")
                        .append(i)
                        .append(
                                ", (SELECT max(id) FROM item WHERE kind BETWEEN 3 AND 7 AND name LIKE 'a%'), ")
                        .append(i % 10)
                        .append(" + 1);\n");
            }
            text = script.toString();
        }
    }

    /// The join of the lines with their items, grouped.
    @Benchmark
    public long joinOfAMillionLines(Orders orders) {
        return orders.rows(
                "SELECT i.kind, count(*), sum(l.quantity) FROM line l JOIN item i ON l.item = i.id GROUP BY i.kind");
    }

    @Benchmark
    public long scanOfAMillionLines(Orders orders) {
        return orders.rows("SELECT count(*) FROM line WHERE quantity > 5");
    }

    @Benchmark
    public int parseOfOneMegabyte(Script script) {
        return SqlParser.parse(script.text).size();
    }
}
