package org.namdb.compute.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Payload;
import org.namdb.mvcc.schema.TableDefinition;

/// What a journal gets between the locks and the install of a commit, and that it is enough to make
/// the same records again.
class CommitJournalTest {
    private static final int KEYS = 20;
    private static final int COMMITS = 400;

    private CommitFixture fixture;
    private Table table;
    private Column first;
    private Column second;

    @BeforeEach
    void start() {
        fixture = new CommitFixture(new ShmFabric(ShmFabric.Options.DEFAULT));
        table =
                fixture.table(
                        TableDefinition.named("t")
                                .column("id", ColumnType.INT64)
                                .column("first", ColumnType.INT64)
                                .column("between", ColumnType.varchar(40))
                                .column("second", ColumnType.INT64)
                                .primaryKey("id")
                                .expectedRows(100)
                                .build());
        fixture.catalog.create(IndexDefinition.ordered("by_second", "t", "second"));
        first = table.column("first");
        second = table.column("second");
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    /// Keeps the images, each in memory of its own.
    private static final class Images implements CommitJournal {
        final List<byte[]> images = new ArrayList<>();
        int reserved;

        @Override
        public void reserve(WriteSet writes) {
            reserved++;
        }

        @Override
        public void release() {
            reserved--;
        }

        @Override
        public void append(WriteSet writes, long commitTimestamp, long snapshot) {
            try (java.lang.foreign.Arena arena = java.lang.foreign.Arena.ofConfined()) {
                long memory = arena.allocate(1 << 16, 8).address();
                CommitImage image = new CommitImage(memory, 1 << 16);
                int bytes = image.encode(writes, commitTimestamp, snapshot);
                assertThat((long) bytes).isEqualTo(image.bytes(writes));
                byte[] copy = new byte[bytes];
                LocalMemory.copyTo(memory, copy, 0, bytes);
                images.add(copy);
            }
        }
    }

    /// A record as replay has it: its header, and its payload.
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Replayed(long header, byte[] payload) {}

    @Test
    void theImagesOfAllCommitsMakeTheSameRecordsAgain() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        Images images = new Images();
        CommitFixture.Committer committer = fixture.committer(images);
        for (int i = 0; i < COMMITS; i++) {
            committer.begin();
            int records = random.nextInt(1, 6);
            for (int id = random.nextInt(KEYS), n = 0; n < records; n++, id = (id + 3) % KEYS) {
                change(committer, id, random);
            }
            assertThat(committer.end()).isEqualTo(CommitOutcome.Committed.INSTANCE);
        }
        Map<Long, Replayed> replayed = new HashMap<>();
        for (byte[] image : images.images) {
            replay(image, replayed, committer.queuePair);
        }
        committer.begin();
        for (long id = 0; id < KEYS; id++) {
            RecordRead read = committer.read(table, id);
            Replayed made = replayed.get(id);
            assertThat(read.isPresent()).isEqualTo(made != null && made.payload.length > 0);
            if (made != null && read.isPresent()) {
                assertThat(RecordHeader.unlocked(read.header())).isEqualTo(made.header);
            }
        }
        for (long id = 0; id < KEYS; id++) {
            assertPayload(committer, id, replayed.get(id));
        }
    }

    private void change(CommitFixture.Committer committer, long id, SplittableRandom random) {
        RecordRead found = committer.read(table, id);
        long image = committer.image(table);
        Payload.putIntegral(first, image, random.nextLong());
        Payload.putIntegral(second, image, random.nextLong(5));
        if (!found.isPresent()) {
            committer.writes.insert(table, found, image);
        } else {
            switch (random.nextInt(4)) {
                case 0 -> committer.writes.delete(table, found);
                case 1 -> committer.writes.update(table, found, image, 0);
                case 2 -> committer.writes.update(table, found, image, second.mask());
                default ->
                        committer.writes.update(table, found, image, first.mask() | second.mask());
            }
        }
    }

    private static void replay(byte[] image, Map<Long, Replayed> into, QueuePair queuePair) {
        long memory = queuePair.localMemory(image.length);
        LocalMemory.copyFrom(image, 0, memory, image.length);
        CommitImageReader reader = new CommitImageReader();
        assertThat(reader.open(memory, image.length)).isTrue();
        assertThat(reader.bytes()).isEqualTo(image.length);
        while (reader.nextWrite()) {
            assertThat(reader.keyWords()).isEqualTo(1);
            Replayed before = into.get(reader.keyWord(0) ^ Long.MIN_VALUE);
            assertThat(reader.headerBefore())
                    .as("every version's predecessor is there")
                    .isEqualTo(before == null ? RecordHeader.FREE : before.header);
            into.put(reader.keyWord(0) ^ Long.MIN_VALUE, after(reader, before));
        }
    }

    private static Replayed after(CommitImageReader reader, Replayed before) {
        long t = reader.commitTimestamp();
        if (reader.kind() == RecordChange.Kind.DELETE) {
            assertThat(reader.nextRun()).isFalse();
            return new Replayed(RecordHeader.deleted(t), new byte[0]);
        }
        byte[] payload = reader.kind() == RecordChange.Kind.INSERT ? null : before.payload.clone();
        while (reader.nextRun()) {
            if (payload == null) {
                assertThat(reader.runOffset()).isZero();
                payload = new byte[reader.runBytes()];
            }
            LocalMemory.copyTo(reader.runAddress(), payload, reader.runOffset(), reader.runBytes());
        }
        return new Replayed(RecordHeader.installed(t), payload);
    }

    private void assertPayload(CommitFixture.Committer committer, long id, Replayed made) {
        RecordRead read = committer.key(table, id);
        long image = committer.image(table);
        read.prepare(table.records(), table.newKey().set(id).words(), table.schema().all(), image);
        read.post(committer.queuePair);
        do {
            committer.queuePair.await();
        } while (!read.advance(committer.queuePair, committer.held.snapshot()));
        if (read.isPresent()) {
            byte[] payload = new byte[table.schema().payloadBytes()];
            LocalMemory.copyTo(image, payload, 0, payload.length);
            assertThat(payload).isEqualTo(made.payload);
        }
    }

    /// Readers still see the old version then, and no other session can write the record.
    @Test
    void anImageComesWhenItsRecordsAreLockedAndNothingIsInstalled() {
        CommitFixture.Committer writer = fixture.committer(CommitJournal.NONE);
        writer.begin();
        long image = writer.image(table);
        Payload.putIntegral(first, image, 1);
        writer.writes.insert(table, writer.key(table, 1), image);
        assertThat(writer.end()).isEqualTo(CommitOutcome.Committed.INSTANCE);

        CommitFixture.Committer other = fixture.committer(CommitJournal.NONE);
        List<CommitOutcome> meanwhile = new ArrayList<>();
        List<Long> seen = new ArrayList<>();
        CommitJournal looking =
                new CommitJournal() {
                    @Override
                    public void reserve(WriteSet writes) {}

                    @Override
                    public void append(WriteSet writes, long commitTimestamp, long snapshot) {
                        assertThat(snapshot).isPositive();
                        other.begin();
                        RecordRead found = other.read(table, 1);
                        seen.add(RecordHeader.unlocked(found.header()));
                        assertThat(writes.change(0).headerBefore()).isEqualTo(seen.getFirst());
                        other.writes.update(table, found, other.image(table), first.mask());
                        meanwhile.add(other.end());
                    }
                };
        CommitFixture.Committer journaled = fixture.committer(looking);
        journaled.begin();
        RecordRead found = journaled.read(table, 1);
        long before = RecordHeader.unlocked(found.header());
        journaled.writes.update(table, found, journaled.image(table), first.mask());
        assertThat(journaled.end()).isEqualTo(CommitOutcome.Committed.INSTANCE);
        assertThat(seen).containsExactly(before);
        assertThat(meanwhile).hasSize(1);
        assertThat(meanwhile.getFirst()).isInstanceOf(CommitOutcome.WriteConflict.class);
    }

    @Test
    void aCommitThatLosesAConflictHasNoImage() {
        Images images = new Images();
        CommitFixture.Committer winner = fixture.committer(CommitJournal.NONE);
        CommitFixture.Committer loser = fixture.committer(images);
        loser.begin();
        winner.begin();
        winner.writes.insert(table, winner.key(table, 1), winner.image(table));
        assertThat(winner.end()).isEqualTo(CommitOutcome.Committed.INSTANCE);
        loser.writes.insert(table, loser.key(table, 1), loser.image(table));
        assertThat(loser.end()).isInstanceOf(CommitOutcome.WriteConflict.class);
        assertThat(images.images).isEmpty();
        assertThat(images.reserved).isZero();
    }

    /// Before anything is locked.
    @Test
    void aCommitWhoseJournalIsFullChangesNothing() {
        CommitJournal full =
                new CommitJournal() {
                    @Override
                    public void reserve(WriteSet writes) {
                        throw new JournalFullException("the disk is full", null);
                    }

                    @Override
                    public void append(WriteSet writes, long commitTimestamp, long snapshot) {
                        throw new AssertionError("nothing was reserved");
                    }
                };
        CommitFixture.Committer refused = fixture.committer(full);
        refused.begin();
        refused.writes.insert(table, refused.key(table, 1), refused.image(table));
        assertThat(refused.end()).isInstanceOf(CommitOutcome.JournalFull.class);
        assertThat(refused.commit.commitTimestamp()).isZero();
        assertThat(refused.commit.fatalFailure()).isNull();
        CommitFixture.Committer next = fixture.committer(CommitJournal.NONE);
        next.begin();
        assertThat(next.read(table, 1).isPresent()).isFalse();
        next.writes.insert(table, next.key(table, 1), next.image(table));
        assertThat(next.end()).isEqualTo(CommitOutcome.Committed.INSTANCE);
    }

    @Test
    void anImageWithAnyByteFlippedOrMissingIsRefused() {
        Images images = new Images();
        CommitFixture.Committer committer = fixture.committer(images);
        committer.begin();
        committer.writes.insert(table, committer.key(table, 1), committer.image(table));
        assertThat(committer.end()).isEqualTo(CommitOutcome.Committed.INSTANCE);
        byte[] image = images.images.getFirst();
        CommitImageReader reader = new CommitImageReader();
        long memory = committer.queuePair.localMemory(image.length);
        for (int at = 0; at < image.length; at++) {
            LocalMemory.copyFrom(image, 0, memory, image.length);
            LocalMemory.putByte(memory + at, (byte) (image[at] ^ 1 << at % 8));
            assertThat(reader.open(memory, image.length)).as("byte %d", at).isFalse();
        }
        LocalMemory.copyFrom(image, 0, memory, image.length);
        for (int bytes = 0; bytes < image.length; bytes++) {
            assertThat(reader.open(memory, bytes)).as("%d bytes", bytes).isFalse();
        }
        assertThat(reader.open(memory, image.length)).isTrue();
    }

    @Test
    void anImageThatIsLargerThanItsMemoryIsRefused() {
        CommitFixture.Committer committer = fixture.committer(CommitJournal.NONE);
        committer.begin();
        committer.writes.insert(table, committer.key(table, 1), committer.image(table));
        CommitImage small = new CommitImage(committer.queuePair.localMemory(64), 64);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> small.encode(committer.writes, 8, 1))
                .withMessageContaining("in 64");
    }
}
