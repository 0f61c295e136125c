package org.namdb.mvcc.tree;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.mvcc.BumpAllocator;
import org.namdb.mvcc.owner.LatchOwner;

/// A fabric with memory servers, and an empty tree on them.
final class TreeFixture implements AutoCloseable {
    private static final long REGION_BYTES = 64L << 20;
    private static final Duration MOST_WAIT = Duration.ofSeconds(60);

    private final Fabric fabric;
    private final List<Region> regions = new ArrayList<>();
    private final List<QueuePair> queuePairs = new ArrayList<>();
    private final BumpAllocator allocator;
    private final BLinkTree tree;

    TreeFixture(Fabric fabric, int servers, NodeLayout layout) {
        this(fabric, servers, layout, REGION_BYTES);
    }

    TreeFixture(Fabric fabric, int servers, NodeLayout layout, long regionBytes) {
        this.fabric = fabric;
        for (int server = 0; server < servers; server++) {
            regions.add(fabric.register(server, regionBytes));
        }
        this.allocator = new BumpAllocator(servers, regionBytes);
        List<Integer> numbers = IntStream.range(0, servers).boxed().toList();
        this.tree = BLinkTree.create(connect(), allocator, 0, layout, numbers);
    }

    BLinkTree tree() {
        return tree;
    }

    /// The same tree in another process, which has cached no inner node yet.
    BLinkTree foreignTree() {
        return new BLinkTree(tree.anchor(), tree.layout(), tree.servers());
    }

    BumpAllocator allocator() {
        return allocator;
    }

    synchronized QueuePair connect() {
        QueuePair queuePair = fabric.connect(regions);
        queuePairs.add(queuePair);
        return queuePair;
    }

    /// A client with a queue pair of its own.
    TreeClient client() {
        return client(0);
    }

    /// A client whose latches are those of slot `slot`.
    TreeClient client(int slot) {
        return new TreeClient(connect(), allocator, tree, owner(slot));
    }

    /// One that waits long enough for every thread that is alive.
    static LatchOwner owner(int slot) {
        return new LatchOwner(
                slot, Host.MACHINE, MOST_WAIT.toNanos(), LatchOwner.Cancellation.NEVER);
    }

    /// A client whose thread loses the processor now and then, between two round trips.
    TreeClient restlessClient(SplittableRandom random) {
        Runnable pause =
                () -> {
                    int chance = random.nextInt(400);
                    if (chance == 0) {
                        LockSupport.parkNanos(1);
                    } else if (chance < 25) {
                        Thread.yield();
                    }
                };
        return new TreeClient(new PausingQueuePair(connect(), pause), allocator, tree, owner(0));
    }

    /// Walks the tree, and fails if its structure is not right.
    TreeChecker.Shape check() {
        return new TreeChecker(connect(), tree).check();
    }

    @Override
    public void close() {
        for (QueuePair queuePair : queuePairs) {
            queuePair.close();
        }
        fabric.close();
    }
}
