package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.sql.language.error.SqlException;

/// What is said, and what is left, when memory or the fabric fails.
class FailuresTest {
    private static final EmbeddedOptions SMALL =
            EmbeddedOptions.DEFAULT.withMemoryBytes(64L << 20).withSlots(8);

    private static final String BIG =
            "CREATE TABLE big (id INT PRIMARY KEY, t TEXT) WITH (expected_rows = 1000)";

    @SuppressWarnings("serial")
    private static final BigDecimal FULL_HEAP =
            new BigDecimal(1) {
                @Override
                public float floatValue() {
                    throw new OutOfMemoryError("planted");
                }
            };

    @Test
    void fullMemoryFailsTheStatementAndNothingElse() {
        try (SqlDatabase database = SqlDatabase.embedded(SMALL);
                SqlSession session = database.session()) {
            SqlFixture.run(
                    session,
                    BIG
                            + "; CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 1); UPDATE t SET v = 1");
            int rows = fill(session);
            assertThat(SqlFixture.rows(session, "SELECT count(*) FROM big"))
                    .isEqualTo(String.valueOf(rows));
            assertThat(session.status()).isEqualTo(TransactionStatus.IDLE);
            try (SqlSession other = database.session()) {
                assertThat(SqlFixture.rows(other, "SELECT v FROM t")).isEqualTo("1");
                assertThat(SqlFixture.rows(other, "SELECT length(t) FROM big WHERE id = 7"))
                        .isEqualTo("1000");
            }
            SqlFixture.run(session, "DROP TABLE big");
            assertThat(SqlFixture.run(session, "UPDATE t SET v = v + 1 WHERE id = 1"))
                    .isEqualTo("UPDATE 1");
            SqlFixture.run(session, BIG);
            assertThat(fill(session)).isGreaterThan(rows / 2);
        }
    }

    /// The heap must not be: all transactions would be in danger.
    @Test
    void aTransactionThatIsTooLargeForTheHeapFailsAndTheOthersGoOn() {
        try (SqlDatabase database =
                        SqlDatabase.embedded(SMALL.withTransactionMemoryBytes(1 << 20));
                SqlSession session = database.session();
                SqlSession other = database.session()) {
            SqlFixture.run(session, "CREATE TABLE s (id INT PRIMARY KEY, v INT)");
            SqlFixture.run(other, "BEGIN; INSERT INTO s VALUES (-1, 5)");
            assertThatThrownBy(() ->
                            SqlFixture.run(
                                    session,
                                    "INSERT INTO s SELECT i, i FROM generate_series(1,"
                                            + " 100000) g (i)"))
                    .isInstanceOfSatisfying(
                            SqlException.class,
                            e -> assertThat(e.state().code()).isEqualTo("53200"));
            assertThat(session.status()).isEqualTo(TransactionStatus.IDLE);
            assertThat(SqlFixture.run(other, "COMMIT")).isEqualTo("COMMIT");
            assertThat(
                            SqlFixture.run(
                                    session,
                                    "INSERT INTO s SELECT i, i FROM generate_series(1,"
                                            + " 1000) g (i)"))
                    .isEqualTo("INSERT 0 1000");
            assertThat(SqlFixture.rows(other, "SELECT count(*) FROM s")).isEqualTo("1001");
        }
    }

    /// A schema change of another thread does not end.
    @Test
    void aStatementThatWaitsToBeginEndsAtItsTimeout() throws Exception {
        CountDownLatch defines = new CountDownLatch(1);
        CountDownLatch isOver = new CountDownLatch(1);
        try (SqlFixture db = new SqlFixture()) {
            db.run("CREATE TABLE t (id INT PRIMARY KEY); SET statement_timeout = 20");
            Thread ddlSession =
                    Thread.ofVirtual()
                            .start(() ->
                                    db.database.changeSchema(
                                            60_000,
                                            () -> {},
                                            () -> {
                                                defines.countDown();
                                                awaitQuietly(isOver);
                                            }));
            try {
                assertThat(defines.await(60, TimeUnit.SECONDS)).isTrue();
                assertThat(db.error("SELECT * FROM t"))
                        .isEqualTo("57014 canceling statement due to statement timeout");
            } finally {
                isOver.countDown();
            }
            ddlSession.join();
            db.run("SET statement_timeout = 0");
            assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("0");
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Inserts until memory is full.
    private static int fill(SqlSession session) {
        int rows = 0;
        while (insert(session, rows, 500)) {
            rows += 500;
        }
        return rows;
    }

    /// DELETE and TRUNCATE need memory before they free more: it is kept for them.
    @Test
    void whatIsFullToTheLastByteCanBeEmptied() {
        try (SqlDatabase database = SqlDatabase.embedded(SMALL);
                SqlSession session = database.session()) {
            SqlFixture.run(session, BIG);
            int rows = fillUp(session);
            assertThat(
                            SqlFixture.error(
                                    session, "UPDATE big SET t = repeat('y', 1000) WHERE id < 100"))
                    .startsWith("53200");
            for (int id = 0; id < 200; id += 50) {
                assertThat(SqlFixture.run(session, "DELETE FROM big WHERE id < " + (id + 50)))
                        .isEqualTo("DELETE 50");
            }
            assertThat(fillUp(session)).isGreaterThanOrEqualTo(rows - 200);
            SqlFixture.run(session, "BEGIN; TRUNCATE big; COMMIT");
            assertThat(fillUp(session)).isGreaterThan(rows / 2);
            assertThat(SqlFixture.run(session, "TRUNCATE big")).isEqualTo("TRUNCATE TABLE");
            assertThat(fillUp(session)).isGreaterThan(rows / 2);
        }
    }

    /// Inserts until there is no memory for one more row.
    ///
    /// @return how many there are
    private static int fillUp(SqlSession session) {
        int rows = Integer.parseInt(SqlFixture.rows(session, "SELECT count(*) FROM big"));
        int next =
                Integer.parseInt(
                        SqlFixture.rows(session, "SELECT coalesce(max(id) + 1, 0) FROM big"));
        for (int together = 500; together > 0; together /= 2) {
            while (insert(session, next, together)) {
                next += together;
                rows += together;
            }
        }
        return rows;
    }

    private static boolean insert(SqlSession session, int first, int rows) {
        try {
            SqlFixture.rows(
                    session,
                    "INSERT INTO big SELECT i, repeat('x', 1000) FROM generate_series(?::int, ?) s(i)",
                    first,
                    first + rows - 1);
            return true;
        } catch (SqlException e) {
            assertThat(e.state().code()).isEqualTo("53200");
            return false;
        }
    }

    @Test
    void anAlterWithoutMemoryChangesNothing() {
        try (SqlDatabase database = SqlDatabase.embedded(SMALL);
                SqlSession session = database.session()) {
            SqlFixture.run(session, BIG + "; CREATE TABLE keeper (id INT REFERENCES big)");
            int rows = fill(session);
            String tables = String.join(",", database.engine().tableNames());
            for (String alter :
                    new String[] {
                        "ADD COLUMN c INT DEFAULT 7 UNIQUE",
                        "ADD COLUMN c INT DEFAULT 7, ADD UNIQUE (id, c)",
                        "DROP CONSTRAINT big_pkey CASCADE",
                        "ADD CONSTRAINT u UNIQUE (id)"
                    }) {
                assertThat(SqlFixture.error(session, "ALTER TABLE big " + alter))
                        .as(alter)
                        .matches("(53200|23505)(?s).*");
                assertThat(String.join(",", database.engine().tableNames())).isEqualTo(tables);
                assertThat(SqlFixture.rows(session, "SELECT count(*), max(id) FROM big"))
                        .isEqualTo(rows + "|" + (rows - 1));
            }
            assertThat(SqlFixture.error(session, "INSERT INTO keeper VALUES (-1)"))
                    .matches("(23503|53200)(?s).*");
        }
    }

    @Test
    void aLostServerIsAConnectionFailure() {
        ShmFabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
        EmbeddedOptions options = SMALL.withMemoryServers(2).withFabric(() -> fabric);
        SqlDatabase database = SqlDatabase.embedded(options);
        SqlSession session = database.session();
        SqlSession inBlock = database.session();
        SqlFixture.run(
                session,
                "CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t SELECT i FROM generate_series(1, 100) s(i)");
        SqlFixture.run(inBlock, "BEGIN; SELECT count(*) FROM t");
        fabric.leave(1);
        assertThat(SqlFixture.error(session, "SELECT count(*) FROM t")).startsWith("08006");
        assertThat(
                        SqlFixture.error(
                                session,
                                "INSERT INTO t SELECT i FROM generate_series(101, 200) s(i)"))
                .startsWith("08006");
        assertThat(SqlFixture.error(inBlock, "SELECT count(*) FROM t")).startsWith("08006");
        assertThat(inBlock.status()).isEqualTo(TransactionStatus.FAILED);
        session.close();
        inBlock.close();
        assertThat(database.sessionCount()).isZero();
    }

    /// The heap of the process is full while a statement runs: half of it must not be committed.
    @Test
    void aFullHeapFailsTheBlock() {
        try (SqlFixture db = new SqlFixture()) {
            db.run(
                    "CREATE TABLE t (id INT PRIMARY KEY, v REAL); BEGIN; INSERT INTO t VALUES (1, 1)");
            assertThatThrownBy(() -> db.session.execute("INSERT INTO t VALUES (2, $1)", FULL_HEAP))
                    .isInstanceOfSatisfying(
                            SqlException.class,
                            e -> assertThat(e.state().code()).isEqualTo("53200"));
            assertThat(db.session.status()).isEqualTo(TransactionStatus.FAILED);
            assertThat(db.run("COMMIT")).isEqualTo("ROLLBACK");
            assertThat(db.run("INSERT INTO t VALUES (3, 3)")).isEqualTo("INSERT 0 1");
            assertThat(db.rows("SELECT id FROM t")).isEqualTo("3");
        }
    }

    @Test
    void aRowThatIsTooWideIsRefusedWithItsSize() {
        try (SqlFixture db = new SqlFixture()) {
            assertThat(
                            db.error(
                                    "CREATE TABLE w (id INT PRIMARY KEY, a varchar(8000 bytes), b varchar(8000 bytes),"
                                            + " c varchar(8000 bytes), d varchar(8000 bytes),"
                                            + " e varchar(8000 bytes))"))
                    .startsWith("54000")
                    .contains("a record takes 40024 bytes; at most 32768 are allowed");
        }
    }

    @Test
    void aTransactionHoldsNoMoreThanItsSettingSays() {
        try (SqlFixture db = new SqlFixture()) {
            String insert = "INSERT INTO t SELECT i, i FROM generate_series(1, 200000) s(i)";
            db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT); SET transaction_memory = '5MB'");
            assertThatThrownBy(() -> db.session.execute(insert))
                    .isInstanceOfSatisfying(
                            SqlException.class,
                            e -> {
                                assertThat(e.state().code()).isEqualTo("53200");
                                assertThat(e.getMessage()).contains("it may hold 5120 KiB");
                                assertThat(e.hint()).contains("transaction_memory");
                            });
            assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("0");
            db.run("SET transaction_memory = '100MB'");
            assertThat(db.run(insert)).isEqualTo("INSERT 0 200000");
            db.run("BEGIN; SET LOCAL transaction_memory = -1; UPDATE t SET v = v + 1; COMMIT");
            assertThat(db.rows("SELECT sum(v) FROM t")).isEqualTo("20000300000");
            assertThat(db.rows("SHOW transaction_memory")).isEqualTo("100MB");
        }
    }

    /// A group's key is evaluated once for each row, though rows are spilled and read again.
    @Test
    void spilledRowsKeepTheirRandomKeys() {
        try (SqlFixture db = new SqlFixture()) {
            db.run("SET work_mem = '64kB'");
            String[] keys =
                    db.rows(
                                    "SELECT floor(random() * 5000) FROM generate_series(1, 20000) s(i) GROUP BY 1")
                            .split("; ", -1);
            assertThat(keys).hasSizeGreaterThan(4000).doesNotHaveDuplicates();
        }
    }

    /// Also of a query that fails while its rows are fetched.
    @Test
    @EnabledOnOs(OS.LINUX)
    void aFailedQueryKeepsNoTemporaryFile() throws IOException {
        try (SqlFixture db = new SqlFixture()) {
            db.run("SET work_mem = '64kB'; SET temp_file_limit = '128kB'");
            assertThat(db.error("SELECT i FROM generate_series(1, 100000) s(i) ORDER BY -i"))
                    .startsWith("53400");
            try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
                assertThat(open.map(FailuresTest::target))
                        .noneMatch(file -> file.contains("/namdb-") && file.contains("(deleted)"));
            }
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return ""; // closed meanwhile
        }
    }

    @Test
    void changesKeepWithinWorkMem() {
        try (SqlFixture db = new SqlFixture()) {
            db.run(
                    "CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t SELECT i, i FROM generate_series(1, 5000) s(i)");
            db.run("SET work_mem = '64kB'");
            assertThat(db.error("UPDATE t SET id = id + 1 RETURNING id")).startsWith("53200");
            assertThat(db.error("DELETE FROM t RETURNING id")).startsWith("53200");
            assertThat(db.run("DELETE FROM t WHERE id < 100")).isEqualTo("DELETE 99");
            db.run("RESET work_mem");
            assertThat(db.run("UPDATE t SET id = id + 1")).isEqualTo("UPDATE 4901");
        }
    }

    @Test
    void copyNamesTheLine() {
        try (SqlFixture db = new SqlFixture()) {
            db.run("CREATE TABLE t (id INT PRIMARY KEY, v INT CHECK (v > 0))");
            assertThat(copyError(db, "1\t1\n2\t2\n1\t3\n4\t4\n"))
                    .startsWith("23505")
                    .endsWith("COPY t, line 3");
            assertThat(copyError(db, "1\t1\n2\t-2\n3\t3\n"))
                    .startsWith("23514")
                    .endsWith("COPY t, line 2");
            StringBuilder many = new StringBuilder();
            for (int i = 1; i <= 1000; i++) {
                many.append(i == 700 ? 3 : i).append("\t1\n");
            }
            assertThat(copyError(db, many.toString())).startsWith("23505").endsWith("line 700");
        }
    }

    private static String copyError(SqlFixture db, String data) {
        try {
            db.session.copyIn("COPY t FROM STDIN", new StringReader(data));
        } catch (SqlException e) {
            return e.state().code() + " " + e.context();
        }
        throw new AssertionError("no error");
    }

    @Test
    void aBusySchemaNamesTheSessions() {
        try (SqlFixture db = new SqlFixture();
                SqlSession other = db.database.session()) {
            db.run("CREATE TABLE t (id INT PRIMARY KEY); SET lock_timeout = 20");
            SqlFixture.run(other, "BEGIN; SELECT * FROM t");
            assertThat(db.error("DROP TABLE t"))
                    .isEqualTo(
                            "55P03 the schema can't be changed while transactions run / A transaction is open in the session with slot "
                                    + other.slotNumber()
                                    + ".");
        }
    }

    @Test
    void constraintsAreDroppedWithWhatNeedsThem() {
        try (SqlFixture db = new SqlFixture()) {
            db.run(
                    """
                    CREATE TABLE p (id INT PRIMARY KEY, code INT CONSTRAINT pc UNIQUE, boss INT REFERENCES p (code));
                    CREATE TABLE c (code INT REFERENCES p (code));
                    INSERT INTO p VALUES (1, 10, 10)\
                    """);
            assertThat(db.error("ALTER TABLE p DROP CONSTRAINT pc")).startsWith("2BP01");
            assertThat(db.run("ALTER TABLE p DROP CONSTRAINT pc CASCADE")).isEqualTo("ALTER TABLE");
            assertThat(db.run("INSERT INTO c VALUES (99); INSERT INTO p VALUES (2, 10, 77)"))
                    .isEqualTo("INSERT 0 1, INSERT 0 1");
        }
    }
}
