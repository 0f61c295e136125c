package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.result.Result;

/// Functions and procedures in PL/pgSQL: what golden files can't show.
class RoutinesTest {
    private SqlFixture db;

    @BeforeEach
    void open() {
        db = new SqlFixture();
        db.run(
                "CREATE TABLE account (id INT PRIMARY KEY, balance DECIMAL(10, 2) CHECK (balance >= 0));"
                        + " INSERT INTO account VALUES (1, 100), (2, 50)");
    }

    @AfterEach
    void close() {
        db.close();
    }

    private static String routine(String head, String body) {
        return "CREATE OR REPLACE %s LANGUAGE plpgsql AS $$%s$$".formatted(head, body);
    }

    private void define(String head, String body) {
        db.run(routine(head, body));
    }

    private SqlException failure(String sql) {
        try {
            db.session.execute(sql).close();
        } catch (SqlException e) {
            return e;
        }
        throw new AssertionError("no error: " + sql);
    }

    @Test
    void errorsSayWhereTheyAre() {
        define(
                "FUNCTION inner_one(a int, b text) RETURNS int",
                "\nBEGIN\n  IF a > 0 THEN\n    RETURN 1 / (a - 1);\n  END IF;\n  INSERT INTO account VALUES (1, 1);\nEND");
        define(
                "FUNCTION outer_one(a int) RETURNS int",
                "\nBEGIN\n\n  RETURN inner_one(a, 'x');\nEND");
        assertThat(failure("SELECT outer_one(1)").context())
                .isEqualTo(
                        "PL/pgSQL function inner_one(integer,text) line 4 at RETURN\n"
                                + "PL/pgSQL function outer_one(integer) line 4 at RETURN");
        assertThat(failure("SELECT outer_one(0)").context())
                .isEqualTo(
                        """
                        SQL statement "INSERT INTO account VALUES (1, 1)"
                        PL/pgSQL function inner_one(integer,text) line 6 at SQL statement
                        PL/pgSQL function outer_one(integer) line 4 at RETURN\
                        """);
        define(
                "FUNCTION initial() RETURNS int",
                "\nDECLARE\n  x int := 1 / 0;\nBEGIN\n  RETURN x;\nEND");
        assertThat(failure("SELECT initial()").context())
                .isEqualTo(
                        "PL/pgSQL function initial() line 3 during statement block local variable"
                                + " initialization");
        assertThat(failure("DO $$\nBEGIN\n  PERFORM 1 / 0;\nEND $$").context())
                .isEqualTo(
                        "SQL statement \"SELECT 1 / 0\"\n"
                                + "PL/pgSQL function inline_code_block line 3 at PERFORM");
        SqlException syntax =
                failure(
                        "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$\nBEGIN\n  RETURN 1 +;\nEND $$");
        assertThat(syntax.code()).isEqualTo("42601");
        assertThat(syntax.line()).isEqualTo(3);
    }

    @Test
    void messagesComeWithTheResult() {
        define(
                "FUNCTION tells(n int) RETURNS int",
                "BEGIN RAISE NOTICE 'got % of %', n, 'x'; RAISE WARNING 'w'; RAISE INFO 'i'; RAISE DEBUG 'd'; RETURN n; END");
        try (Result result = db.session.execute("SELECT tells(7)")) {
            assertThat(result.notices())
                    .containsExactly(
                            Notice.notice("got 7 of x"),
                            Notice.warning("w"),
                            new Notice(Notice.Severity.INFO, "i"));
        }
        db.run("SET client_min_messages = warning");
        try (Result result = db.session.execute("SELECT tells(7)")) {
            assertThat(result.notices()).hasSize(2);
        }
        try (Result result = db.session.execute("DROP TABLE IF EXISTS nowhere")) {
            assertThat(result.notices()).isEmpty();
        }
        try (Result result = db.session.execute("COMMIT")) {
            assertThat(result.notices()).hasSize(1);
        }
        db.run("SET client_min_messages = error");
        try (Result result = db.session.execute("COMMIT")) {
            assertThat(result.notices()).isEmpty();
        }
        db.run("RESET client_min_messages");
        List<Notice> notices = new ArrayList<>();
        try (Result result = db.session.execute("SELECT tells(id) FROM account ORDER BY id")) {
            while (result.next()) {
                notices.addAll(result.notices());
            }
        }
        notices.addAll(db.session.takeNotices());
        assertThat(notices).hasSize(6);
        define("PROCEDURE fails()", "BEGIN RAISE NOTICE 'before'; RAISE EXCEPTION 'now'; END");
        assertThat(db.error("CALL fails()")).isEqualTo("P0001 now");
        assertThat(db.session.takeNotices()).containsExactly(Notice.notice("before"));
    }

    /// They are bounded, however long it loops.
    @Test
    void messagesOfALoopAreBounded() {
        define(
                "PROCEDURE chatty()",
                "BEGIN FOR i IN 1..5000 LOOP RAISE NOTICE '%', i; END LOOP; END");
        try (Result result = db.session.execute("CALL chatty()")) {
            assertThat(result.notices()).hasSize(1001);
            assertThat(result.notices().getLast().severity()).isEqualTo(Notice.Severity.WARNING);
        }
    }

    /// ```
    /// a  reads the account                    b  changes it and commits
    /// a  changes it: conflict                 a  runs again, and sees b's change
    /// ```
    /// An EXCEPTION block does not hide the conflict.
    @Test
    void aConflictHasItRunAgain() throws Exception {
        define(
                "PROCEDURE add_to(account_id int, amount numeric)",
                "BEGIN UPDATE account SET balance = balance + amount WHERE id = account_id;"
                        + " EXCEPTION WHEN OTHERS THEN RAISE EXCEPTION 'hidden'; END");
        int threads = 4;
        int calls = 50;
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                running.add(
                        executor.submit(() -> {
                            try (SqlSession session = db.database.session()) {
                                session.execute("SET namdb.procedure_attempts = 100000").close();
                                for (int call = 0; call < calls; call++) {
                                    session.execute("CALL add_to(1, 1)").close();
                                }
                            }
                        }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
        assertThat(db.rows("SELECT balance FROM account WHERE id = 1"))
                .isEqualTo((100 + threads * calls) + ".00");
        assertThat(db.rows("SHOW PROCEDURES"))
                .startsWith("add_to|account_id integer, amount numeric||");
    }

    /// In a block it is the caller's.
    @Test
    void aConflictInABlockIsTheCallers() {
        define(
                "PROCEDURE set_to(amount numeric)",
                "BEGIN UPDATE account SET balance = amount WHERE id = 1;"
                        + " EXCEPTION WHEN OTHERS THEN NULL; END");
        try (SqlSession other = db.database.session()) {
            db.run("BEGIN; SELECT 1 FROM account WHERE id = 2");
            assertThat(db.rows("SELECT balance FROM account WHERE id = 1")).isEqualTo("100.00");
            other.execute("CALL set_to(7)").close();
            assertThatThrownBy(() -> db.run("CALL set_to(8); COMMIT"))
                    .isInstanceOfSatisfying(
                            SqlException.class, e -> assertThat(e.code()).isEqualTo("40001"));
            db.run("ROLLBACK");
        }
        assertThat(db.rows("SELECT balance FROM account WHERE id = 1")).isEqualTo("7.00");
    }

    @Test
    void aLoopIsCancelled() throws Exception {
        define(
                "PROCEDURE endless()",
                "BEGIN LOOP BEGIN NULL; EXCEPTION WHEN OTHERS THEN NULL; END; END LOOP; END");
        db.run("SET statement_timeout = 50");
        assertThat(db.error("CALL endless()")).startsWith("57014");
        db.run("SET statement_timeout = 0");
        try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
            Future<String> answer = executor.submit(() -> db.error("CALL endless()"));
            while (!answer.isDone()) {
                db.session.cancel();
                TimeUnit.MILLISECONDS.sleep(1);
            }
            assertThat(answer.get()).startsWith("57014");
        }
        assertThat(db.rows("SELECT count(*) FROM account")).isEqualTo("2");
    }

    @Test
    void recursionHasALimit() {
        define(
                "FUNCTION depth(n int) RETURNS int",
                "BEGIN IF n = 0 THEN RETURN 0; END IF; RETURN 1 + depth(n - 1); END");
        assertThat(db.rows("SELECT depth(140)")).isEqualTo("140");
        assertThat(db.error("SELECT depth(1000000)")).startsWith("54001");
        define(
                "FUNCTION caught() RETURNS text",
                "DECLARE i int; BEGIN i := depth(1000000); RETURN 'none';"
                        + " EXCEPTION WHEN statement_too_complex THEN RETURN SQLSTATE; END");
        assertThat(db.rows("SELECT caught()")).isEqualTo("54001");
        assertThat(db.rows("SELECT depth(5)")).isEqualTo("5");
    }

    @Test
    void aReplacedOneIsUsedAtOnce() {
        define("FUNCTION answer() RETURNS int", "BEGIN RETURN 1; END");
        define("FUNCTION twice() RETURNS int", "BEGIN RETURN answer() * 2; END");
        try (SqlSession other = db.database.session()) {
            PreparedStatement call = other.prepare("SELECT answer() + 0");
            assertThat(SqlFixture.rows(other, "SELECT twice()")).isEqualTo("2");
            define("FUNCTION answer() RETURNS int", "BEGIN RETURN 21; END");
            assertThat(SqlFixture.rows(other, "SELECT twice()")).isEqualTo("42");
            try (Result result = call.execute()) {
                assertThat(result.next()).isTrue();
                assertThat(result.int64(0)).isEqualTo(21);
            }
        }
    }

    /// Plans of statements, and the columns of records, follow the schema.
    @Test
    void theSchemaMayChangeBetweenCalls() {
        define(
                "FUNCTION shows(i int) RETURNS text",
                "DECLARE r record; q account%ROWTYPE; BEGIN SELECT * INTO r FROM account WHERE id = i;"
                        + " SELECT * INTO q FROM account WHERE id = i; RETURN r || ' ' || q; END");
        assertThat(db.rows("SELECT shows(1)")).isEqualTo("(1,100.00) (1,100.00)");
        db.run("ALTER TABLE account ADD COLUMN owner TEXT DEFAULT 'Ada'");
        assertThat(db.rows("SELECT shows(1)")).isEqualTo("(1,100.00,Ada) (1,100.00,Ada)");
        define(
                "FUNCTION changing() RETURNS text",
                "DECLARE r record; s text := ''; BEGIN FOR i IN 1..3 LOOP"
                        + " IF i = 2 THEN SELECT 'x'::text AS a INTO r; ELSE SELECT i AS a INTO r; END IF;"
                        + " s := s || r.a; END LOOP; RETURN s; END");
        assertThat(db.rows("SELECT changing()")).isEqualTo("1x3");
    }

    /// A query that a loop reads is as it was when the loop began.
    @Test
    void aLoopDoesNotSeeItsOwnChanges() {
        define(
                "PROCEDURE spread()",
                "DECLARE r record; BEGIN FOR r IN SELECT id FROM account LOOP"
                        + " INSERT INTO account VALUES (r.id + 10, 1);"
                        + " UPDATE account SET balance = balance + 1; END LOOP; END");
        db.run("CALL spread()");
        assertThat(db.rows("SELECT * FROM account ORDER BY id"))
                .isEqualTo("1|102.00; 2|52.00; 11|3.00; 12|2.00");
    }

    @Test
    void aJavaProcedureAndARoutineCallEachOther() {
        db.database
                .procedures()
                .register(
                        "java_twice",
                        Integer.class,
                        Integer.class,
                        (context, number) -> 2 * number);
        db.database
                .procedures()
                .register(
                        "calls_back",
                        Integer.class,
                        Long.class,
                        (context, number) -> {
                            try (Result row = context.execute("SELECT half(?)", number)) {
                                return row.next() ? row.int64(0) : -1;
                            }
                        });
        define("FUNCTION half(n int) RETURNS int", "BEGIN RETURN n / 2; END");
        define(
                "PROCEDURE uses_java(INOUT n int)",
                "DECLARE r record; BEGIN FOR r IN SELECT * FROM java_twice(n) LOOP n := r.java_twice; END LOOP; END");
        assertThat(db.rows("CALL uses_java(4)")).isEqualTo("8");
        assertThat(db.rows("SELECT calls_back(10)")).isEqualTo("5");
        assertThat(
                        db.error(
                                "CREATE FUNCTION java_twice(n int) RETURNS int LANGUAGE plpgsql AS $$BEGIN RETURN 1; END$$"))
                .startsWith("42723");
        assertThatThrownBy(() ->
                        db.database
                                .procedures()
                                .register("half", Integer.class, Integer.class, (c, n) -> n))
                .isInstanceOf(SqlException.class);
    }

    /// As the interface promises of each statement.
    @Test
    void aJavaProcedureGoesOnAfterAFunctionHasFailedInAQuery() {
        define(
                "FUNCTION opens(i int) RETURNS int",
                "BEGIN INSERT INTO account VALUES (i, 0); RETURN 1 / (9 - i); END");
        db.database
                .procedures()
                .register(
                        "goes_on",
                        Void.class,
                        Integer.class,
                        (context, none) -> {
                            try {
                                context.execute(
                                                "SELECT opens(i) FROM generate_series(7, 9) AS s (i)")
                                        .close();
                                return 0;
                            } catch (SqlException e) {
                                return 1;
                            }
                        });
        assertThat(db.rows("CALL goes_on()")).isEqualTo("1");
        assertThat(db.rows("SELECT count(*) FROM account")).isEqualTo("2");
    }

    @Test
    void severalAreDroppedOrNone() {
        define("FUNCTION a_one() RETURNS int", "BEGIN RETURN 1; END");
        define("FUNCTION b_two() RETURNS int", "BEGIN RETURN 2; END");
        assertThat(db.error("DROP FUNCTION a_one, missing")).startsWith("42883");
        assertThat(db.rows("SELECT a_one()")).isEqualTo("1");
        db.run("DROP FUNCTION IF EXISTS a_one, missing, b_two, a_one");
        assertThat(db.error("SELECT a_one()")).startsWith("42883");
        assertThat(db.error("SELECT b_two()")).startsWith("42883");
    }

    @Test
    void rightsAreThoseOfProcedures() {
        define("FUNCTION secret() RETURNS int", "BEGIN RETURN (SELECT count(*) FROM account); END");
        db.run("CREATE USER ada; CREATE USER bob; GRANT CREATE ON SCHEMA public TO ada");
        db.run("SET ROLE ada");
        assertThat(db.error("SELECT secret()"))
                .startsWith("42501 permission denied for table account");
        assertThat(db.error(routine("FUNCTION secret() RETURNS int", "BEGIN RETURN 1; END")))
                .startsWith("42501 must be owner of function secret");
        assertThat(db.error("DROP FUNCTION secret")).startsWith("42501");
        define("FUNCTION own() RETURNS int", "BEGIN RETURN 1; END");
        db.run("REVOKE EXECUTE ON FUNCTION own() FROM PUBLIC; SET ROLE bob");
        assertThat(db.error("SELECT own()"))
                .startsWith("42501 permission denied for procedure own");
        assertThat(db.error("SELECT own() + 1")).startsWith("42501");
        assertThat(db.error("SELECT * FROM own() WHERE true")).startsWith("42501");
        assertThat(db.error(routine("FUNCTION f() RETURNS int", "BEGIN RETURN 1; END")))
                .startsWith("42501");
        db.run("SET ROLE ada; GRANT EXECUTE ON FUNCTION own() TO bob; SET ROLE bob");
        assertThat(db.rows("SELECT own() + 1")).isEqualTo("2");
        db.run("RESET ROLE");
        assertThat(db.error("DROP USER ada"))
                .startsWith("2BP01")
                .contains("owner of function own()");
        db.run("ALTER FUNCTION own() OWNER TO namdb; SET ROLE bob");
        assertThat(db.rows("SELECT own()")).isEqualTo("1");
        db.run(
                "RESET ROLE; DROP FUNCTION own; "
                        + routine("FUNCTION own() RETURNS int", "BEGIN RETURN 2; END"));
        db.run("SET ROLE ada");
        assertThat(db.rows("SELECT own()")).isEqualTo("2");
        db.run("RESET ROLE");
    }

    @Test
    void theyAreInTheSystemCatalog() {
        define(
                "FUNCTION add(a int, b int DEFAULT 1) RETURNS bigint STRICT",
                "BEGIN RETURN a + b; END");
        define("PROCEDURE swap(INOUT a text, INOUT b text)", "BEGIN NULL; END");
        define("FUNCTION pairs() RETURNS TABLE (x int, y text)", "BEGIN RETURN; END");
        assertThat(
                        db.rows(
                                "SELECT n.nspname, p.proname, pg_catalog.pg_get_function_result(p.oid),"
                                        + " pg_catalog.pg_get_function_arguments(p.oid), CASE p.prokind WHEN 'p' THEN 'proc' ELSE 'func' END"
                                        + " FROM pg_catalog.pg_proc p LEFT JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace"
                                        + " WHERE pg_catalog.pg_function_is_visible(p.oid) AND n.nspname <> 'pg_catalog' ORDER BY 1, 2, 4"))
                .isEqualTo(
                        "public|add|bigint|a integer, b integer DEFAULT 1|func; "
                                + "public|pairs|TABLE(x integer, y text)||func; "
                                + "public|swap|null|INOUT a text, INOUT b text|proc");
        assertThat(db.rows("SELECT pg_get_functiondef(oid) FROM pg_proc WHERE proname = 'add'"))
                .isEqualTo(
                        "CREATE OR REPLACE FUNCTION \"add\"(a integer, b integer DEFAULT 1) RETURNS bigint LANGUAGE plpgsql VOLATILE STRICT AS $$BEGIN RETURN a + b; END$$"
                                .replace("\"add\"", "add"));
        assertThat(db.rows("SELECT lanname FROM pg_language ORDER BY 1"))
                .isEqualTo("java; plpgsql; sql");
    }

    @Test
    void aDumpMakesThemAgain() throws IOException {
        db.run("CREATE USER ada");
        define(
                "FUNCTION rich(lowest numeric DEFAULT 10.5, OUT n bigint, OUT s text)",
                "\nBEGIN -- 'quotes' and $1\n  SELECT count(*), '$$' || E'\\n' INTO n, s FROM account WHERE balance >= lowest;\nEND "
                        .replace("$$", "$"));
        define(
                "FUNCTION times(t timestamp, c char(3)) RETURNS SETOF account STABLE STRICT",
                "BEGIN RETURN QUERY SELECT * FROM account; END");
        define("PROCEDURE swap(INOUT a text, INOUT b text)", "BEGIN NULL; END");
        db.run("ALTER FUNCTION times OWNER TO ada; REVOKE EXECUTE ON FUNCTION swap FROM PUBLIC");
        StringWriter dump = new StringWriter();
        SqlDump.write(db.session, dump);
        try (SqlFixture other = new SqlFixture()) {
            new Script(other.session).run(dump.toString());
            StringWriter again = new StringWriter();
            SqlDump.write(other.session, again);
            assertThat(again.toString()).isEqualTo(dump.toString());
            assertThat(other.rows("SELECT n FROM rich(60)")).isEqualTo("1");
        }
    }

    /// A dump, whose COPY has its rows behind it.
    private record Script(SqlSession session) {
        void run(String dump) {
            StringBuilder rest = new StringBuilder();
            String[] lines = dump.split("\n", -1);
            for (int i = 0; i < lines.length; i++) {
                if (!lines[i].startsWith("COPY ")) {
                    rest.append(lines[i]).append('\n');
                    continue;
                }
                session.run(rest.toString(), _ -> {});
                rest.setLength(0);
                StringBuilder rows = new StringBuilder();
                int next = i + 1;
                while (!lines[next].equals("\\.")) {
                    rows.append(lines[next++]).append('\n');
                }
                long _ = session.copyIn(lines[i], new StringReader(rows.toString()));
                i = next;
            }
            session.run(rest.toString(), _ -> {});
        }
    }

    @Test
    void theyOutliveARestart(@TempDir Path directory) {
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(64L << 20)
                        .withSlots(4)
                        .withJournal(JournalOptions.in(directory));
        try (SqlDatabase database = SqlDatabase.embedded(options);
                SqlSession session = database.session()) {
            session.run(
                    routine("FUNCTION kept(a int) RETURNS int", "BEGIN RETURN a * 2; END"),
                    _ -> {});
            session.run(routine("FUNCTION gone() RETURNS int", "BEGIN RETURN 1; END"), _ -> {});
            session.run("DROP FUNCTION gone", _ -> {});
        }
        try (SqlDatabase database = SqlDatabase.embedded(options);
                SqlSession session = database.session()) {
            assertThat(SqlFixture.rows(session, "SELECT kept(21)")).isEqualTo("42");
            assertThat(SqlFixture.error(session, "SELECT gone()")).startsWith("42883");
        }
    }

    @Test
    void constraintsDoNotDependOnThem() {
        define("FUNCTION pure(i int) RETURNS int IMMUTABLE", "BEGIN RETURN i * 2; END");
        assertThat(db.error("CREATE TABLE d (a INT DEFAULT pure(1))")).startsWith("0A000");
        assertThat(db.error("CREATE TABLE d (a INT CHECK (pure(a) > 1))")).startsWith("0A000");
        assertThat(db.error("ALTER TABLE account ADD COLUMN c INT DEFAULT pure(1)"))
                .startsWith("0A000");
        assertThat(
                        db.rows(
                                "UPDATE account SET balance = pure(id) WHERE id = pure(1) RETURNING pure(id)"))
                .isEqualTo("4");
        assertThat(
                        db.rows(
                                "SELECT pure(id) AS p, count(*) FROM account GROUP BY pure(id) ORDER BY p"))
                .isEqualTo("2|1; 4|1");
    }

    /// What a function has changed is undone with the statement that has called it.
    @Test
    void aStatementThatFailsUndoesWhatItsFunctionsHaveDone() {
        define(
                "FUNCTION open_account(i int) RETURNS int",
                "BEGIN INSERT INTO account VALUES (i, 0); RETURN i; END");
        assertThat(db.rows("SELECT open_account(i) FROM generate_series(3, 4) AS s (i)"))
                .isEqualTo("3; 4");
        assertThat(db.error("SELECT open_account(5), 1 / (SELECT 0)")).startsWith("22012");
        assertThat(
                        db.error(
                                "SELECT open_account(i) FROM generate_series(5, 6) AS s (i) WHERE 1 / (6 - i) > 0"))
                .startsWith("22012");
        assertThat(db.rows("SELECT count(*) FROM account")).isEqualTo("4");
        db.run("BEGIN READ ONLY");
        assertThat(db.error("SELECT open_account(7)")).startsWith("25006");
        db.run("ROLLBACK");
    }

    /// A compute server has what another one has defined, at once.
    @Test
    void allComputeServersHaveThem() {
        try (TwoSqlServers servers = new TwoSqlServers()) {
            SqlSession a = servers.a;
            SqlSession b = servers.b;
            assertThat(SqlFixture.error(b, "SELECT version_of(1)")).startsWith("42883");
            for (int version = 1; version <= 3; version++) {
                SqlFixture.run(
                        a,
                        routine(
                                "FUNCTION version_of(i int) RETURNS int",
                                "BEGIN RETURN i * " + version + "; END"));
                assertThat(SqlFixture.rows(b, "SELECT version_of(10)"))
                        .isEqualTo(10 * version + "");
                assertThat(SqlFixture.rows(b, "SELECT version_of(10) + 1"))
                        .isEqualTo(10 * version + 1 + "");
            }
            SqlFixture.run(b, "DROP FUNCTION version_of");
            assertThat(SqlFixture.error(a, "SELECT version_of(1)")).startsWith("42883");
            assertThat(SqlFixture.error(a, "SELECT version_of(1) + 1")).startsWith("42883");
        }
    }
}
