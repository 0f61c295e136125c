package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.snapshot.Snapshot;

/// A lookup of one record concurrently with its writer, which is stopped at every step, and runs
/// between the lookup's READs.
class RecordReadTest {
    private RecordFixture record = new RecordFixture(true);

    @AfterEach
    void close() {
        record.close();
    }

    private void open(boolean inlined) {
        record.close();
        record = new RecordFixture(inlined);
    }

    /// The round trips that a lookup takes to the current version.
    private long toCurrent() {
        return record.table.inlined ? 1 : 2;
    }

    private void assertReads(Snapshot snapshot, long value, boolean isCurrent) {
        RecordRead read = record.read(snapshot);
        assertThat(read.isPresent()).isTrue();
        assertThat(read.isCurrent()).isEqualTo(isCurrent);
        assertThat(record.value()).isEqualTo(value);
    }

    private void assertAbsent(Snapshot snapshot) {
        assertThat(record.read(snapshot).isPresent()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theCurrentVersionIsReadInPlace(boolean inlined) {
        open(inlined);
        Snapshot before = record.snapshot();
        assertAbsent(before);
        assertThat(record.read(before).isCurrent()).isFalse();
        record.insert(10);
        assertAbsent(before);
        RecordRead read = record.read(record.snapshot());
        assertThat(read.isPresent()).isTrue();
        assertThat(read.isCurrent()).isTrue();
        assertThat(read.header()).isEqualTo(record.header());
        assertThat(read.headerAddress()).isEqualTo(record.headerAddress());
        assertThat(read.bodyAddress()).isEqualTo(record.bodyAddress());
        assertThat(record.value()).isEqualTo(10);
        assertThat(record.roundTrips()).isEqualTo(toCurrent());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void claimedEntriesAreNotVisited(boolean inlined) {
        open(inlined);
        record.claim();
        assertAbsent(record.snapshot());
        assertAbsent(Snapshot.EVERYTHING);
        assertThat(record.roundTrips()).isOne();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLockedRecordIsReadInPlace(boolean inlined) {
        open(inlined);
        record.insert(10);
        record.lock();
        assertReads(record.snapshot(), 10, true);
        assertThat(record.roundTrips()).isEqualTo(toCurrent());
        record.beginToOverwrite(20);
        record.install();
        assertReads(record.snapshot(), 20, true);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRecordThatIsBeingOverwrittenIsReadInTheRing(boolean inlined) {
        open(inlined);
        record.insert(10);
        long old = record.header();
        Snapshot before = record.snapshot();
        record.lock();
        record.beginToOverwrite(20);
        assertReads(before, 10, false);
        assertThat(record.read(before).header()).isEqualTo(old);
        assertThat(record.roundTrips()).isEqualTo(toCurrent() + 2);
        assertReads(record.snapshot(), 10, false);
        record.install();
        assertReads(before, 10, false);
        assertReads(record.snapshot(), 20, true);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everySnapshotSeesItsVersion(boolean inlined) {
        open(inlined);
        List<Snapshot> snapshots = new ArrayList<>(List.of(record.snapshot()));
        record.insert(1);
        snapshots.add(record.snapshot());
        int last = 3 * RecordFixture.PLACES;
        for (int value = 2; value <= last; value++) {
            record.update(value);
            snapshots.add(record.snapshot());
        }
        assertAbsent(snapshots.getFirst());
        for (int value = 1; value <= last; value++) {
            assertReads(snapshots.get(value), value, value == last);
            int deep = last - 1 - RecordFixture.PLACES - value; // in the overflow region
            long more = value == last ? 0 : deep < 0 ? 2 : 3 + deep;
            assertThat(record.roundTrips()).as("version " + value).isEqualTo(toCurrent() + more);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDeletedRecordIsSeenByThoseBeforeAndAfterOnly(boolean inlined) {
        open(inlined);
        record.insert(1);
        Snapshot before = record.snapshot();
        record.delete();
        Snapshot between = record.snapshot();
        assertReads(before, 1, false);
        assertAbsent(between);
        assertThat(record.read(between).isCurrent()).as("so that it may be inserted").isTrue();
        record.update(3);
        assertReads(before, 1, false);
        assertAbsent(between);
        assertThat(record.read(between).isCurrent()).isFalse();
        assertReads(record.snapshot(), 3, true);
        record.update(4);
        record.update(5);
        assertReads(before, 1, false);
        assertAbsent(between);
    }

    /// Its caller checks the watermark then, and reports that the snapshot is too old.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSnapshotOlderThanAllKeptVersionsFindsNothing(boolean inlined) {
        open(inlined);
        record.insert(1);
        Snapshot old = record.snapshot();
        record.update(2);
        record.lowWatermark.copyFrom(record.snapshot());
        for (int value = 3; value < 3 + RecordFixture.PLACES; value++) {
            record.update(value);
        }
        assertAbsent(old);
        assertThat(record.read(old).isCurrent()).isFalse();
        assertReads(record.lowWatermark, 2, false);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsOverwrittenBeforeTheBodyIsReadIsNotTaken(boolean inlined) {
        open(inlined);
        record.insert(10);
        Snapshot snapshot = record.snapshot();
        record.lock();
        record.before(record.bodyRead(), () -> record.beginToOverwrite(20));
        assertReads(snapshot, 10, false);
        record.install();
        record.before(record.bodyRead(), () -> record.update(30));
        assertReads(record.snapshot(), 20, false);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsOverwrittenBeforeTheHeaderIsReadAgainIsNotCurrent(boolean inlined) {
        open(inlined);
        record.insert(10);
        Snapshot snapshot = record.snapshot();
        record.before(record.bodyRead() + 1, () -> record.update(20));
        assertReads(snapshot, 10, false);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEntryThatWasGivenToAnotherKeyIsNotTaken(boolean inlined) {
        open(inlined);
        record.insert(10);
        Snapshot snapshot = record.snapshot();
        record.before(record.bodyRead() + 1, this::giveEntryToAnotherKey);
        assertAbsent(snapshot);
    }

    private void giveEntryToAnotherKey() {
        record.queuePair.writeWord(record.headerAddress(), RecordHeader.FREE);
        record.queuePair.writeWord(
                record.headerAddress() + BucketLayout.KEY_OFFSET, RecordFixture.KEY + 1);
        record.queuePair.writeWord(record.headerAddress(), CommitTimestamp.of(3, 1));
        record.queuePair.await();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClaimThatIsInstalledMeanwhileIsReadAgain(boolean inlined) {
        open(inlined);
        record.claim();
        record.before(
                3,
                () -> {
                    record.queuePair.writeWord(record.headerAddress(), RecordHeader.FREE);
                    record.queuePair.await();
                    record.insert(10);
                });
        assertReads(Snapshot.EVERYTHING, 10, true);
    }

    /// At every READ of the old versions, a writer is in the middle of it, after up to two turns of
    /// the ring.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPlaceThatIsFilledAgainIsNotTaken(boolean inlined) {
        for (int read = 0; read < 3; read++) {
            for (int updates = 0; updates <= 2 * RecordFixture.PLACES; updates++) {
                open(inlined);
                record.insert(1);
                Snapshot snapshot = record.snapshot();
                for (int value = 2; value <= 1 + RecordFixture.PLACES; value++) {
                    record.update(value);
                }
                int whole = updates;
                record.before(record.oldHeadersRead() + read, () -> updateAndBeginAnother(whole));
                assertReads(snapshot, 1, false);
            }
        }
    }

    private void updateAndBeginAnother(int updates) {
        for (int update = 0; update < updates; update++) {
            record.update(100 + update);
        }
        record.lock();
        record.beginToOverwrite(200);
    }

    /// The writer does a part of the install before any one READ of the lookup, and the other after
    /// it. The version that is looked for is in place before, or in the ring, where the install
    /// fills its place again.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anInstallMayBeAtAnyVerbBeforeAnyRead(boolean inlined) {
        for (int updates = 0; updates <= RecordFixture.PLACES; updates++) {
            int verbs = 1;
            for (int done = 0; done <= verbs; done++) {
                for (int read = 1; read <= record.oldHeadersRead() + 6; read++) {
                    readBeside(inlined, true, updates, done, read);
                    verbs = readBeside(inlined, false, updates, done, read);
                }
            }
            assertThat(verbs).isGreaterThan(4);
        }
    }

    private int readBeside(boolean inlined, boolean isNewest, int updates, int done, int read) {
        open(inlined);
        record.insert(1);
        Snapshot first = record.snapshot();
        for (int update = 0; update < updates; update++) {
            record.update(2 + update);
        }
        Snapshot last = record.snapshot();
        List<Runnable> verbs = record.installVerbs(100);
        record.before(read, () -> record.doVerbs(verbs, 0, done));
        long wanted = isNewest ? 1 + updates : 1;
        assertThat(record.read(isNewest ? last : first).isPresent()).isTrue();
        assertThat(record.value()).as("%d verbs before READ %d", done, read).isEqualTo(wanted);
        record.doVerbs(verbs, done, verbs.size());
        assertReads(first, 1, false);
        assertReads(last, 1 + updates, false);
        return verbs.size();
    }
}
