package org.namdb.sql.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.sql.language.error.SqlException;

/// Random statements over up to half a million rows each, in a JVM whose heap has 256 MiB, compared
/// with a model of what the table holds: the process lives, and the data are right.
///
/// For longer: `-Dnamdb.seconds=600`.
class LargeStatementsTest {
    private static final int USUAL_SECONDS = 10;

    @Test
    @Tag("long")
    void theHeapDoesNotGrowWithTheRows() throws Exception {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process =
                new ProcessBuilder(
                                java,
                                "-Xmx256m",
                                "-ea",
                                "--enable-native-access=ALL-UNNAMED",
                                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Statements.class.getName(),
                                String.valueOf(seed),
                                String.valueOf(Integer.getInteger("namdb.seconds", USUAL_SECONDS)))
                        .redirectErrorStream(true)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("statements, all right");
        System.out.print(output);
    }

    /// What runs in a JVM of its own.
    static final class Statements {
        private static final int IDS = 500_000;
        private static final int ABSENT = Integer.MIN_VALUE;
        private static final int MODULUS = 1_000_003;

        private final SqlSession session;
        private final SplittableRandom random;

        /// The values by id; `ABSENT` where there is no row.
        private int[] values = new int[IDS + 1];

        private int done;

        private Statements(SqlSession session, SplittableRandom random) {
            this.session = session;
            this.random = random;
            Arrays.fill(values, ABSENT);
        }

        public static void main(String[] arguments) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.parseLong(arguments[1]));
            EmbeddedOptions options =
                    EmbeddedOptions.DEFAULT.withMemoryBytes(2L << 30).withSlots(8);
            try (SqlDatabase database = SqlDatabase.embedded(options);
                    SqlSession session = database.session()) {
                SqlFixture.run(
                        session, "CREATE TABLE t (id INT PRIMARY KEY, v INT, note VARCHAR(16))");
                SqlFixture.run(session, "SET work_mem = '4MB'");
                var run =
                        new Statements(session, new SplittableRandom(Long.parseLong(arguments[0])));
                while (System.nanoTime() < end) {
                    run.next();
                }
                System.out.println(run.done + " statements, all right");
            }
        }

        private void next() {
            switch (random.nextInt(10)) {
                case 0, 1 -> insert();
                case 2, 3 -> update();
                case 4 -> delete();
                case 5 -> rolledBack();
                case 6 -> sorted();
                case 7 -> grouped();
                case 8 -> joined();
                default -> copied();
            }
            long count = 0;
            long sum = 0;
            for (int value : values) {
                count += value == ABSENT ? 0 : 1;
                sum += value == ABSENT ? 0 : value;
            }
            check(count + "|" + sum, "SELECT count(*), coalesce(sum(v), 0) FROM t");
        }

        private void insert() {
            int from = 1 + random.nextInt(IDS);
            int to = Math.min(IDS, from + random.nextInt(IDS));
            for (int id = from; id <= to; id++) {
                values[id] = values[id] == ABSENT ? id * 7 % MODULUS : values[id] + 1;
            }
            run(
                    ("INSERT INTO t SELECT i, i * 7 %% %d, 'row ' || i FROM generate_series(%d, %d) g (i)"
                                    + " ON CONFLICT (id) DO UPDATE SET v = t.v + 1")
                            .formatted(MODULUS, from, to));
        }

        private void update() {
            int divisor = 1 + random.nextInt(4);
            int more = 1 + random.nextInt(9);
            for (int id = 0; id <= IDS; id++) {
                if (values[id] != ABSENT && values[id] % divisor == 0) {
                    values[id] += more;
                }
            }
            run("UPDATE t SET v = v + " + more + " WHERE v % " + divisor + " = 0");
        }

        private void delete() {
            int from = 1 + random.nextInt(IDS);
            int to = Math.min(IDS, from + random.nextInt(IDS / 2));
            Arrays.fill(values, from, to + 1, ABSENT);
            run("DELETE FROM t WHERE id BETWEEN " + from + " AND " + to);
        }

        private void rolledBack() {
            int[] before = values.clone();
            run("BEGIN");
            update();
            insert();
            delete();
            values = before;
            run("ROLLBACK");
        }

        private void sorted() {
            long[] keys = new long[IDS + 1];
            int count = 0;
            for (int id = 0; id <= IDS; id++) {
                if (values[id] != ABSENT) {
                    keys[count++] = (long) -values[id] << Integer.SIZE | id;
                }
            }
            Arrays.sort(keys, 0, count);
            int skipped = count == 0 ? 0 : random.nextInt(count);
            List<String> expected = new ArrayList<>();
            for (int at = skipped; at < Math.min(count, skipped + 3); at++) {
                expected.add((int) keys[at] + "|row " + (int) keys[at]);
            }
            check(
                    String.join("; ", expected),
                    "SELECT id, note FROM t ORDER BY v DESC, id LIMIT 3 OFFSET " + skipped);
        }

        private void grouped() {
            int[] sorted =
                    Arrays.stream(values).filter(value -> value != ABSENT).sorted().toArray();
            long distinct = Arrays.stream(sorted).distinct().count();
            check(
                    distinct + "|" + sorted.length,
                    "SELECT count(*), coalesce(sum(n), 0) FROM (SELECT v, count(*) AS n FROM t GROUP BY v) g");
        }

        private void joined() {
            long count = 0;
            for (int value : values) {
                boolean isThere = value >= 0 && value <= IDS && values[value] != ABSENT;
                count += isThere ? 1 : 0;
            }
            check(
                    String.valueOf(count),
                    "SELECT count(*) FROM t a JOIN t b ON b.id = a.v WHERE b.note LIKE 'row %'");
        }

        private void copied() {
            StringWriter text = new StringWriter();
            int divisor = 8 + random.nextInt(8);
            session.copyOut(
                    "COPY (SELECT * FROM t WHERE id % " + divisor + " = 0) TO STDOUT", text);
            run("DELETE FROM t WHERE id % " + divisor + " = 0");
            session.copyIn("COPY t FROM STDIN", new StringReader(text.toString()));
        }

        private void run(String sql) {
            done++;
            try {
                String _ = SqlFixture.run(session, sql);
            } catch (SqlException e) {
                throw new AssertionError(sql, e);
            }
        }

        private void check(String expected, String query) {
            done++;
            String found = SqlFixture.rows(session, query);
            if (!found.equals(expected)) {
                throw new AssertionError(query + ": " + found + ", not " + expected);
            }
        }
    }
}
