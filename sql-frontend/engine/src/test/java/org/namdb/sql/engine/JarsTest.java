package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Procedures in jars: installed, replaced while they run, removed, and kept.
public class JarsTest {
    /// For procedures of jars, that see this class as one of the server.
    public static volatile CountDownLatch entered = new CountDownLatch(1);

    public static volatile CountDownLatch mayGo = new CountDownLatch(1);

    private final SqlFixture db = new SqlFixture();

    @AfterEach
    void close() {
        db.close();
    }

    private static String answer(String type, String value) {
        return """
        public class Answer implements Procedure<Void, %s> {
            static int calls;
            @Override public %s run(ProcedureContext context, Void none) throws Exception {
                calls++;
                return %s;
            }
        }
        """
                .formatted(type, type, value);
    }

    private void install(String jar, byte[] image) {
        db.session.execute("CALL sqlj.install_jar(?, ?)", image, jar).close();
    }

    private String failure(byte[] image) {
        try {
            install("bad", image);
        } catch (SqlException e) {
            return e.state().code() + " " + e.getMessage();
        }
        return "installed";
    }

    @Test
    void aJarIsInstalledReplacedAndRemoved() {
        install("bank", JarBuilder.jar("Answer", answer("Integer", "40 + calls")));
        PreparedStatement call = db.session.prepare("SELECT * FROM answer()");
        assertThat(db.rows("CALL answer()")).isEqualTo("41");
        assertThat(db.rows("CALL answer()")).isEqualTo("42");
        install("bank", JarBuilder.jar("Answer", answer("String", "\"n\" + calls")));
        assertThat(db.rows("CALL answer()")).isEqualTo("n1"); // another class, with its own statics
        assertThat(call.execute().columns().getFirst().type().name()).isEqualTo("text");
        assertThat(db.rows("SHOW procedures")).startsWith("answer||answer text|bank|4|0|0|");
        db.run("CALL sqlj.remove_jar('bank')");
        assertThat(db.error("CALL answer()")).startsWith("42883");
        assertThat(db.error("CALL sqlj.remove_jar('bank')"))
                .isEqualTo("42704 jar \"bank\" does not exist");
    }

    @Test
    void aProcedureWithinALargerQuerySaysHowItIsCalled() {
        String doubled =
                """
                public class Doubled implements Procedure<Integer, Integer> {
                    @Override public Integer run(ProcedureContext context, Integer n) {
                        return 2 * n;
                    }
                }
                """;
        install("numbers", JarBuilder.jar("Doubled", doubled));
        String called = "SELECT * FROM doubled(4)";
        assertThat(db.rows(called)).isEqualTo("8");
        for (String query :
                new String[] {
                    "SELECT doubled(4) + 1",
                    called + " AS d (n) ORDER BY n",
                    "SELECT n FROM generate_series(1, 2) AS n WHERE doubled(n) = 2"
                }) {
            assertThatThrownBy(() -> db.rows(query))
                    .isInstanceOfSatisfying(
                            SqlException.class,
                            e -> {
                                assertThat(e.state()).isEqualTo(SqlState.WRONG_OBJECT_TYPE);
                                assertThat(e).hasMessage("doubled(integer) is a procedure in Java");
                                assertThat(e.hint())
                                        .isEqualTo(
                                                "To call it, use CALL doubled(..), or SELECT * FROM"
                                                        + " doubled(..) by itself.");
                            });
        }
    }

    @Test
    void aJarsProceduresAreInTheCatalog() {
        String inCatalog =
                "SELECT proname, prokind, lanname, prosrc, pg_get_function_arguments(p.oid)"
                        + " FROM pg_proc p JOIN pg_language l ON l.oid = prolang";
        assertThat(db.rows(inCatalog)).isEmpty();
        install("bank", JarBuilder.jar("Answer", answer("Integer", "40 + calls")));
        assertThat(db.rows(inCatalog)).isEqualTo("answer|p|java|bank|OUT answer integer");
        assertThat(db.rows("SELECT pg_get_functiondef('answer'::regproc::oid)"))
                .isEqualTo(
                        "-- answer(OUT answer integer) is a procedure in Java, of the jar bank\n");
        assertThat(
                        db.rows(
                                "SELECT routine_type, external_language"
                                        + " FROM information_schema.routines"))
                .isEqualTo("PROCEDURE|JAVA");
        assertThat(db.error("SELECT 'other'::regproc::oid"))
                .isEqualTo("42883 function \"other\" does not exist");
        db.run("CALL sqlj.remove_jar('bank')");
        assertThat(db.rows(inCatalog)).isEmpty();
    }

    /// ```
    /// a  calls version 1, which is in the middle     b  installs version 2, calls it
    /// a  ends, by version 1
    /// ```
    @Test
    void aVersionIsReplacedWhileItRuns() throws Exception {
        String waits =
                "nested(\"old\"); } static class Late { static String text = \"still old\"; }"
                        + " static String nested(String s) throws Exception {"
                        + " org.namdb.sql.engine.JarsTest.entered.countDown();"
                        + " org.namdb.sql.engine.JarsTest.mayGo.await(); return Late.text";
        entered = new CountDownLatch(1);
        mayGo = new CountDownLatch(1);
        install("bank", JarBuilder.jar("Answer", answer("String", waits)));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                SqlSession other = db.database.session()) {
            Future<String> old = threads.submit(() -> SqlFixture.rows(other, "CALL answer()"));
            assertThat(entered.await(1, TimeUnit.MINUTES)).isTrue();
            install("bank", JarBuilder.jar("Answer", answer("String", "\"new\"")));
            assertThat(db.rows("CALL answer()")).isEqualTo("new");
            mayGo.countDown();
            assertThat(old.get(1, TimeUnit.MINUTES)).isEqualTo("still old");
        }
    }

    @Test
    void aLoopThatNeverEndsIsCancelled() throws Exception {
        for (String loop :
                new String[] {
                    "while (always()) { calls++; }",
                    "for (;always();) { try { do { calls += 2; } while (calls != 1); } catch (Throwable t) {"
                            + " continue; } }",
                    "List<Integer> all = new ArrayList<>(List.of(1)); while (always()) {"
                            + " switch (all.size() % 3) { case 0: all.clear(); continue;"
                            + " default: all.add(calls); } }"
                }) {
            install(
                    "bank",
                    JarBuilder.jar(
                            "Answer",
                            answer(
                                    "String",
                                    "nested(); } boolean always() { return true; } String nested() { "
                                            + loop
                                            + " return null")));
            db.run("SET statement_timeout = 60");
            assertThat(db.error("CALL answer()"))
                    .isEqualTo("57014 canceling statement due to statement timeout");
            db.run("SET statement_timeout = 0");
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                Future<String> error = threads.submit(() -> db.error("CALL answer()"));
                while (!error.isDone()) {
                    db.session.cancel();
                    Thread.sleep(1);
                }
                assertThat(error.get()).isEqualTo("57014 canceling statement due to user request");
            }
        }
    }

    /// Nor does the lock stay taken that other installations wait for.
    @Test
    void aClassThatIsNeverLoadedToItsEndIsCancelled() {
        String never =
                answer(
                        "Integer",
                        "1; } static boolean always() { return true; } static { while (always()) { calls++; }");
        db.run("SET statement_timeout = 60");
        assertThat(failure(JarBuilder.jar("Answer", never))).startsWith("57014 ");
        db.run("SET statement_timeout = 0");
        install("bank", JarBuilder.jar("Answer", answer("Integer", "1")));
        assertThat(db.rows("CALL answer()")).isEqualTo("1");
    }

    @Test
    void theClassesOfAJarAreItsOwn() {
        install(
                "bank",
                JarBuilder.jar(
                        "Answer",
                        """
                        public class Answer implements Procedure<Answer.In, List<Answer.Out>> {
                            public record In(int least, String text) {}
                            public record Out(int number, BigDecimal half, String text) {}
                            sealed interface Shape permits Circle, Square {}
                            record Circle(int r) implements Shape {}
                            record Square(int a) implements Shape {}
                            static int size(Shape s) {
                                return switch (s) { case Circle c -> c.r; case Square q when q.a > 2 -> q.a; case Square q -> -1; };
                            }
                            @Override public List<Out> run(ProcedureContext context, In in) throws Exception {
                                List<Out> out = new ArrayList<>();
                                outer:
                                for (int i = in.least(); i < 10; i++) {
                                    long sum = 0; double d = 1.5;
                                    for (Shape s : List.of(new Circle(i), new Square(i), new Square(1))) {
                                        if (i == 8) { continue outer; }
                                        sum += size(s); d *= 2;
                                        try { if (i == 9) { throw new java.io.IOException("x"); } }
                                        catch (java.io.IOException e) { break outer; }
                                        finally { sum += 0; }
                                    }
                                    String t = switch (in.text()) { case "a" -> "A" + i; case "b" -> "B"; default -> in.text(); };
                                    out.add(new Out((int) sum, BigDecimal.valueOf(sum).movePointLeft(1), t));
                                }
                                out.sort(Comparator.comparing(Out::number).reversed());
                                context.execute("INSERT INTO t SELECT i FROM generate_series(1, ?) s (i)", out.size()).close();
                                return out;
                            }
                        }
                        """));
        db.run("CREATE TABLE t (id INT PRIMARY KEY)");
        assertThat(db.rows("SELECT * FROM answer(6, 'a')")).isEqualTo("13|1.3|A7; 11|1.1|A6");
        assertThat(db.rows("SELECT count(*) FROM t")).isEqualTo("2");
    }

    @Test
    void whatIsNoJarOfProceduresIsRefused() {
        assertThat(failure(new byte[] {1, 2, 3}))
                .isEqualTo("46001 this is no jar, or not all of it");
        byte[] good = JarBuilder.jar("Answer", answer("Integer", "1"));
        for (int length = 1; length < good.length; length += good.length / 7) {
            assertThat(failure(java.util.Arrays.copyOf(good, length))).startsWith("46001 ");
        }
        assertThat(failure(JarBuilder.zip(Map.of("readme", new byte[1]))))
                .startsWith("46001 the jar has no procedures");
        assertThat(failure(services("bank.Missing")))
                .isEqualTo(
                        "46001 bank.Missing can't be loaded: java.lang.ClassNotFoundException: bank.Missing");
        assertThat(failure(services("java.lang.String"))).contains("is no org.namdb");
        assertThat(
                        failure(
                                JarBuilder.zip(
                                        Map.of(
                                                "META-INF/services/org.namdb.sql.engine.procedure.Procedure",
                                                "bank.Answer".getBytes(StandardCharsets.UTF_8),
                                                "bank/Answer.class",
                                                new byte[] {1, 2, 3, 4, 5, 6, 7, 8}))))
                .startsWith("46001 bank.Answer can't be loaded");
        assertThat(failure(JarBuilder.jar("Answer", answer("Thread", "null"))))
                .startsWith("46001 java.lang.Thread is of class");
        assertThat(
                        failure(
                                JarBuilder.jar(
                                        "Answer",
                                        answer(
                                                "Integer",
                                                "1; } public Answer() { int i = 1 / (calls - calls)"))))
                .startsWith(
                        "46001 bank.Answer can't be constructed: java.lang.ArithmeticException");
        assertThat(db.rows("SHOW procedures")).isEmpty();
    }

    private static byte[] services(String name) {
        return JarBuilder.zip(
                Map.of(
                        "META-INF/services/org.namdb.sql.engine.procedure.Procedure",
                        name.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void aNameBelongsToItsFirstUser() {
        byte[] jar = JarBuilder.jar("Answer", answer("Integer", "1"));
        install("a", jar);
        assertThat(failure(jar))
                .isEqualTo("42723 procedure answer exists already: it is of the jar a");
        db.database.procedures().register("own", Void.class, Integer.class, (c, none) -> 7);
        assertThat(failure(JarBuilder.jar("Own", answer("Integer", "1").replace("Answer", "Own"))))
                .startsWith("42723 procedure own exists already: the program");
        assertThat(db.rows("CALL answer()")).isEqualTo("1");
        assertThat(db.rows("CALL own()")).isEqualTo("7");
        db.run("BEGIN");
        assertThat(failure(jar)).startsWith("25001");
        db.run("ROLLBACK");
        db.session.refuseJars();
        assertThat(failure(jar)).startsWith("42501 permission denied for sqlj.install_jar");
    }

    @Test
    void jarsAreKeptWithTheDatabase(@TempDir Path directory) {
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT.withMemoryBytes(64L << 20).withSlots(8).withData(directory);
        byte[] large = JarBuilder.jar("Answer", answer("String", "\"" + "x".repeat(30_000) + "\""));
        try (SqlDatabase database = SqlDatabase.embedded(options)) {
            database.jars().install("bank", JarBuilder.jar("Answer", answer("Integer", "1")));
            database.jars().install("bank", large);
            database.jars()
                    .install(
                            "gone",
                            JarBuilder.jar("Own", answer("Integer", "1").replace("Answer", "Own")));
            database.jars().remove("gone");
        }
        try (SqlDatabase database = SqlDatabase.embedded(options);
                SqlSession session = database.session()) {
            assertThat(SqlFixture.rows(session, "CALL answer()")).hasSize(30_000);
            assertThat(SqlFixture.error(session, "CALL own()")).startsWith("42883");
            assertThat(
                            SqlFixture.rows(
                                    session,
                                    "SELECT count(*) FROM pg_class WHERE relname LIKE '%jars%'"))
                    .isEqualTo("0");
        }
    }

    /// ```
    /// a  has a transaction open          b  makes a table: takes the schema latch, waits for a
    /// a  looks for jars, by the same transaction: another one would wait for b
    /// ```
    @Test
    void aLookForJarsInABlockWaitsForNoDefinition() throws Exception {
        install("bank", JarBuilder.jar("Answer", answer("Integer", "42")));
        SqlDatabase beside = SqlDatabase.of(db.database.engine()); // it has not looked yet
        try (SqlSession block = beside.session();
                SqlSession ddlSession = db.database.session();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            SqlFixture.run(ddlSession, "SET lock_timeout = '1min'");
            SqlFixture.run(block, "BEGIN; SELECT 1");
            Future<String> table =
                    threads.submit(() -> SqlFixture.run(ddlSession, "CREATE TABLE t (id INT)"));
            Thread.sleep(200); // most likely it waits now; if not yet, there is less to see
            Future<String> call = threads.submit(() -> SqlFixture.rows(block, "CALL answer()"));
            assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo("42");
            assertThat(table.isDone()).isFalse();
            SqlFixture.run(block, "COMMIT");
            assertThat(table.get(1, TimeUnit.MINUTES)).isEqualTo("CREATE TABLE");
        }
    }
}
