package org.namdb.mvcc.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.CrashingQueuePair;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.owner.DeadSlots;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.owner.LatchTimeoutException;
import org.namdb.mvcc.tree.BLinkTree;
import org.namdb.mvcc.tree.NodeLayout;
import org.namdb.mvcc.tree.TreeClient;

/// One session has died with a latch, another one, which is paused, lives with one.
class LatchRepairTest {
    private static final int REGION_BYTES = 1 << 20;
    private static final int DEAD = 7;
    private static final int PAUSED = 8;
    private static final int CLEANER = 9;

    /// The timeout of a wait for the paused session.
    private static final long WAIT_NANOS = 20_000_000;

    private final ShmFabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
    private final Region region = fabric.register(0, REGION_BYTES);
    private final QueuePair queuePair = fabric.connect(List.of(region));
    private final Forward allocator = new Forward();
    private final BLinkTree ofDead = tree();
    private final BLinkTree ofPaused = tree();

    @AfterEach
    void close() {
        queuePair.close();
        fabric.close();
    }

    /// X repairs tree a, waits for the latch of the paused session, and must not stop there.
    @Test
    void aPausedSessionWithALatchKeepsNoOtherTreeLatched() {
        for (List<BLinkTree> order :
                List.of(List.of(ofPaused, ofDead), List.of(ofDead, ofPaused))) {
            dieWithLatch(ofPaused, PAUSED);
            dieWithLatch(ofDead, DEAD);
            assertThat(repair(order, DeadSlots.of(DEAD))).isFalse();
            assertThat(client(ofDead, queuePair, CLEANER).contains(key(1))).isTrue();
            TreeClient waiting = client(ofPaused, queuePair, CLEANER);
            assertThatThrownBy(() -> waiting.contains(key(1)))
                    .isInstanceOfSatisfying(
                            LatchTimeoutException.class,
                            e -> assertThat(e.holder()).isEqualTo(PAUSED));
            assertThat(repair(order, DeadSlots.of(PAUSED))).isTrue(); // it has died, too
            assertThat(waiting.contains(key(1))).isTrue();
        }
    }

    private BLinkTree tree() {
        BLinkTree tree =
                BLinkTree.create(queuePair, allocator, 0, new NodeLayout(1, 256), List.of(0));
        client(tree, queuePair, CLEANER).insert(key(1));
        client(tree, queuePair, CLEANER).insert(key(2));
        return tree;
    }

    private TreeClient client(BLinkTree tree, QueuePair connected, int slot) {
        return new TreeClient(connected, allocator, tree, owner(slot));
    }

    /// Latches the only leaf, and gets no further.
    private void dieWithLatch(BLinkTree tree, int slot) {
        CrashingQueuePair dying = new CrashingQueuePair(fabric.connect(List.of(region)), 1);
        TreeClient client = client(tree, dying, slot);
        dying.arm(1, new int[] {1}); // after the batch that reads the leaf
        assertThatThrownBy(() -> client.delete(key(2))).isInstanceOf(CrashingQueuePair.Crash.class);
    }

    private boolean repair(List<BLinkTree> trees, DeadSlots dead) {
        Tables tables =
                new Tables() {
                    @Override
                    public @Nullable HashTable records(int table) {
                        return null;
                    }

                    @Override
                    public @Nullable HashTable index(int index) {
                        return null;
                    }

                    @Override
                    public List<BLinkTree> trees() {
                        return trees;
                    }
                };
        IntentLayout none = new IntentLayout(RemoteAddress.of(0, REGION_BYTES / 2));
        return new LatchRepair(queuePair, none, tables, dead).repairTrees(owner(CLEANER));
    }

    private static LatchOwner owner(int slot) {
        return new LatchOwner(slot, Host.MACHINE, WAIT_NANOS, LatchOwner.Cancellation.NEVER);
    }

    private static long[] key(int value) {
        return new long[] {value};
    }

    /// Gives memory out once.
    private static final class Forward implements RemoteAllocator {
        private long next = 64;

        @Override
        public long allocate(int server, int bytes) {
            long address = RemoteAddress.of(server, next);
            next += bytes + 63 & -64;
            return address;
        }

        @Override
        public void reserve(int server, int bytes) {
            assertThat(next + bytes).isLessThan(REGION_BYTES / 2);
        }

        @Override
        public void free(long address, int bytes) {
            // It is not reused.
        }
    }
}
