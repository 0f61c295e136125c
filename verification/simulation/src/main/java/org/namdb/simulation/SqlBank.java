package org.namdb.simulation;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.engine.TransactionStatus;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Result;

/// A bank in SQL, for what only SQL does: blocks of statements, unique columns, foreign keys.
/// Transfers leave the sum of all balances as it is. Cards are inserted and deleted, each with a
/// number that no other card has, at branches that are inserted and deleted: no card is ever at a
/// branch that is not there. Every snapshot must show all three, however it is read.
final class SqlBank {
    private static final int ACCOUNTS = 8;
    private static final int BALANCE = 100;
    private static final int BRANCHES = 4;
    private static final int CARDS = 12;
    private static final int NUMBERS = 6;

    private final SqlSession session;
    private final SplittableRandom random;

    SqlBank(SqlSession session, SplittableRandom random) {
        this.session = session;
        this.random = random;
    }

    /// Makes the tables, and opens the accounts.
    static void create(NamDb db, int expectedRows, int versions, boolean inlined, boolean cached) {
        String options =
                " WITH (expected_rows = %d, bucket_size = 2, versions = %d, inline = %s, cached = %s)"
                        .formatted(expectedRows, versions, inlined, cached);
        try (SqlDatabase database = SqlDatabase.of(db);
                SqlSession session = database.session()) {
            SqlBank bank = new SqlBank(session, new SplittableRandom(0));
            bank.run(
                    "CREATE TABLE accounts (id INT PRIMARY KEY, balance BIGINT NOT NULL CHECK (balance >= 0))"
                            + options);
            bank.run("CREATE TABLE branches (id INT PRIMARY KEY)" + options);
            bank.run(
                    "CREATE TABLE cards (id INT PRIMARY KEY, number INT NOT NULL UNIQUE,"
                            + " branch INT NOT NULL REFERENCES branches (id))"
                            + options);
            for (int account = 0; account < ACCOUNTS; account++) {
                bank.run("INSERT INTO accounts VALUES ($1, $2)", account, BALANCE);
            }
        }
    }

    /// One transaction's worth of change, or an audit.
    ///
    /// @return whether it did what it was to do; not if it lost a conflict, or violated a
    ///     constraint
    /// @throws SqlException if it failed as no transaction should
    /// @throws IllegalStateException if the database holds what it must not hold
    boolean attempt() {
        try {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> transfer();
                case 3 -> run("INSERT INTO branches VALUES ($1)", random.nextInt(BRANCHES));
                case 4 -> run("DELETE FROM branches WHERE id = $1", random.nextInt(BRANCHES));
                case 5 -> issueCard();
                case 6 -> run("DELETE FROM cards WHERE id = $1", random.nextInt(CARDS));
                default -> audit();
            }
            return true;
        } catch (SqlException e) {
            if (!mayHappen(e.state())) {
                throw e;
            }
            if (session.status() != TransactionStatus.IDLE) {
                run("ROLLBACK");
            }
            return false;
        }
    }

    /// Ends the block in which a statement has met an unplanned failure. Nothing of it may be
    /// committed, even if the client requests it.
    ///
    /// @return whether the session may be usable
    boolean endsBlock() {
        if (session.status() != TransactionStatus.IDLE) {
            run(random.nextBoolean() ? "ROLLBACK" : "COMMIT");
        }
        return true;
    }

    /// Audits all, in one snapshot.
    ///
    /// @throws IllegalStateException if the database holds what it must not hold
    void audit() {
        run("BEGIN READ ONLY");
        require("the sum of balances", ACCOUNTS * BALANCE, "SELECT sum(balance) FROM accounts");
        require("accounts", ACCOUNTS, "SELECT count(*) FROM accounts");
        long cards = number("SELECT count(*) FROM cards");
        require("numbers of cards", cards, "SELECT count(DISTINCT number) FROM cards");
        require(
                "cards with their branches",
                cards,
                "SELECT count(*) FROM cards c JOIN branches b ON b.id = c.branch");
        long found = 0;
        for (int number = 0; number < NUMBERS; number++) {
            found += number("SELECT count(*) FROM cards WHERE number = $1", number);
        }
        if (found != cards) {
            throw new IllegalStateException(
                    "%d cards are found by their numbers, %d by a scan".formatted(found, cards));
        }
        run("COMMIT");
    }

    private void transfer() {
        int from = random.nextInt(ACCOUNTS);
        int to = (from + random.nextInt(1, ACCOUNTS)) % ACCOUNTS;
        run("BEGIN");
        long balance = number("SELECT balance FROM accounts WHERE id = $1", from);
        long amount = balance == 0 ? 0 : random.nextLong(1, balance + 1);
        run("UPDATE accounts SET balance = balance - $1 WHERE id = $2", amount, from);
        run("UPDATE accounts SET balance = balance + $1 WHERE id = $2", amount, to);
        run(random.nextInt(8) == 0 ? "ROLLBACK" : "COMMIT");
    }

    /// A number that is taken is given up for another one, within the same transaction.
    private void issueCard() {
        int card = random.nextInt(CARDS);
        int branch = random.nextInt(BRANCHES);
        run("BEGIN");
        run("SAVEPOINT first");
        try {
            run("INSERT INTO cards VALUES ($1, $2, $3)", card, random.nextInt(NUMBERS), branch);
        } catch (SqlException e) {
            if (e.state() != SqlState.UNIQUE_VIOLATION) {
                throw e;
            }
            run("ROLLBACK TO first");
            run("INSERT INTO cards VALUES ($1, $2, $3)", card, random.nextInt(NUMBERS), branch);
        }
        run("COMMIT");
    }

    private static boolean mayHappen(SqlState state) {
        return state == SqlState.SERIALIZATION_FAILURE
                || state == SqlState.UNIQUE_VIOLATION
                || state == SqlState.FOREIGN_KEY_VIOLATION;
    }

    private void run(String sql, @Nullable Object... parameters) {
        session.execute(sql, parameters).close();
    }

    private long number(String sql, @Nullable Object... parameters) {
        try (Result result = session.execute(sql, parameters)) {
            if (!result.next()) {
                throw new IllegalStateException("no row: " + sql);
            }
            return Long.parseLong(String.valueOf(result.text(0)));
        }
    }

    private void require(String what, long expected, String sql) {
        long found = number(sql);
        if (found != expected) {
            throw new IllegalStateException("%s: %d, not %d".formatted(what, found, expected));
        }
    }
}
