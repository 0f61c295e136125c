package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.fabric.Seeds;
import org.namdb.mvcc.hash.SplitFixture.Client;

/// Scans of tables whose buckets are split before and meanwhile: every row once.
class SplitScanTest {
    private static final int GROUPS = 100;

    private static List<List<Long>> insertAll(SplitFixture fixture) {
        Client writer = fixture.new Client();
        List<List<Long>> rows = new ArrayList<>();
        for (long group = 0; group < GROUPS; group++) {
            for (long number = 0; number < 1 + group % 3; number++) {
                writer.insert(group, number);
                rows.add(List.of(group, number));
            }
        }
        return rows;
    }

    @ParameterizedTest
    @CsvSource({"true, true", "false, true", "true, false", "false, false"})
    void everyRowIsSeenOnceInTenDoublings(boolean inPlace, boolean isInlined) {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (SplitFixture fixture = new SplitFixture(inPlace, isInlined)) {
            List<List<Long>> rows = insertAll(fixture);
            Client lasting = fixture.new Client();
            for (int scan = 0; scan < 60; scan++) {
                Client client = scan % 2 == 0 ? lasting : fixture.new Client();
                int most = 1 + random.nextInt(9);
                Runnable between =
                        () -> {
                            if (fixture.homes().size() < 10 * SplitFixture.ROOTS * 10) {
                                fixture.split(random.nextInt(GROUPS));
                            }
                        };
                assertThat(client.scan(most, between)).containsExactlyInAnyOrderElementsOf(rows);
            }
            assertThat(fixture.homes().size()).isGreaterThan(100);
        }
    }

    @Test
    void everyRowIsInOnePartThatIsScanned() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (SplitFixture fixture = new SplitFixture(false, true)) {
            List<List<Long>> rows = insertAll(fixture);
            for (int scan = 0; scan < 100; scan++) {
                Client client = fixture.new Client();
                Runnable between =
                        () -> {
                            if (random.nextInt(4) == 0 && fixture.homes().size() < 300) {
                                fixture.split(random.nextInt(GROUPS));
                            }
                        };
                assertThat(
                                client.scanInParts(
                                        random.nextInt(1, 60), 1 + random.nextInt(9), between))
                        .containsExactlyInAnyOrderElementsOf(rows);
            }
            assertThat(fixture.homes().size()).isGreaterThan(100);
        }
    }

    /// Before each of its READs, in buckets with and without areas.
    @Test
    void aSplitBetweenTwoReadsHidesNothingAndShowsNothingTwice() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (SplitFixture fixture = new SplitFixture(false, true)) {
            List<List<Long>> rows = insertAll(fixture);
            int interrupted = 0;
            for (int scan = 0; scan < 200; scan++) {
                Client client = fixture.new Client();
                int read = 1 + scan % 70;
                int split = random.nextInt(GROUPS);
                client.before(read, () -> fixture.split(split));
                assertThat(client.scan(1 + random.nextInt(9), () -> {}))
                        .containsExactlyInAnyOrderElementsOf(rows);
                interrupted += client.reads(read) >= read ? 1 : 0;
            }
            assertThat(interrupted).isGreaterThan(100);
        }
    }

    @Test
    void aChildThatIsNewerThanTheGrowthWordIsNoPiece() {
        try (SplitFixture fixture = new SplitFixture(false, true)) {
            List<List<Long>> rows = insertAll(fixture);
            for (int group = 0; group < GROUPS; group++) {
                fixture.split(group);
                fixture.announceChild((group + 50) % GROUPS);
            }
            assertThat(fixture.new Client().scan(4, () -> {}))
                    .containsExactlyInAnyOrderElementsOf(rows);
        }
    }
}
