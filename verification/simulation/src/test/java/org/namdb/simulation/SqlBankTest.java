package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Seeds;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlSession;

/// The bank by itself: that it does something, and that its audit notices what is wrong.
class SqlBankTest {
    private static final int ATTEMPTS = 500;

    private NamDb db;
    private SqlSession session;
    private SqlBank bank;

    @BeforeEach
    void open() {
        db = NamDb.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(64L << 20).withSlots(4));
        SqlBank.create(db, BankWorkload.ROWS, 2, true, false);
        session = SqlDatabase.of(db).session();
        bank = new SqlBank(session, new SplittableRandom(Seeds.next()));
    }

    @AfterEach
    void close() {
        session.close();
        db.close();
    }

    @Test
    void aloneItBreaksRulesNowAndThenAndNothingElse() {
        int done = 0;
        for (int i = 0; i < ATTEMPTS; i++) {
            done += bank.attempt() ? 1 : 0;
        }
        assertThat(done).isBetween(ATTEMPTS / 4, ATTEMPTS - 1);
        bank.audit();
    }

    /// Beneath SQL, where no constraint of SQL is checked.
    @ParameterizedTest
    @ValueSource(strings = {"accounts", "branches"})
    void whatIsMissingIsNoticed(String table) {
        session.execute("INSERT INTO branches VALUES (1)").close();
        session.execute("INSERT INTO cards VALUES (1, 1, 1)").close();
        bank.audit();
        Table stored = db.findTable(table);
        db.transact(transaction -> {
            Row row = transaction.read(stored, stored.newKey().set(1));
            transaction.delete(row);
            return true;
        });
        assertThatThrownBy(bank::audit).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aBalanceOutOfNothingIsNoticed() {
        session.execute("UPDATE accounts SET balance = balance + 1 WHERE id = 3").close();
        assertThatThrownBy(bank::audit).hasMessageContaining("the sum of balances: 801, not 800");
    }
}
