package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.KeyLayout;

/// The areas of several home buckets, by the first insert of each: 0, 3 and 40.
class NewAreasTest {
    private static final long HEAD = RemoteAddress.of(0, 64);
    private static final long HOME = TableHead.buckets(HEAD);
    private static final HashTable TABLE =
            new HashTable(
                    1,
                    new KeyLayout(List.of("id"), List.of(ColumnType.INT64)),
                    1,
                    new BucketLayout(2, 1, 0, true),
                    1,
                    new long[] {HEAD},
                    1);

    private final NewAreas areas = new NewAreas(2L * TABLE.bucketBytes);

    /// An area's address.
    private static long area(int number) {
        return RemoteAddress.of(0, 4096L * (number + 1));
    }

    private void addThree() {
        areas.startHome(0);
        areas.add(TABLE, 0, area(0), RemoteAddress.NULL);
        areas.add(TABLE, 0, area(1), area(0));
        areas.startHome(3);
        areas.startHome(40);
        areas.add(TABLE, 40, area(2), area(9));
    }

    @Test
    void theFirstBytesAreLinkedAtOnceUnlessTheBucketHasOtherAreas() {
        areas.startHome(0);
        assertThat(areas.isLinkedAtOnce(TABLE.bucketBytes)).isTrue();
        assertThat(areas.isLinkedAtOnce(2L * TABLE.bucketBytes)).as("too many").isFalse();
        areas.add(TABLE, 0, area(0), RemoteAddress.NULL);
        assertThat(areas.isLinkedAtOnce(1)).as("behind one that is not").isFalse();
        areas.startHome(3);
        assertThat(areas.isLinkedAtOnce(TABLE.bucketBytes)).isTrue();
        assertThat(areas.isLinkedAtOnce(1)).as("all are used").isFalse();
        areas.clear();
        areas.startHome(0);
        assertThat(areas.isLinkedAtOnce(2L * TABLE.bucketBytes)).isTrue();
    }

    @Test
    void eachAreaBelongsToItsHomeBucket() {
        addThree();
        assertThat(areas.count()).isEqualTo(3);
        assertThat(areas.newest()).isEqualTo(area(2));
        assertThat(areas.isOldest(0)).isTrue();
        assertThat(areas.isOldest(1)).isFalse();
        assertThat(areas.isOldest(2)).isTrue();
        assertThat(areas.firstInsert(1)).isZero();
        assertThat(areas.firstInsert(2)).isEqualTo(40);
        assertThat(areas.contains(0, area(1) + TABLE.bucketBytes - 8)).isTrue();
        assertThat(areas.contains(0, area(1) + TABLE.bucketBytes)).isFalse();
        assertThat(areas.contains(0, area(0) - 8)).isFalse();
        assertThat(areas.contains(0, area(2))).isFalse();
        assertThat(areas.contains(40, area(2) + TABLE.bucketBytes - 8)).isTrue();
    }

    /// An area that readers may be in can't be freed.
    @Test
    void linkedAreasAreNotFreed() {
        addThree();
        try (ShmFabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
                QueuePair queuePair = fabric.connect(List.of(fabric.register(0, 1 << 16)))) {
            areas.postLinks(queuePair, 40, HOME, area(9));
            queuePair.await();
            assertThat(queuePair.readWord(HOME + BucketLayout.OVERFLOW_OFFSET)).isEqualTo(area(2));
        }
        Freed freed = new Freed();
        areas.freeUnused(freed);
        assertThat(freed.areas).containsExactlyInAnyOrder(area(0), area(1));
        assertThat(freed.bytes).isEqualTo(2L * TABLE.bucketBytes);
        assertThat(areas.isEmpty()).isTrue();
        areas.freeUnused(freed);
        assertThat(freed.areas).hasSize(2);
    }

    /// Others have linked an area of theirs meanwhile.
    @Test
    void theOldestAreaPointsToWhatOthersHaveLinked() {
        addThree();
        try (ShmFabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
                QueuePair queuePair = fabric.connect(List.of(fabric.register(0, 1 << 16)))) {
            areas.postLinks(queuePair, 40, HOME, area(8));
            queuePair.await();
            assertThat(queuePair.readWord(area(2) + BucketLayout.OVERFLOW_OFFSET))
                    .isEqualTo(area(8));
        }
    }

    private static final class Freed implements RemoteAllocator {
        private final List<Long> areas = new ArrayList<>();
        private long bytes;

        @Override
        public long allocate(int server, int wanted) {
            throw new AssertionError("areas are freed here");
        }

        @Override
        public void reserve(int server, int wanted) {
            throw new AssertionError("areas are freed here");
        }

        @Override
        public void free(long address, int size) {
            areas.add(address);
            bytes += size;
        }
    }
}
