package org.namdb.checker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.namdb.checker.history.InvalidHistoryException;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Status;
import org.namdb.checker.report.VerdictReport;

/// The fast checker and the plain one are of the same opinion about small histories, of which some
/// are legal, most are damaged, and some make no sense at all.
class NaiveCheckerTest {
    private static final int HISTORIES = 10_000;

    @Test
    void bothAreOfOneOpinionAboutDamagedHistories() {
        SplittableRandom seeds = new SplittableRandom(Seeds.next());
        int held = 0;
        int judged = 0;
        for (int count = 0; count < HISTORIES; count++) {
            SplittableRandom random = seeds.split();
            List<Attempt> attempts =
                    new SimulatedDatabase(
                                    random,
                                    1 + random.nextInt(4),
                                    1 + random.nextInt(3),
                                    1 + random.nextInt(3),
                                    0)
                            .run(2 + random.nextInt(8));
            for (int damage = random.nextInt(4); damage > 0; damage--) {
                damage(attempts.get(random.nextInt(attempts.size())), attempts, random);
            }
            try {
                held += compare(attempts) ? 1 : 0;
                judged++;
            } catch (InvalidHistoryException e) {
                // damaged beyond what can be a history
            }
        }
        System.out.printf("%d histories, %d of them legal%n", judged, held);
        assertThat(judged).isGreaterThan(HISTORIES / 2);
        assertThat(held).isBetween(judged / 10, judged * 9 / 10);
    }

    @Test
    void bothAreOfOneOpinionAboutWildHistories() {
        SplittableRandom seeds = new SplittableRandom(Seeds.next());
        int held = 0;
        for (int count = 0; count < HISTORIES; count++) {
            held += compare(wild(seeds.split())) ? 1 : 0;
        }
        System.out.printf("%d histories, %d of them legal%n", HISTORIES, held);
        assertThat(held).isBetween(HISTORIES / 100, HISTORIES / 2);
    }

    /// Whether the history is legal, after both have said the same.
    private static boolean compare(List<Attempt> attempts) {
        Verdict verdict = IsolationChecker.strict().check(Attempt.history(attempts));
        String report = VerdictReport.of(verdict);
        String sketch = attempts.stream().map(Attempt::toString).collect(Collectors.joining("\n"));
        assertThat(verdict.holds())
                .as("%s%n%s", sketch, report)
                .isEqualTo(new NaiveChecker(attempts).holds());
        return verdict.holds();
    }

    /// Everything is random, from small ranges so that things meet.
    private static List<Attempt> wild(SplittableRandom random) {
        List<Attempt> attempts = new ArrayList<>();
        int size = 1 + random.nextInt(5);
        for (int tid = 1; tid <= size; tid++) {
            Attempt attempt = new Attempt();
            attempt.tid = tid;
            attempt.session = "s" + random.nextInt(4);
            attempt.begin = random.nextInt(10);
            attempt.end = attempt.begin + random.nextInt(10);
            attempt.snapshot = random.longs(random.nextInt(3), 0, 3).toArray();
            int lot = random.nextInt(10);
            if (lot < 8) {
                attempt.slot = random.nextInt(2);
                attempt.timestamp = 1L + random.nextInt(3);
                attempt.status = lot < 6 ? Status.OK : Status.INFO;
            } else {
                attempt.status = lot == 8 ? Status.FAIL : Status.INFO;
            }
            for (int count = random.nextInt(3); count > 0; count--) {
                int key = random.nextInt(2);
                attempt.operations.add(
                        random.nextBoolean()
                                ? Operation.write(key, 10 * tid + count)
                                : Operation.read(key, randomValue(random, size)));
            }
            attempts.add(attempt);
        }
        return attempts;
    }

    private static int randomValue(SplittableRandom random, int size) {
        return random.nextInt(2) * (10 * (1 + random.nextInt(size)) + 1 + random.nextInt(2));
    }

    private static void damage(Attempt attempt, List<Attempt> all, SplittableRandom random) {
        Attempt other = all.get(random.nextInt(all.size()));
        switch (random.nextInt(9)) {
            case 0 -> attempt.status = Status.values()[random.nextInt(3)];
            case 1 -> attempt.snapshot = other.snapshot;
            case 2 -> changeElement(attempt, random);
            case 3 -> attempt.timestamp = Math.max(1, attempt.timestamp + random.nextInt(-1, 2));
            case 4 -> attempt.end = Math.max(attempt.begin, other.begin - random.nextInt(-1, 2));
            case 5 -> attempt.begin = Math.min(attempt.end, other.end + random.nextInt(-1, 2));
            case 6 -> attempt.session = other.session;
            case 7 -> {
                attempt.slot = -1;
                attempt.timestamp = -1;
            }
            default -> changeRead(attempt, other, random);
        }
    }

    private static void changeElement(Attempt attempt, SplittableRandom random) {
        int slot = random.nextInt(attempt.snapshot.length);
        attempt.snapshot = Arrays.copyOf(attempt.snapshot, attempt.snapshot.length);
        attempt.snapshot[slot] =
                Math.max(0, attempt.snapshot[slot] + (random.nextBoolean() ? 1 : -1));
    }

    private static void changeRead(Attempt attempt, Attempt other, SplittableRandom random) {
        int place = random.nextInt(attempt.operations.size());
        Operation operation = attempt.operations.get(place);
        Operation model = other.operations.get(random.nextInt(other.operations.size()));
        if (!operation.isWrite()) {
            attempt.operations.set(place, Operation.read(model.key(), model.value()));
        }
    }
}
