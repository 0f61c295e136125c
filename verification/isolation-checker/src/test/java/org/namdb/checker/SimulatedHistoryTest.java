package org.namdb.checker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.checker.history.History;
import org.namdb.checker.history.HistoryBuilder;
import org.namdb.checker.history.HistoryReader;
import org.namdb.checker.history.Status;
import org.namdb.checker.report.VerdictReport;

/// Histories of a correct database are accepted, and every change to one that must be noticed is.
///
/// `-Dnamdb.mutants=N`: N mutants of each kind, in place of 40. `-Dnamdb.transactions=N`: N in a
/// large history, in place of 40,000.
class SimulatedHistoryTest {
    private static final int MUTANTS = Integer.getInteger("namdb.mutants", 40);
    private static final int LARGE = Integer.getInteger("namdb.transactions", 40_000);

    private static void assertHolds(Verdict verdict) {
        assertThat(verdict.holds()).as(VerdictReport.of(verdict)).isTrue();
    }

    @Test
    void aCorrectDatabaseIsAccepted() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        int[][] shapes = {{8, 8, 10}, {8, 8, 200}, {1, 1, 5}, {2, 2, 1}, {16, 3, 20}, {40, 64, 30}};
        for (int[] shape : shapes) {
            SimulatedDatabase database =
                    new SimulatedDatabase(random.split(), shape[0], shape[1], shape[2], 0);
            History history = Attempt.history(database.run(10_000));
            assertThat(history.transactions()).hasSize(10_000);
            assertHolds(IsolationChecker.strict().check(history));
        }
    }

    @Test
    void aCorrectDatabaseWithStaleSnapshotsIsAcceptedIfTheyAreAllowed() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        History history = Attempt.history(new SimulatedDatabase(random, 8, 8, 100, 20).run(10_000));
        assertHolds(IsolationChecker.allowingStale().check(history));
        Verdict strict = IsolationChecker.strict().check(history);
        assertThat(strict.count(Rule.REAL_TIME)).isPositive();
        assertThat(strict.smallest().orElseThrow().rule()).isEqualTo(Rule.REAL_TIME);
    }

    @Test
    void concurrencyWriteSkewAndUnknownOutcomesAreReallyInThem() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        List<Attempt> attempts = new SimulatedDatabase(random, 8, 8, 20, 0).run(10_000);
        Verdict verdict = IsolationChecker.strict().check(Attempt.history(attempts));
        assertThat(verdict.writeSkews()).isPositive();
        assertThat(attempts.stream().filter(attempt -> attempt.lostRace)).isNotEmpty();
        assertThat(verdict.history().transactions())
                .filteredOn(transaction -> transaction.status() == Status.INFO)
                .anyMatch(verdict::isCommitted)
                .anyMatch(transaction -> !verdict.isCommitted(transaction));
    }

    @ParameterizedTest
    @EnumSource
    void everyMutantIsRefused(Mutation mutation) {
        long seed = Seeds.next();
        for (int mutant = 0; mutant < MUTANTS; mutant++) {
            SplittableRandom random = new SplittableRandom(seed + mutant);
            List<Attempt> attempts =
                    new SimulatedDatabase(
                                    random, 2 + random.nextInt(7), 8, 3 + random.nextInt(20), 0)
                            .run(300);
            assertHolds(IsolationChecker.strict().check(Attempt.history(attempts)));
            assertThat(mutation.apply(new Mutation.Bed(attempts, new Random(random.nextLong()))))
                    .as("the mutation has a place")
                    .isTrue();
            Verdict verdict = IsolationChecker.strict().check(Attempt.history(attempts));
            assertThat(broken(verdict))
                    .as("mutant %d of seed %d", mutant, seed)
                    .containsAnyElementsOf(mutation.rules);
            assertThat(VerdictReport.of(verdict)).startsWith("Snapshot isolation is VIOLATED.\n");
        }
    }

    private static List<Rule> broken(Verdict verdict) {
        return Stream.of(Rule.values())
                .filter(rule -> verdict.count(rule) > 0)
                .collect(Collectors.toList());
    }

    @Test
    void workIsProportionalToTheHistory() {
        long seed = Seeds.next();
        long small = steps(seed, LARGE / 10);
        long nanos = System.nanoTime();
        long large = steps(seed, LARGE);
        System.out.printf(
                "%,d transactions made and checked in %s, %,d steps%n",
                LARGE, Words.nanos(System.nanoTime() - nanos), large);
        // Sorting is what isn't linear: log(100,000) / log(10,000) is 1.25.
        assertThat(large).isLessThan(small * 10 * 5 / 4);
        assertThat(large / LARGE).as("steps for each transaction").isLessThan(100);
    }

    private static long steps(long seed, int transactions) {
        SimulatedDatabase database =
                new SimulatedDatabase(new SplittableRandom(seed), 8, 8, 100, 0);
        Verdict verdict =
                IsolationChecker.strict().check(Attempt.history(database.run(transactions)));
        assertHolds(verdict);
        return verdict.steps();
    }

    @Test
    void aLargeFileIsReadAndChecked(@TempDir Path directory) throws IOException {
        SimulatedDatabase database =
                new SimulatedDatabase(new SplittableRandom(Seeds.next()), 8, 8, 200, 0);
        List<Attempt> attempts = database.run(LARGE);
        Collections.shuffle(attempts, new Random(1)); // lines come in any order
        Path file =
                Files.write(
                        directory.resolve("history.jsonl"),
                        attempts.stream().map(Attempt::toJson).toList());
        long nanos = System.nanoTime();
        Verdict verdict = IsolationChecker.strict().check(HistoryReader.read(file));
        System.out.printf(
                "%,d bytes read and checked in %s%n",
                Files.size(file), Words.nanos(System.nanoTime() - nanos));
        assertHolds(verdict);
        assertThat(verdict.history().transactions()).hasSize(LARGE);
    }

    @Test
    void workIsProportionalEvenIfTheHistoryIsWrongEverywhere() {
        long seed = Seeds.next();
        assertThat(brokenSteps(seed, 20_000)).isLessThan(brokenSteps(seed, 2_000) * 15);
    }

    @Test
    void aSingleLargeSlotNumberCostsNothing() {
        List<Attempt> attempts =
                new SimulatedDatabase(new SplittableRandom(Seeds.next()), 4, 4, 10, 0).run(2_000);
        long before = IsolationChecker.strict().check(Attempt.history(attempts)).steps();
        Attempt last = attempts.getLast();
        last.status = Status.OK;
        last.slot = HistoryBuilder.MAX_SLOTS - 1;
        last.timestamp = 1;
        assertThat(IsolationChecker.strict().check(Attempt.history(attempts)).steps())
                .isLessThan(before + 100);
    }

    /// As of a database that reads the vector slot by slot, each as old as it likes.
    private static long brokenSteps(long seed, int transactions) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Attempt> attempts = new SimulatedDatabase(random, 8, 8, 100, 0).run(transactions);
        for (Attempt attempt : attempts) {
            attempt.snapshot = attempt.snapshot.clone();
            for (int slot = 0; slot < attempt.snapshot.length; slot++) {
                attempt.snapshot[slot] = Math.max(0, attempt.snapshot[slot] - random.nextInt(3));
            }
        }
        Verdict verdict = IsolationChecker.strict().check(Attempt.history(attempts));
        assertThat(verdict.count(Rule.LONG_FORK)).isGreaterThan(transactions / 10);
        assertThat(VerdictReport.of(verdict)).isNotEmpty();
        return verdict.steps();
    }
}
