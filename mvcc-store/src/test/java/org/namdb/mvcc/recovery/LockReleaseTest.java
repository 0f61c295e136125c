package org.namdb.mvcc.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.BumpAllocator;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.mvcc.tree.BLinkTree;
import org.namdb.timestamp.CommitTimestamp;

/// The release of what a session had locked that has died in a large commit.
class LockReleaseTest {
    private static final int REGION_BYTES = 8 << 20;
    private static final int TABLE = 1;
    private static final int SLOTS = 4;
    private static final int DEAD = 2;
    private static final long RECORDS = RemoteAddress.of(0, 4 << 20);
    private static final int RECORD_BYTES = 64;
    private static final IntentLayout INTENTS = new IntentLayout(RemoteAddress.of(0, 4096));
    private static final HashTable RECORDS_TABLE =
            new HashTable(
                    TABLE,
                    new KeyLayout(List.of("id"), List.of(ColumnType.INT64)),
                    1,
                    new BucketLayout(4, 1, 16, true),
                    2,
                    new long[] {RemoteAddress.of(0, 64)},
                    1);

    /// The list of a large commit is not read once for every few of its locks.
    @Test
    void whatIsReadIsInProportionToWhatWasLocked() {
        long few = bytesToRelease(1000);
        assertThat(bytesToRelease(8000)).isLessThan(16 * few);
    }

    private static long header(int record) {
        return RecordHeader.installed(CommitTimestamp.of(0, record + 1));
    }

    /// @return how many bytes went over the fabric for the release
    private static long bytesToRelease(int locks) {
        try (ShmFabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT)) {
            Region region = fabric.register(0, REGION_BYTES);
            try (QueuePair dying = fabric.connect(List.of(region));
                    QueuePair living = fabric.connect(List.of(region))) {
                BumpAllocator memory = new BumpAllocator(1, 1 << 20, 4 << 20);
                Intents intents = new Intents(dying, INTENTS, DEAD, 7, memory);
                intents.start();
                for (int i = 0; i < locks; i++) {
                    long address = RECORDS + (long) i * RECORD_BYTES;
                    dying.writeWord(address, RecordHeader.lock(header(i)));
                    intents.addLock(address, header(i), TABLE, address + Long.BYTES);
                }
                intents.post();
                dying.await();
                long before = living.counters().bytes();
                LockRelease release =
                        new LockRelease(
                                living,
                                INTENTS,
                                new OneTable(),
                                Host.MACHINE,
                                () -> SLOTS,
                                slot -> slot == DEAD);
                assertThat(release.release(DEAD, Host.MACHINE.nanoTime())).isTrue();
                assertThat(release.released()).isEqualTo(locks);
                for (int i = 0; i < locks; i++) {
                    assertThat(dying.readWord(RECORDS + (long) i * RECORD_BYTES))
                            .isEqualTo(header(i));
                }
                return living.counters().bytes() - before;
            }
        }
    }

    private static final class OneTable implements Tables {
        @Override
        public @Nullable HashTable records(int number) {
            return RECORDS_TABLE;
        }

        @Override
        public @Nullable HashTable index(int number) {
            return null;
        }

        @Override
        public List<BLinkTree> trees() {
            return List.of();
        }
    }
}
