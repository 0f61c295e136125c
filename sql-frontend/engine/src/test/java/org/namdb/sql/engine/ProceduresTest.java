package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.sql.engine.procedure.Procedure;
import org.namdb.sql.engine.procedure.ProcedureContext;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Result;

/// Procedures that the program has registered, called from SQL.
class ProceduresTest {
    private SqlFixture db;

    /// Moves money.
    public static final class Transfer implements Procedure<Transfer.Order, BigDecimal> {
        public record Order(int fromAccount, int toAccount, BigDecimal amount) {}

        @Override
        public BigDecimal run(ProcedureContext context, Order order) {
            context.execute(
                            "UPDATE account SET balance = balance + ? WHERE id = ?",
                            order.amount,
                            order.toAccount)
                    .close();
            try (Result left =
                    context.execute(
                            "UPDATE account SET balance = balance - ? WHERE id = ? RETURNING balance",
                            order.amount,
                            order.fromAccount)) {
                if (!left.next()) {
                    throw new IllegalArgumentException("no account " + order.fromAccount);
                }
                return (BigDecimal) left.value(0);
            }
        }
    }

    /// Every type there and back.
    public static final class Echo implements Procedure<Echo.All, Echo.All> {
        @SuppressWarnings("ArrayRecordComponent") // it is a type that a program may want
        public record All(
                boolean b,
                short s,
                int i,
                long l,
                double d,
                BigDecimal n,
                @Nullable String t,
                LocalDate day,
                byte[] bytes,
                UUID id) {}

        @Override
        public All run(ProcedureContext context, All all) {
            return all;
        }
    }

    /// Rows.
    public static final class Rich implements Procedure<BigDecimal, List<Rich.Account>> {
        public record Account(int id, BigDecimal balance) {}

        @Override
        public List<Account> run(ProcedureContext context, BigDecimal least) {
            List<Account> accounts = new ArrayList<>();
            Result rows =
                    context.execute(
                            "SELECT id, balance FROM account WHERE balance >= ? ORDER BY id",
                            least);
            while (rows.next()) {
                accounts.add(new Account((int) rows.int64(0), (BigDecimal) rows.value(1)));
            }
            return accounts; // the rows are left open
        }
    }

    @BeforeEach
    void open() {
        db = new SqlFixture();
        db.run(
                "CREATE TABLE account (id INT PRIMARY KEY, balance DECIMAL(10, 2) CHECK (balance >= 0));"
                        + " INSERT INTO account VALUES (1, 100), (2, 50)");
        db.database.procedures().register(new Transfer());
        db.database.procedures().register(new Echo());
        db.database.procedures().register(new Rich());
    }

    @AfterEach
    void close() {
        db.close();
    }

    private String balances() {
        return db.rows("SELECT * FROM account ORDER BY id");
    }

    /// An Error is no way out of a transaction.
    @Test
    void aProcedureThatThrowsAnErrorHasChangedNothing() {
        db.database
                .procedures()
                .register(
                        "breaks",
                        Void.class,
                        Integer.class,
                        (context, none) -> {
                            long _ = context.execute("UPDATE account SET balance = 0").rowCount();
                            throw new AssertionError("broken");
                        });
        assertThat(db.error("CALL breaks()")).isEqualTo("38000 broken");
        assertThat(db.rows("CALL transfer(1, 2, 30)")).isEqualTo("70.00");
        assertThat(balances()).isEqualTo("1|70.00; 2|80.00");
    }

    @Test
    void aProcedureIsCalledInEachManner() {
        assertThat(db.rows("CALL transfer(1, 2, 30)")).isEqualTo("70.00");
        assertThat(db.rows("SELECT transfer(1, 2, 5.5)")).isEqualTo("64.50");
        assertThat(db.rows("SELECT * FROM transfer(?, ?, ?)", 1, 2, "4.5")).isEqualTo("60.00");
        assertThat(balances()).isEqualTo("1|60.00; 2|90.00");
        assertThat(db.session.execute("SELECT * FROM transfer(1, 2, 0) AS result").tag())
                .isEqualTo("SELECT 1");
        assertThat(db.run("CALL transfer(1, 2, 0)")).isEqualTo("CALL");
        db.run("PREPARE p AS SELECT transfer($1, $2, $3)");
        assertThat(db.rows("EXECUTE p(1, 2, 10)")).isEqualTo("50.00");
    }

    @Test
    void typesAndNamesAreThoseOfTheRecord() {
        PreparedStatement echo =
                db.session.prepare("CALL echo($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)");
        assertThat(echo.parameterTypes().stream().map(t -> t.name()))
                .containsExactly(
                        "boolean",
                        "smallint",
                        "integer",
                        "bigint",
                        "double precision",
                        "numeric",
                        "text",
                        "date",
                        "bytea",
                        "uuid");
        assertThat(
                        db.rows(
                                "CALL echo(true, 1, 2, 3, 0.5, 1.25, NULL, '2026-01-31', '\\x0102', '12345678-1234-1234-1234-123456789abc')"))
                .isEqualTo(
                        "t|1|2|3|0.5|1.25|null|2026-01-31|\\x0102|12345678-1234-1234-1234-123456789abc");
        assertThat(db.session.prepare("CALL transfer(1, 2, 3)").columns().getFirst().name())
                .isEqualTo("transfer");
        assertThat(db.error("CALL echo(NULL, 1, 2, 3, 1, 1, '', '2026-01-31', '', NULL)"))
                .isEqualTo("22004 \"b\" can't be NULL");
        assertThat(db.error("CALL transfer(1, 2)"))
                .startsWith("42883 procedure transfer with these arguments does not exist");
        assertThat(db.error("CALL nothing()")).startsWith("42883");
        assertThat(db.error("SELECT nothing()")).startsWith("42883");
        assertThat(db.error("CALL transfer(1, 2, 'much')")).startsWith("22P02");
        assertThat(db.error("EXPLAIN SELECT transfer(1, 2, 3)")).startsWith("0A000");
    }

    @Test
    void aProcedureGivesRows() {
        assertThat(db.rows("SELECT * FROM rich(60)")).isEqualTo("1|100.00");
        assertThat(db.rows("CALL rich(0)")).isEqualTo("1|100.00; 2|50.00");
        assertThat(db.rows("SELECT rich(1000)")).isEmpty();
    }

    /// It is undone, also what was before the statement that has failed.
    @Test
    void aProcedureThatThrowsHasChangedNothing() {
        assertThat(db.error("CALL transfer(7, 2, 30)")).isEqualTo("38000 no account 7");
        assertThat(db.error("CALL transfer(1, 2, 500)")).startsWith("23514");
        assertThat(balances()).isEqualTo("1|100.00; 2|50.00");
        db.run("BEGIN; INSERT INTO account VALUES (3, 3)");
        assertThat(db.error("CALL transfer(7, 2, 30)")).startsWith("38000");
        assertThat(db.session.status()).isEqualTo(TransactionStatus.FAILED);
        db.run("ROLLBACK");
        assertThat(balances()).isEqualTo("1|100.00; 2|50.00");
    }

    @Test
    void theCallersBlockHoldsTheTransaction() {
        db.run("BEGIN; CALL transfer(1, 2, 30); CALL transfer(1, 2, 30)");
        assertThat(balances()).isEqualTo("1|40.00; 2|110.00");
        db.run("ROLLBACK");
        assertThat(balances()).isEqualTo("1|100.00; 2|50.00");
        db.run("BEGIN READ ONLY");
        assertThat(db.error("CALL transfer(1, 2, 30)")).startsWith("25006");
        db.run("ROLLBACK; BEGIN READ ONLY");
        assertThat(db.rows("CALL rich(60)")).isEqualTo("1|100.00");
        db.run("COMMIT");
    }

    /// What has failed is undone alone, and the remaining changes are kept.
    @Test
    void aProcedureMayGoOnAfterAStatementHasFailed() {
        db.database
                .procedures()
                .register(
                        "try_all",
                        Void.class,
                        Integer.class,
                        (context, none) -> {
                            int failed = 0;
                            for (String sql :
                                    List.of(
                                            "INSERT INTO account VALUES (3, 3)",
                                            "INSERT INTO account VALUES (4, 4), (5, 5), (1, 1)",
                                            "UPDATE account SET balance = balance - 60",
                                            "CALL transfer(7, 1, 5)",
                                            "BEGIN",
                                            "DROP TABLE account",
                                            "CALL transfer(1, 2, 10)")) {
                                try {
                                    context.execute(sql).close();
                                } catch (SqlException e) {
                                    failed++;
                                }
                            }
                            return failed;
                        });
        assertThat(db.rows("CALL try_all()")).isEqualTo("5");
        assertThat(balances()).isEqualTo("1|90.00; 2|60.00; 3|3.00");
    }

    /// ```
    /// a  reads the account                    b  changes it and commits
    /// a  changes it: conflict                 a  runs again, and sees b's change
    /// ```
    @Test
    void aConflictHasItRunAgainUnlessTheBlockIsTheCallers() {
        AtomicInteger runs = new AtomicInteger();
        SqlSession other = db.database.session();
        db.database
                .procedures()
                .register(
                        "double_it",
                        Integer.class,
                        BigDecimal.class,
                        (context, id) -> {
                            try (Result row =
                                    context.execute(
                                            "SELECT balance FROM account WHERE id = ?", id)) {
                                row.next();
                                if (runs.incrementAndGet() == 1) {
                                    SqlFixture.run(
                                            other, "UPDATE account SET balance = balance + 1");
                                }
                                BigDecimal balance = (BigDecimal) row.value(0);
                                context.execute(
                                                "UPDATE account SET balance = ? WHERE id = ?",
                                                balance.add(balance),
                                                id)
                                        .close();
                                return balance;
                            }
                        });
        assertThat(db.rows("CALL double_it(1)")).isEqualTo("101.00");
        assertThat(runs).hasValue(2);
        assertThat(balances()).isEqualTo("1|202.00; 2|51.00");
        runs.set(0);
        db.run("BEGIN");
        db.rows("SELECT 1 FROM account");
        assertThat(db.error("CALL double_it(1)")).startsWith("40001");
        db.run("ROLLBACK");
        assertThat(runs).hasValue(1);
        runs.set(0);
        db.run("SET namdb.procedure_attempts = 1");
        assertThat(db.error("CALL double_it(1)")).startsWith("40001");
        assertThat(
                        db.rows("SHOW procedures")
                                .lines()
                                .flatMap(line -> List.of(line.split("; ")).stream())
                                .filter(line -> line.startsWith("double_it|")))
                .singleElement()
                .asString()
                .startsWith("double_it|input integer|double_it numeric||3|2|1|");
        other.close();
    }

    /// Whatever it catches: it can't commit what it has not read.
    @Test
    void aConflictThatIsCaughtIsStillOne() {
        AtomicInteger runs = new AtomicInteger();
        try (SqlSession other = db.database.session()) {
            db.database
                    .procedures()
                    .register(
                            "stubborn",
                            Void.class,
                            Void.class,
                            (context, none) -> {
                                var account = context.table("account");
                                var row =
                                        context.transaction()
                                                .read(account, account.newKey().set(1));
                                if (runs.incrementAndGet() == 1) {
                                    SqlFixture.run(other, "UPDATE account SET balance = 1");
                                }
                                try {
                                    row.setInt64(account.column("balance"), 777);
                                    context.execute("UPDATE account SET balance = 5").close();
                                } catch (RuntimeException e) {
                                    // ignores it
                                }
                                return null;
                            });
            db.run("CALL stubborn()");
            assertThat(runs.get()).isGreaterThan(1);
            assertThat(balances()).isEqualTo("1|5.00; 2|5.00");
        }
    }

    @Test
    void aProcedureThatTakesTooLongIsEnded() {
        db.database
                .procedures()
                .register(
                        "forever",
                        Void.class,
                        Void.class,
                        (context, none) -> {
                            while (true) {
                                context.execute("SELECT 1").close();
                            }
                        });
        db.run("SET statement_timeout = 50");
        assertThat(db.error("CALL forever()"))
                .isEqualTo("57014 canceling statement due to statement timeout");
        db.run("SET statement_timeout = 0");
        assertThat(db.rows("CALL transfer(1, 2, 1)")).isEqualTo("99.00");
    }

    @Test
    void aProcedureIsReplacedForCallsToCome() {
        db.database
                .procedures()
                .register("answer", Void.class, Integer.class, (context, none) -> 42);
        PreparedStatement call = db.session.prepare("SELECT * FROM answer()");
        assertThat(value(call)).isEqualTo(42L);
        db.database
                .procedures()
                .register("answer", Void.class, String.class, (context, none) -> "none");
        assertThat(value(call)).isEqualTo("none");
        assertThat(call.columns().getFirst().type().name()).isEqualTo("text");
    }

    private static @Nullable Object value(PreparedStatement call) {
        try (Result row = call.execute()) {
            assertThat(row.next()).isTrue();
            return row.value(0);
        }
    }

    @Test
    void whatIsNoRowOfSqlIsNoProcedure() {
        assertThatThrownBy(() ->
                        db.database
                                .procedures()
                                .register("x", Object.class, Void.class, (c, i) -> null))
                .hasMessageContaining("no type of SQL");
        Procedure<Integer, Integer> lambda = (context, i) -> i;
        assertThatThrownBy(() -> db.database.procedures().register(lambda))
                .hasMessageContaining("does not say");
    }

    @Test
    void anErrorOfAProcedureNamesIt() {
        db.database
                .procedures()
                .register(
                        "refuse",
                        Void.class,
                        Void.class,
                        (context, none) -> {
                            throw new SqlException(SqlState.CHECK_VIOLATION, "not today")
                                    .withHint("Tomorrow.");
                        });
        assertThatThrownBy(() -> db.run("CALL refuse()"))
                .isInstanceOfSatisfying(
                        SqlException.class,
                        e -> {
                            assertThat(e.state()).isEqualTo(SqlState.CHECK_VIOLATION);
                            assertThat(e.hint()).isEqualTo("Tomorrow.");
                            assertThat(e.context()).isEqualTo("procedure refuse");
                        });
        assertThatThrownBy(() -> db.run("CALL transfer(1, 2, 500)"))
                .isInstanceOfSatisfying(
                        SqlException.class,
                        e ->
                                assertThat(e.context())
                                        .contains("statement: UPDATE account")
                                        .endsWith("procedure transfer"));
    }

    @Test
    void moneyIsNeitherMadeNorLost() throws Exception {
        int threads = 4;
        int calls = 200;
        db.run("INSERT INTO account SELECT i, 100 FROM generate_series(3, 6) AS s (i)");
        try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> done = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int seed = t;
                done.add(
                        pool.submit(() -> {
                            int failed = 0;
                            try (SqlSession session = db.database.session()) {
                                PreparedStatement call =
                                        session.prepare("CALL transfer($1, $2, $3)");
                                for (int i = 0; i < calls; i++) {
                                    try {
                                        call.execute(
                                                        1 + (i + seed) % 6,
                                                        1 + (i * 5 + seed * 3) % 6,
                                                        i % 17)
                                                .close();
                                    } catch (SqlException e) {
                                        assertThat(e.state().code()).isIn("23514", "40001");
                                        failed++;
                                    }
                                }
                            }
                            return failed;
                        }));
            }
            int failed = 0;
            for (Future<Integer> each : done) {
                failed += each.get(5, TimeUnit.MINUTES);
            }
            assertThat(failed).isLessThan(threads * calls);
        }
        assertThat(db.rows("SELECT sum(balance) FROM account")).isEqualTo("550.00");
    }
}
