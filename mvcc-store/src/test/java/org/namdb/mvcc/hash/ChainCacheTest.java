package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.VerbCounters;
import org.namdb.mvcc.index.ChangeBatch;
import org.namdb.mvcc.index.EntryChange;
import org.namdb.timestamp.snapshot.Snapshot;

/// Many inserts of a commit into few chains of a hashed index.
class ChainCacheTest {
    private static final int GROUPS = 5;
    private static final int COMMITS = 60;
    private static final int MOST = 40;

    /// @param number of a group's entries
    private record Entry(long group, long number) {
        long[] words() {
            return SplitFixture.key(group, number);
        }
    }

    /// A session with its index.
    private static final class Writer {
        private final SplitFixture.Client client;
        private final HashIndex index;
        private final List<EntryChange> insertions = new ArrayList<>();
        private final ChangeBatch batch;

        Writer(SplitFixture.Client client) {
            this.client = client;
            this.index = client.index();
            this.batch = new ChangeBatch(client.queuePair, ChangeBatch.MAX_GROUPED);
        }

        /// Inserts some entries together.
        ///
        /// @return which of them were added
        List<Entry> insert(List<Entry> entries, boolean areOfClaimed) {
            List<Entry> added = new ArrayList<>();
            batch.clear();
            for (int i = 0; i < entries.size(); i++) {
                if (i == insertions.size()) {
                    insertions.add(index.insertion());
                }
                EntryChange insertion = insertions.get(i);
                insertion.prepare(entries.get(i).words(), Snapshot.EVERYTHING);
                if (areOfClaimed) {
                    insertion.setOfClaimed();
                }
                batch.add(insertion);
            }
            batch.run();
            for (int i = 0; i < entries.size(); i++) {
                if (batch.finish(i)) {
                    added.add(entries.get(i));
                }
            }
            insertions.forEach(EntryChange::forget);
            client.queuePair.await();
            return added;
        }

        VerbCounters counters() {
            return client.queuePair.counters();
        }
    }

    /// A commit adds entries of records that it has claimed, some of which others have left; others
    /// add and remove theirs, and split buckets, between its batches.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theIndexStaysASet(boolean inPlace) {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (SplitFixture fixture = new SplitFixture(inPlace)) {
            List<Writer> writers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                writers.add(new Writer(fixture.new Client()));
            }
            Set<Entry> model = new HashSet<>();
            long next = 0;
            for (int commit = 0; commit < COMMITS; commit++) {
                Writer writer = writers.get(random.nextInt(writers.size()));
                boolean areOfClaimed = random.nextInt(4) > 0;
                List<Entry> own = new ArrayList<>();
                int count = random.nextInt(1, 4 * MOST);
                for (int i = 0; i < count; i++) {
                    own.add(new Entry(random.nextInt(1 + random.nextInt(GROUPS)), next++));
                }
                Set<Entry> left = new HashSet<>();
                for (Entry entry : own) {
                    if (random.nextInt(30) == 0) {
                        assertThat(others(writers, writer, random).insert(List.of(entry), false))
                                .hasSize(1);
                        model.add(entry);
                        left.add(entry);
                    }
                }
                writer.client.intents.start();
                for (int from = 0; from < count; ) {
                    int to = Math.min(count, from + random.nextInt(1, MOST));
                    List<Entry> some = own.subList(from, to);
                    List<Entry> fresh =
                            some.stream().filter(entry -> !model.contains(entry)).toList();
                    assertThat(writer.insert(some, areOfClaimed)).isEqualTo(fresh);
                    model.addAll(some);
                    left.removeAll(some);
                    from = to;
                    next =
                            changeOthers(
                                    fixture,
                                    others(writers, writer, random),
                                    random,
                                    model,
                                    own,
                                    left,
                                    next);
                }
                writer.client.intents.postEnd();
                check(fixture, writers.get(random.nextInt(writers.size())), model);
            }
        }
    }

    private static Writer others(List<Writer> writers, Writer not, SplittableRandom random) {
        Writer other;
        do {
            other = writers.get(random.nextInt(writers.size()));
        } while (other == not);
        return other;
    }

    private static long changeOthers(
            SplitFixture fixture,
            Writer other,
            SplittableRandom random,
            Set<Entry> model,
            List<Entry> own,
            Set<Entry> left,
            long from) {
        long next = from;
        List<Entry> added = new ArrayList<>();
        for (int i = random.nextInt(20); i > 0; i--) {
            added.add(new Entry(random.nextInt(GROUPS), next++));
        }
        assertThat(other.insert(added, false)).isEqualTo(added);
        model.addAll(added);
        for (Entry entry : List.copyOf(model)) {
            boolean isOfOther = !own.contains(entry) || left.contains(entry);
            if (isOfOther && random.nextInt(12) == 0) {
                other.index.remove(entry.words());
                model.remove(entry);
            }
        }
        if (random.nextInt(12) == 0) {
            fixture.split(random.nextInt(GROUPS));
        }
        return next;
    }

    private static void check(SplitFixture fixture, Writer reader, Set<Entry> model) {
        for (long group = 0; group < GROUPS; group++) {
            long wanted = group;
            List<Long> numbers =
                    model.stream()
                            .filter(entry -> entry.group == wanted)
                            .map(Entry::number)
                            .toList();
            assertThat(fixture.lookUp(reader.index, group))
                    .containsExactlyInAnyOrderElementsOf(numbers);
        }
    }

    /// Of a value with many entries, many more are inserted: the chain is read once.
    @Test
    void aCommitReadsALongChainOnce() {
        try (SplitFixture fixture = new SplitFixture(true)) {
            Writer writer = new Writer(fixture.new Client());
            long first = readsOf(writer, 0);
            long second = readsOf(writer, 1);
            long third = readsOf(writer, 2);
            assertThat(first).as("home bucket and newest area").isLessThan(50);
            assertThat(second - first).as("1,000 entries are 250 areas").isLessThan(260);
            assertThat(third - second).isLessThan(260);
        }
    }

    /// The READs of a commit of 1,000 entries.
    private static long readsOf(Writer writer, int commit) {
        long before = writer.counters().reads();
        writer.client.intents.start();
        for (int from = 0; from < 1000; from += 100) {
            List<Entry> some = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                some.add(new Entry(7, 1000L * commit + from + i));
            }
            assertThat(writer.insert(some, true)).isEqualTo(some);
        }
        writer.client.intents.postEnd();
        writer.client.queuePair.await();
        return writer.counters().reads() - before;
    }

    /// Entries that others have freed are used before new areas are.
    @Test
    void freeEntriesOfLongChainsAreUsed() {
        try (SplitFixture fixture = new SplitFixture(true)) {
            Writer writer = new Writer(fixture.new Client());
            long _ = readsOf(writer, 0);
            long memory = fixture.memory.allocatedBytes();
            for (long number = 0; number < 1000; number++) {
                writer.index.remove(new Entry(7, number).words());
            }
            long _ = readsOf(writer, 1);
            assertThat(fixture.memory.allocatedBytes()).isEqualTo(memory);
        }
    }
}
