package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.fabric.Seeds;
import org.namdb.mvcc.hash.SplitFixture.Client;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.timestamp.CommitTimestamp;

/// Inserts into tables whose buckets were split, and removals, by clients that have seen none, some
/// or all splits.
class SplitWriteTest {
    private static final int GROUPS = 60;
    private static final int STEPS = 150;

    @ParameterizedTest
    @CsvSource({"true, true", "false, true", "true, false", "false, false"})
    void everyRowGoesToWhereOthersLookForIt(boolean inPlace, boolean isInlined) {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (SplitFixture fixture = new SplitFixture(inPlace, isInlined)) {
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                clients.add(fixture.new Client());
            }
            Set<List<Long>> rows = new HashSet<>();
            for (int step = 0; step < STEPS; step++) {
                fixture.split(random.nextInt(GROUPS));
                // The first one writes often, the last one seldom.
                Client client = clients.get(random.nextInt(1 + random.nextInt(clients.size())));
                Set<List<Long>> added = new HashSet<>();
                for (int row = random.nextInt(8); row >= 0; row--) {
                    added.add(List.of((long) random.nextInt(GROUPS), random.nextLong(100)));
                }
                added.removeAll(rows);
                client.insert(flat(added));
                rows.addAll(added);
            }
            Client newcomer = fixture.new Client();
            for (List<Long> row : rows) {
                long value = SplitFixture.value(row.getFirst(), row.getLast());
                assertThat(newcomer.read(row.getFirst(), row.getLast())).isEqualTo(value);
                assertThat(fixture.homes(row.getFirst())).as("one place").hasSize(1);
            }
            for (Client client : clients) {
                List<Long> row = rows.iterator().next();
                assertThat(client.claim(row.getFirst(), row.getLast())).as("a duplicate").isFalse();
                assertThat(client.claims.outcome(0)).isEqualTo(InsertClaims.Outcome.DUPLICATE_KEY);
            }
        }
    }

    private static long[] flat(Set<List<Long>> rows) {
        return rows.stream().flatMapToLong(row -> row.stream().mapToLong(n -> n)).toArray();
    }

    /// A recovery finds its claims by them.
    @Test
    void theIntentsListTheBucketThatIsLatchedInTheEnd() {
        try (SplitFixture fixture = new SplitFixture(true, true)) {
            Client client = fixture.new Client();
            for (int group = 0; group < GROUPS; group++) {
                long known = client.table.home(client.table.hash(SplitFixture.key(group, 0)));
                fixture.split(group);
                assertThat(client.claim(group, 0)).isTrue();
                client.queuePair.await();
                assertThat(fixture.listed(client)).contains(known, fixture.home(group));
                client.claims.postUndo(0);
                client.intents.postEnd();
                client.queuePair.await();
            }
        }
    }

    /// No lookup would find its row in the areas of the bucket that was split.
    @Test
    void areasOfABucketThatWasSplitAreNotLinkedForRowsThatWentElsewhere() {
        try (SplitFixture fixture = new SplitFixture(true, true)) {
            int lost = 0;
            for (int group = 0; group < GROUPS; group++) {
                Client client = fixture.new Client(0);
                long before = fixture.home(group);
                assertThat(client.claim(rows(group, 9))).isTrue();
                if (!client.claims.hasAreasToLink()) {
                    continue;
                }
                for (int i = 0; i < 9; i++) {
                    assertThat(client.claims.outcome(i)).isEqualTo(InsertClaims.Outcome.CLAIMED);
                }
                fixture.split(group, true);
                boolean isLinked = client.claims.linkAreas();
                assertThat(isLinked).isEqualTo(fixture.home(group) == before);
                lost += isLinked ? 0 : 1;
                for (int i = 0; i < 9; i++) {
                    client.claims.postUndo(i);
                }
                client.queuePair.await();
                client.claims.releaseAreas();
                client.intents.postEnd();
                client.queuePair.await();
            }
            assertThat(lost).isPositive();
        }
    }

    private static long[] rows(long group, int count) {
        long[] rows = new long[2 * count];
        for (int i = 0; i < count; i++) {
            rows[2 * i] = group;
            rows[2 * i + 1] = i;
        }
        return rows;
    }

    /// The entry that it left is free, or serves another row.
    @ParameterizedTest
    @CsvSource({"true, true", "false, true", "true, false", "false, false"})
    void aRecordThatWasMovedIsLockedWhereItIs(boolean inPlace, boolean isInlined) {
        try (SplitFixture fixture = new SplitFixture(inPlace, isInlined)) {
            Client writer = fixture.new Client();
            for (int group = 0; group < GROUPS; group++) {
                writer.insert(group, 0);
            }
            int found = 0;
            for (int group = 0; group < GROUPS; group++) {
                Client client = fixture.new Client();
                RecordRead read = client.find(group, 0);
                long before = fixture.home(group);
                fixture.split(group);
                if (fixture.home(group) == before) {
                    continue;
                }
                if (group % 2 == 0) {
                    assertThat(client.read(group, 77)).as("it sees the split").isNull();
                    fill(fixture, writer, before);
                }
                RecordWrite write = new RecordWrite(client.table);
                assertThat(client.lock(write, read)).isFalse();
                assertThat(write.mayHaveMoved()).isTrue();
                assertThat(client.lockAgain(write, read)).isTrue();
                assertThat(write.headerAddress()).isNotEqualTo(read.headerAddress());
                assertThat(client.find(group, 0).headerAddress()).isEqualTo(write.headerAddress());
                assertThat(fixture.listedRecords(client)).contains(write.headerAddress());
                assertThat(RecordHeader.isLocked(client.find(group, 0).header())).isTrue();
                write.postUnlock(client.queuePair);
                client.intents.postEnd();
                client.queuePair.await();
                found++;
            }
            assertThat(found).isGreaterThan(GROUPS / 5);
        }
    }

    /// Inserts rows until no entry of a bucket is free.
    private static void fill(SplitFixture fixture, Client writer, long home) {
        long group = 1_000_000;
        for (int rows = 0; rows < 8; group++) {
            if (fixture.home(group) == home && writer.read(group, home) == null) {
                writer.insert(group, home);
                rows++;
            }
        }
    }

    @Test
    void aRecordThatWasChangedIsNotLockedAgain() {
        try (SplitFixture fixture = new SplitFixture(true, true)) {
            Client client = fixture.new Client();
            client.insert(1, 0);
            RecordRead read = client.find(1, 0);
            long address = read.headerAddress();
            client.queuePair.writeWord(address, RecordHeader.installed(CommitTimestamp.of(1, 9)));
            client.queuePair.await();
            RecordWrite write = new RecordWrite(client.table);
            assertThat(client.lock(write, read)).isFalse();
            assertThat(write.mayHaveMoved()).as("the table was never split").isFalse();
            assertThat(client.lockAgain(write, read)).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHashedIndexStaysASet(boolean inPlace) {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (SplitFixture fixture = new SplitFixture(inPlace)) {
            List<HashIndex> indexes = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                indexes.add(fixture.new Client().index());
            }
            Set<List<Long>> model = new HashSet<>();
            for (int step = 0; step < 8 * STEPS; step++) {
                if (step % 8 == 0) {
                    fixture.split(random.nextInt(GROUPS));
                }
                HashIndex index = indexes.get(random.nextInt(1 + random.nextInt(indexes.size())));
                long group = random.nextInt(GROUPS);
                long number = random.nextInt(8);
                if (random.nextInt(3) > 0) {
                    assertThat(fixture.insert(index, group, number))
                            .isEqualTo(model.add(List.of(group, number)));
                } else {
                    index.remove(SplitFixture.key(group, number));
                    model.remove(List.of(group, number));
                }
            }
            HashIndex newcomer = fixture.new Client().index();
            for (long group = 0; group < GROUPS; group++) {
                long wanted = group;
                List<Long> numbers =
                        model.stream()
                                .filter(entry -> entry.getFirst() == wanted)
                                .map(List::getLast)
                                .toList();
                assertThat(fixture.lookUp(newcomer, group))
                        .containsExactlyInAnyOrderElementsOf(numbers);
            }
        }
    }
}
