package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.fabric.Seeds;
import org.namdb.mvcc.hash.SplitFixture.Client;

/// Reads of tables whose buckets were split, by clients that have seen none, some or all of that.
class SplitReadTest {
    private static final int GROUPS = 150;
    private static final int SPLITS = 120;

    private static int rowsOf(int group) {
        return 1 + group % 3;
    }

    private static void insertAll(Client writer) {
        for (int group = 0; group < GROUPS; group++) {
            for (int number = 0; number < rowsOf(group); number++) {
                writer.insert(group, number);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"true, true", "false, true", "true, false", "false, false"})
    void everyRowIsFoundHoweverOldThePicture(boolean inPlace, boolean isInlined) {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (SplitFixture fixture = new SplitFixture(inPlace, isInlined)) {
            insertAll(fixture.new Client());
            Client frequent = fixture.new Client();
            Client rare = fixture.new Client();
            for (int splits = 0; splits < SPLITS; splits++) {
                fixture.split(random.nextInt(GROUPS));
                readSome(frequent, random, 8);
                if (splits % 40 == 39) {
                    readSome(rare, random, 20);
                }
            }
            Client newcomer = fixture.new Client();
            for (int group = 0; group < GROUPS; group++) {
                for (Client client : List.of(frequent, rare, newcomer)) {
                    readOne(client, group);
                }
            }
        }
    }

    private static void readSome(Client client, SplittableRandom random, int count) {
        long[] rows = new long[2 * count];
        List<Long> expected = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int group = random.nextInt(GROUPS);
            int number = random.nextInt(4);
            rows[2 * i] = group;
            rows[2 * i + 1] = number;
            expected.add(number < rowsOf(group) ? SplitFixture.value(group, number) : null);
        }
        assertThat(client.readAll(rows)).isEqualTo(expected);
        int group = random.nextInt(GROUPS);
        assertThat(client.neighbours(group)).hasSize(rowsOf(group));
    }

    private static void readOne(Client client, int group) {
        List<Long> all = new ArrayList<>();
        for (int number = 0; number < rowsOf(group); number++) {
            assertThat(client.read(group, number)).isEqualTo(SplitFixture.value(group, number));
            all.add((long) number);
        }
        assertThat(client.read(group, 77)).isNull();
        assertThat(client.neighbours(group)).containsExactlyInAnyOrderElementsOf(all);
    }

    /// A row that stayed costs one round trip, one that was moved one more, once.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSplitCostsAReaderWithAnOldDirectoryOneRoundTripOnce(boolean inPlace) {
        try (SplitFixture fixture = new SplitFixture(inPlace, 200)) {
            Client client = fixture.new Client();
            insertAll(client);
            long before = fixture.home(1);
            while (fixture.home(1) == before) {
                fixture.split(1);
            }
            assertThat(roundTrips(client, 1)).as("with the directory").isEqualTo(2 + 2);
            assertThat(roundTrips(client, 1)).isEqualTo(1);
            int stayed = 0;
            int moved = 0;
            for (int group = 0; group < GROUPS; group++) {
                long home = client.table.home(client.table.hash(SplitFixture.key(group, 0)));
                fixture.split(group);
                boolean isMoved = fixture.home(group) != home;
                long trips = roundTrips(client, group);
                assertThat(trips).isGreaterThanOrEqualTo(isMoved ? 2 : 1);
                assertThat(roundTrips(client, group)).isEqualTo(1);
                stayed += trips == 1 ? 1 : 0;
                moved += trips == 2 ? 1 : 0;
            }
            assertThat(stayed).isGreaterThan(GROUPS / 5);
            assertThat(moved).isGreaterThan(GROUPS / 5);
        }
    }

    private static long roundTrips(Client client, int group) {
        long before = client.queuePair.counters().roundTrips();
        assertThat(client.read(group, 0)).isEqualTo(SplitFixture.value(group, 0));
        return client.queuePair.counters().roundTrips() - before;
    }

    /// Before each of its READs, in buckets with and without areas.
    @ParameterizedTest
    @ValueSource(ints = {4, 64})
    void aSplitBetweenTwoReadsHidesNothing(int records) {
        int interrupted = 0;
        try (SplitFixture fixture = new SplitFixture(false, records)) {
            insertAll(fixture.new Client());
            for (int group = 0; group < GROUPS; group++) {
                Client client = fixture.new Client();
                int read = 1 + group % 12;
                int split = group;
                client.before(read, () -> fixture.split(split));
                long[] rows = {group, 0, group, rowsOf(group) - 1, group, 77};
                assertThat(client.readAll(rows))
                        .containsExactly(
                                SplitFixture.value(group, 0),
                                SplitFixture.value(group, rowsOf(group) - 1),
                                null);
                interrupted += client.reads(read) >= read ? 1 : 0;
            }
            for (int group = 0; group < GROUPS; group++) {
                Client client = fixture.new Client();
                assertThat(client.neighbours(group)).as("now the areas are cached").isNotEmpty();
                int read = 1 + group % 12;
                int split = group;
                client.before(read, () -> fixture.split(split));
                assertThat(client.neighbours(group)).hasSize(rowsOf(group));
                interrupted += client.reads(read) >= read ? 1 : 0;
            }
        }
        assertThat(interrupted).isGreaterThan(GROUPS);
    }

    /// As if the WRITE of the directory's word was lost with the session that was to do it.
    @Test
    void aChildIsFoundBeforeTheDirectoryHasIt() {
        try (SplitFixture fixture = new SplitFixture(false, true)) {
            Client client = fixture.new Client();
            insertAll(client);
            for (int group = 0; group < 20; group++) {
                long old = fixture.home(group);
                fixture.split(group);
                fixture.forget(group, old);
                readOne(client, group);
                readOne(fixture.new Client(), group);
                fixture.remember();
            }
        }
    }

    /// The words of one READ may be fetched in any order.
    @Test
    void aChildThatIsNewerThanTheGrowthWordMisleadsNoReader() {
        try (SplitFixture fixture = new SplitFixture(false, true)) {
            insertAll(fixture.new Client());
            for (int splits = 0; splits < 40; splits++) {
                fixture.split(splits);
            }
            for (int group = 0; group < GROUPS; group++) {
                fixture.announceChild(group);
                readOne(fixture.new Client(), group);
            }
            for (int group = 0; group < GROUPS; group++) {
                readOne(fixture.new Client(), group);
            }
        }
    }

    @Test
    void aSplitBetweenTwoReadsShowsEveryEntryOnce() {
        try (SplitFixture fixture = new SplitFixture(false)) {
            HashIndex writer = fixture.new Client().index();
            for (int i = 0; i < 10 * GROUPS; i++) {
                assertThat(fixture.insert(writer, i % GROUPS, i / GROUPS)).isTrue();
            }
            for (int group = 0; group < GROUPS; group++) {
                Client client = fixture.new Client();
                int split = group;
                client.before(1 + group % 12, () -> fixture.split(split));
                assertThat(fixture.lookUp(client.index(), group))
                        .hasSize(10)
                        .doesNotHaveDuplicates();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyEntryIsFoundOnceHoweverOldThePicture(boolean inPlace) {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (SplitFixture fixture = new SplitFixture(inPlace)) {
            HashIndex writer = fixture.new Client().index();
            for (int group = 0; group < GROUPS; group++) {
                for (int number = 0; number < rowsOf(group); number++) {
                    assertThat(fixture.insert(writer, group, number)).isTrue();
                }
            }
            HashIndex frequent = fixture.new Client().index();
            HashIndex rare = fixture.new Client().index();
            for (int splits = 0; splits < SPLITS; splits++) {
                fixture.split(random.nextInt(GROUPS));
                int group = random.nextInt(GROUPS);
                assertThat(fixture.lookUp(frequent, group)).hasSize(rowsOf(group));
            }
            for (int group = 0; group < GROUPS; group++) {
                for (HashIndex index : List.of(frequent, rare, fixture.new Client().index())) {
                    assertThat(fixture.lookUp(index, group))
                            .hasSize(rowsOf(group))
                            .doesNotHaveDuplicates();
                }
            }
        }
    }
}
