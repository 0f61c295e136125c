package org.namdb.mvcc.tree;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.shm.ShmFabric;

/// An operation on a tree costs its caller's views nothing, however many nodes it has read: what it
/// has landed is given up when it ends.
class TreeViewsTest {
    private static final int KEYS = 2000;
    private static final NodeLayout SMALL = new NodeLayout(1, 512);

    @Test
    void operationsLandNothingInTheEnd() {
        ShmFabric.Options landing = new ShmFabric.Options(false, 32 << 10, null);
        try (TreeFixture fixture = new TreeFixture(new ShmFabric(landing), 2, SMALL)) {
            QueuePair queuePair = fixture.connect();
            TreeClient client =
                    new TreeClient(
                            queuePair, fixture.allocator(), fixture.tree(), TreeFixture.owner(1));
            queuePair.await();
            long before = queuePair.landed();
            for (long key = 0; key < KEYS; key++) {
                assertThat(client.insert(new long[] {key * 7 % KEYS})).isTrue();
                queuePair.await();
                assertThat(queuePair.landed()).as("insert").isEqualTo(before);
            }
            for (long key = 0; key < KEYS; key++) {
                assertThat(client.contains(new long[] {key})).isTrue();
                assertThat(queuePair.landed()).as("contains").isEqualTo(before);
            }
            TreeCursor cursor = client.cursor();
            cursor.ascendFrom(new long[] {0});
            int found = 0;
            while (cursor.next()) {
                found++;
            }
            assertThat(found).isEqualTo(KEYS);
            assertThat(queuePair.landed()).as("cursor").isEqualTo(before);
            for (long key = 0; key < KEYS; key++) {
                assertThat(client.delete(new long[] {key})).isTrue();
                queuePair.await();
                assertThat(queuePair.landed()).as("delete").isEqualTo(before);
            }
            long _ = client.collect();
            queuePair.await();
            assertThat(queuePair.landed()).as("collect").isEqualTo(before);
        }
    }
}
