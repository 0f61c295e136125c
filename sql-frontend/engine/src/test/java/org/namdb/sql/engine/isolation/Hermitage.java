package org.namdb.sql.engine.isolation;

import static org.namdb.sql.engine.isolation.Scenario.named;

import java.util.List;

/// The scenarios: G0 to G-single must not happen under snapshot isolation; G2-item and G2, which
/// are write skew, must be possible.
///
/// The names are those of Adya and of Martin Kleppmann's Hermitage; the steps are adapted to a
/// database without lock waits.
public final class Hermitage {
    private static final String THREES = "SELECT id, value FROM test WHERE value % 3 = 0";

    private Hermitage() {}

    /// All scenarios.
    public static List<Scenario> scenarios() {
        return List.of(
                dirtyWrite(),
                dirtyWriteOfTheSecond(),
                abortedRead(),
                intermediateRead(),
                circularInformationFlow(),
                observedTransactionVanishes(),
                predicateManyPreceders(),
                predicateManyPrecedersWithWrite(),
                lostUpdate(),
                lostUpdateOfTheFirst(),
                lostDelete(),
                lostRelativeUpdate(),
                twoInsertsOfOneKey(),
                readSkew(),
                readSkewWithPredicate(),
                readSkewWithSum(),
                readSkewWithDelete(),
                readSkewAfterRollback(),
                writeSkewOnItems(),
                writeSkewOnItemsLocked(),
                writeSkewOnPredicates(),
                readOnlyAnomaly());
    }

    private static Scenario dirtyWrite() {
        return named("G0: dirty write")
                .begin(1)
                .set(1, 1, 11)
                .begin(2)
                .set(2, 1, 12)
                .set(1, 2, 21)
                .commit(1)
                .seesAll(3, "1 11", "2 21")
                .set(2, 2, 22)
                .commit(2)
                .loses(2)
                .leaves("1 11", "2 21");
    }

    private static Scenario dirtyWriteOfTheSecond() {
        return named("G0: dirty write, the second writer commits first")
                .begin(1)
                .set(1, 1, 11)
                .set(1, 2, 21)
                .begin(2)
                .set(2, 1, 12)
                .set(2, 2, 22)
                .commit(2)
                .seesAll(3, "1 12", "2 22")
                .commit(1)
                .loses(1)
                .secondUpdaterWins()
                .leaves("1 12", "2 22");
    }

    private static Scenario abortedRead() {
        return named("G1a: aborted read")
                .begin(1)
                .set(1, 1, 101)
                .begin(2)
                .seesAll(2, "1 10", "2 20")
                .run(1, "ROLLBACK")
                .seesAll(2, "1 10", "2 20")
                .commit(2)
                .leaves("1 10", "2 20");
    }

    private static Scenario intermediateRead() {
        return named("G1b: intermediate read")
                .begin(1)
                .set(1, 1, 101)
                .begin(2)
                .seesAll(2, "1 10", "2 20")
                .set(1, 1, 11)
                .commit(1)
                .seesAll(2, "1 10", "2 20")
                .seesAll(3, "1 11", "2 20")
                .commit(2)
                .leaves("1 11", "2 20");
    }

    private static Scenario circularInformationFlow() {
        return named("G1c: circular information flow")
                .begin(1)
                .set(1, 1, 11)
                .begin(2)
                .set(2, 2, 22)
                .seesValue(1, 2, 20)
                .seesValue(2, 1, 10)
                .commit(1)
                .seesValue(2, 1, 10)
                .commit(2)
                .leaves("1 11", "2 22");
    }

    private static Scenario observedTransactionVanishes() {
        return named("OTV: observed transaction vanishes")
                .begin(1)
                .set(1, 1, 11)
                .set(1, 2, 19)
                .begin(2)
                .set(2, 1, 12)
                .commit(1)
                .begin(3)
                .seesValue(3, 1, 11)
                .set(2, 2, 18)
                .seesValue(3, 2, 19)
                .commit(2)
                .seesAll(3, "1 11", "2 19")
                .commit(3)
                .loses(2)
                .leaves("1 11", "2 19");
    }

    private static Scenario predicateManyPreceders() {
        return named("PMP: predicate with many preceders")
                .begin(1)
                .sees(1, "SELECT id FROM test WHERE value = 30")
                .begin(2)
                .run(2, "INSERT INTO test VALUES (3, 30)")
                .commit(2)
                .sees(1, THREES)
                .seesAll(1, "1 10", "2 20")
                .commit(1)
                .leaves("1 10", "2 20", "3 30");
    }

    private static Scenario predicateManyPrecedersWithWrite() {
        return named("PMP: predicate with many preceders, for a write")
                .begin(1)
                .run(1, "UPDATE test SET value = value + 10")
                .begin(2)
                .seesAll(2, "1 10", "2 20")
                .run(2, "DELETE FROM test WHERE value = 20")
                .commit(1)
                .commit(2)
                .loses(2)
                .leaves("1 20", "2 30");
    }

    private static Scenario lostUpdate() {
        return named("P4: lost update")
                .begin(1)
                .seesValue(1, 1, 10)
                .begin(2)
                .seesValue(2, 1, 10)
                .set(1, 1, 11)
                .set(2, 1, 12)
                .commit(1)
                .commit(2)
                .loses(2)
                .leaves("1 11", "2 20");
    }

    private static Scenario lostUpdateOfTheFirst() {
        return named("P4: lost update, written after the other's commit")
                .begin(1)
                .seesValue(1, 1, 10)
                .begin(2)
                .seesValue(2, 1, 10)
                .set(2, 1, 12)
                .commit(2)
                .seesValue(1, 1, 10)
                .set(1, 1, 11)
                .commit(1)
                .loses(1)
                .leaves("1 12", "2 20");
    }

    private static Scenario lostDelete() {
        return named("P4: an update of a deleted row")
                .begin(1)
                .seesAll(1, "1 10", "2 20")
                .begin(2)
                .run(2, "DELETE FROM test WHERE id = 2")
                .commit(2)
                .set(1, 2, 21)
                .commit(1)
                .loses(1)
                .leaves("1 10");
    }

    private static Scenario lostRelativeUpdate() {
        return named("P4: lost update by two increments")
                .begin(1)
                .seesValue(1, 2, 20)
                .begin(2)
                .seesValue(2, 2, 20)
                .run(1, "UPDATE test SET value = value + 5 WHERE id = 2")
                .commit(1)
                .run(2, "UPDATE test SET value = value + 7 WHERE id = 2")
                .commit(2)
                .loses(2)
                .leaves("1 10", "2 25");
    }

    private static Scenario twoInsertsOfOneKey() {
        return named("P4: two inserts of one key")
                .begin(1)
                .seesAll(1, "1 10", "2 20")
                .begin(2)
                .seesAll(2, "1 10", "2 20")
                .run(1, "INSERT INTO test VALUES (3, 31)")
                .run(2, "INSERT INTO test VALUES (3, 32)")
                .commit(1)
                .commit(2)
                .loses(2, "23505")
                .leaves("1 10", "2 20", "3 31");
    }

    private static Scenario readSkew() {
        return named("G-single: read skew")
                .begin(1)
                .seesValue(1, 1, 10)
                .begin(2)
                .seesAll(2, "1 10", "2 20")
                .set(2, 1, 12)
                .set(2, 2, 18)
                .commit(2)
                .seesValue(1, 2, 20)
                .seesValue(1, 1, 10)
                .commit(1)
                .leaves("1 12", "2 18");
    }

    private static Scenario readSkewWithPredicate() {
        return named("G-single: read skew with predicates")
                .begin(1)
                .sees(1, "SELECT id, value FROM test WHERE value % 5 = 0", "1 10", "2 20")
                .begin(2)
                .run(2, "UPDATE test SET value = 12 WHERE value = 10")
                .commit(2)
                .sees(1, THREES)
                .sees(3, THREES, "1 12")
                .commit(1)
                .leaves("1 12", "2 20");
    }

    private static Scenario readSkewWithSum() {
        return named("G-single: a sum and its parts")
                .begin(1)
                .sees(1, "SELECT SUM(value) FROM test", "30")
                .begin(2)
                .run(2, "UPDATE test SET value = value - 5 WHERE id = 1")
                .run(2, "UPDATE test SET value = value + 5 WHERE id = 2")
                .commit(2)
                .seesValue(1, 1, 10)
                .sees(1, "SELECT SUM(value), COUNT(*) FROM test", "30 2")
                .commit(1)
                .leaves("1 5", "2 25");
    }

    private static Scenario readSkewWithDelete() {
        return named("G-single: read skew, and a delete by the old value")
                .begin(1)
                .seesValue(1, 1, 10)
                .begin(2)
                .seesAll(2, "1 10", "2 20")
                .set(2, 1, 12)
                .set(2, 2, 18)
                .commit(2)
                .run(1, "DELETE FROM test WHERE value = 20")
                .commit(1)
                .loses(1)
                .leaves("1 12", "2 18");
    }

    private static Scenario readSkewAfterRollback() {
        return named("G-single: a rollback blocks no other session")
                .begin(1)
                .seesValue(1, 1, 10)
                .begin(2)
                .seesAll(2, "1 10", "2 20")
                .set(2, 1, 12)
                .run(1, "DELETE FROM test WHERE value = 20")
                .run(1, "ROLLBACK")
                .set(2, 2, 18)
                .commit(2)
                .leaves("1 12", "2 18");
    }

    private static Scenario writeSkewOnItems() {
        return named("G2-item: write skew is possible")
                .begin(1)
                .seesAll(1, "1 10", "2 20")
                .begin(2)
                .seesAll(2, "1 10", "2 20")
                .set(1, 1, 11)
                .set(2, 2, 21)
                .commit(1)
                .commit(2)
                .leaves("1 11", "2 21");
    }

    private static Scenario writeSkewOnItemsLocked() {
        return named("G2-item: FOR UPDATE prevents write skew")
                .begin(1)
                .sees(1, "SELECT id, value FROM test FOR UPDATE", "1 10", "2 20")
                .begin(2)
                .sees(2, "SELECT id, value FROM test FOR UPDATE", "1 10", "2 20")
                .set(1, 1, 11)
                .set(2, 2, 21)
                .commit(1)
                .commit(2)
                .loses(2)
                .leaves("1 11", "2 20");
    }

    private static Scenario writeSkewOnPredicates() {
        return named("G2: write skew on a predicate is possible")
                .begin(1)
                .sees(1, THREES)
                .begin(2)
                .sees(2, THREES)
                .run(1, "INSERT INTO test VALUES (3, 30)")
                .run(2, "INSERT INTO test VALUES (4, 42)")
                .commit(1)
                .commit(2)
                .sees(3, THREES, "3 30", "4 42")
                .leaves("1 10", "2 20", "3 30", "4 42");
    }

    private static Scenario readOnlyAnomaly() {
        return named("G2: the anomaly of a read-only transaction is possible")
                .begin(1)
                .seesAll(1, "1 10", "2 20")
                .begin(2)
                .run(2, "UPDATE test SET value = value + 5 WHERE id = 2")
                .commit(2)
                .begin(3)
                .seesAll(3, "1 10", "2 25")
                .commit(3)
                .set(1, 1, 0)
                .commit(1)
                .leaves("1 0", "2 25");
    }
}
