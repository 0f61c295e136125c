package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.Seeds;
import org.namdb.mvcc.hash.BucketSplit.Outcome;
import org.namdb.mvcc.hash.SplitFixture.Client;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.timestamp.snapshot.Snapshot;

/// Splits of buckets by sessions, between the changes and reads of clients that have seen none,
/// some or all splits.
class BucketSplitTest {
    private static final int GROUPS = 60;
    private static final int STEPS = 200;

    @ParameterizedTest
    @CsvSource({"true, true", "false, true", "true, false", "false, false"})
    void rowsAreInOnePlaceAndFoundThere(boolean inPlace, boolean isInlined) {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (SplitFixture fixture = new SplitFixture(inPlace, isInlined)) {
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                clients.add(fixture.new Client());
            }
            Map<List<Long>, Long> rows = new HashMap<>();
            int splits = 0;
            for (int step = 0; step < STEPS; step++) {
                // The first one does much, the last one little.
                Client client = clients.get(random.nextInt(1 + random.nextInt(clients.size())));
                long group = random.nextInt(GROUPS);
                List<Long> row = List.of(group, random.nextLong(8));
                Long value = rows.get(row);
                assertThat(client.read(group, row.getLast())).isEqualTo(value);
                if (value == null) {
                    client.insert(group, row.getLast());
                    rows.put(row, SplitFixture.value(group, row.getLast()));
                } else {
                    assertThat(client.update(group, row.getLast(), step)).isTrue();
                    rows.put(row, (long) step);
                }
                splits += client.split(random.nextInt(GROUPS)) == Outcome.SPLIT ? 1 : 0;
            }
            assertThat(splits).isGreaterThan(STEPS / 10);
            for (Client client : List.of(clients.getLast(), fixture.new Client())) {
                rows.forEach((row, value) ->
                        assertThat(client.read(row.getFirst(), row.getLast())).isEqualTo(value));
                List<List<Long>> scanned = client.scan(3, () -> {});
                assertThat(scanned).containsExactlyInAnyOrderElementsOf(rows.keySet());
            }
            for (long group = 0; group < GROUPS; group++) {
                assertThat(fixture.homes(group).size()).isLessThanOrEqualTo(1);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHashedIndexStaysASet(boolean inPlace) {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (SplitFixture fixture = new SplitFixture(inPlace)) {
            List<Client> clients = new ArrayList<>();
            List<HashIndex> indexes = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                clients.add(fixture.new Client());
                indexes.add(clients.getLast().index());
            }
            Set<List<Long>> model = new HashSet<>();
            int splits = 0;
            for (int step = 0; step < 8 * STEPS; step++) {
                int number = random.nextInt(1 + random.nextInt(indexes.size()));
                List<Long> entry = List.of((long) random.nextInt(GROUPS), random.nextLong(8));
                long group = entry.getFirst();
                if (random.nextInt(3) > 0) {
                    assertThat(fixture.insert(indexes.get(number), group, entry.getLast()))
                            .isEqualTo(model.add(entry));
                } else {
                    indexes.get(number).remove(SplitFixture.key(group, entry.getLast()));
                    model.remove(entry);
                }
                if (step % 8 == 0) {
                    Outcome outcome = clients.get(number).split(random.nextInt(GROUPS));
                    splits += outcome == Outcome.SPLIT ? 1 : 0;
                }
            }
            assertThat(splits).isGreaterThan(STEPS / 10);
            for (HashIndex index : List.of(indexes.getLast(), fixture.new Client().index())) {
                Set<List<Long>> found = new HashSet<>();
                for (long group = 0; group < GROUPS; group++) {
                    for (long number : fixture.lookUp(index, group)) {
                        assertThat(found.add(List.of(group, number))).isTrue();
                    }
                }
                assertThat(found).isEqualTo(model);
            }
        }
    }

    /// A row is installed while its bucket is read: the READ, torn, has its header and what was in
    /// the place of the body's address before. That is read again under the lock.
    @Test
    void theAddressOfABodyIsReadUnderTheLock() {
        try (SplitFixture fixture = new SplitFixture(false, false)) {
            Client client = fixture.new Client();
            List<Long> groups = fixture.groups(2);
            groups.forEach(group -> client.insert(group, 0));
            long moved = groups.stream().filter(group -> isToMove(client, group)).findAny().get();
            long header = client.find(moved, 0).headerAddress();
            long pointer = header + client.table.layout().bodyPointerOffset();
            long body = client.queuePair.readWord(pointer);
            client.queuePair.writeWord(pointer, RemoteAddress.NULL);
            client.queuePair.await();
            Client installing = fixture.new Client();
            client.before(
                    6,
                    () -> { // after those of the directory's level and of the bucket
                        assertThat(RecordHeader.isLocked(installing.queuePair.readWord(header)))
                                .isTrue();
                        installing.queuePair.writeWord(pointer, body);
                        installing.queuePair.await();
                    });
            assertThat(client.split(moved)).isEqualTo(Outcome.SPLIT);
            assertThat(fixture.new Client().read(moved, 0)).isEqualTo(SplitFixture.value(moved, 0));
        }
    }

    /// All rows of the other side move, or none; a deferred split holds nothing.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBucketWithALockedRowIsPutOff(boolean isInlined) {
        try (SplitFixture fixture = new SplitFixture(true, isInlined)) {
            Client client = fixture.new Client();
            Client other = fixture.new Client();
            List<Long> groups = fixture.groups(2);
            groups.forEach(group -> client.insert(group, 0));
            for (long group : groups) {
                RecordWrite write = new RecordWrite(other.table);
                assertThat(other.lock(write, other.find(group, 0))).isTrue();
                boolean isToMove = (other.table.hash(SplitFixture.key(group, 0)) & 1) != 0;
                if (isToMove) {
                    assertThat(client.split(group)).isEqualTo(Outcome.PUT_OFF);
                }
                write.postUnlock(other.queuePair);
                other.intents.postEnd();
                other.queuePair.await();
            }
            assertThat(client.split(groups.getFirst(), new Snapshot()))
                    .as("not published")
                    .isEqualTo(Outcome.PUT_OFF);
            long claimed = groups.stream().filter(group -> isToMove(client, group)).findAny().get();
            assertThat(other.claim(claimed, 1)).isTrue();
            other.queuePair.await();
            assertThat(client.split(claimed)).as("a claim").isEqualTo(Outcome.PUT_OFF);
            other.claims.postUndo(0);
            other.intents.postEnd();
            other.queuePair.await();
            for (long group : groups) {
                assertThat(fixture.word(group, BucketLayout.LATCH_OFFSET)).isZero();
                assertThat(fixture.growth(group)).isZero();
                assertThat(client.update(group, 0, 5)).isTrue();
            }
            assertThat(client.split(claimed, Snapshot.EVERYTHING, BucketLayout.growth(1, 0)))
                    .as("it is not what it was")
                    .isEqualTo(Outcome.STALE);
            assertThat(client.split(claimed)).isEqualTo(Outcome.SPLIT);
            groups.forEach(group -> assertThat(other.read(group, 0)).isEqualTo(5));
        }
    }

    private static boolean isToMove(Client client, long group) {
        return (client.table.hash(SplitFixture.key(group, 0)) & 1) != 0;
    }

    /// A bucket of neighbours alone would be split on and on.
    @Test
    void aBucketWhoseRowsAllHaveOneHashIsNotSplit() {
        try (SplitFixture fixture = new SplitFixture(true, true)) {
            Client client = fixture.new Client();
            client.insert(1, 0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5);
            assertThat(client.split(1)).isEqualTo(Outcome.IMPOSSIBLE);
            assertThat(client.neighbours(1)).hasSize(6);
            assertThat(fixture.word(1, BucketLayout.LATCH_OFFSET)).isZero();
        }
    }

    /// What does not fit in one bucket.
    @ParameterizedTest
    @CsvSource({"true, true", "false, true", "true, false", "false, false"})
    void rowsOfALongChainMove(boolean inPlace, boolean isInlined) {
        try (SplitFixture fixture = new SplitFixture(inPlace, isInlined)) {
            Client client = fixture.new Client();
            List<Long> groups = fixture.groups(3);
            Client stale = fixture.new Client();
            for (long group : groups) {
                client.insert(group, 0, group, 1, group, 2, group, 3, group, 4);
            }
            assertThat(client.split(groups.getFirst())).isEqualTo(Outcome.SPLIT);
            for (long group : groups) {
                assertThat(fixture.homes(group)).hasSize(1);
                assertThat(stale.neighbours(group)).containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L);
            }
            for (long group : groups) {
                client.insert(group, 7);
                assertThat(stale.read(group, 7)).isEqualTo(SplitFixture.value(group, 7));
            }
        }
    }

    /// Levels are added only where there are buckets enough.
    @Test
    void aBucketGetsNoDeeperThanItsTableIsLarge() {
        try (SplitFixture fixture = new SplitFixture(true, true)) {
            Client client = fixture.new Client();
            List<Long> groups = new ArrayList<>();
            long mask = (1 << 8) - 1;
            long first = client.table.hash(SplitFixture.key(0, 0));
            for (long group = 0; groups.size() < 3; group++) {
                long hash = client.table.hash(SplitFixture.key(group, 0));
                if ((hash & mask) == (first & mask)
                        && client.table.root(hash) == client.table.root(first)) {
                    groups.add(group);
                }
            }
            groups.forEach(group -> client.insert(group, 0));
            int splits = 0;
            while (client.split(0) == Outcome.SPLIT) {
                splits++;
            }
            assertThat(splits).isBetween(3, 7);
            groups.forEach(group -> assertThat(client.read(group, 0)).isNotNull());
            assertThat(RemoteAddress.isNull(fixture.word(0, BucketLayout.LATCH_OFFSET))).isTrue();
        }
    }
}
