package org.namdb.mvcc.tree;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.mvcc.BumpAllocator;
import org.namdb.mvcc.owner.LatchOwner;

/// A fabric with memory servers, and an empty tree on them.
final class TreeFixture implements AutoCloseable {
    private static final long REGION_BYTES = 64L << 20;
    private static final Duration MAX_WAIT = Duration.ofSeconds(60);

    private final Fabric fabric;
    private final List<Region> regions = new ArrayList<>();
    private final List<QueuePair> queuePairs = new ArrayList<>();
    private final BumpAllocator allocator;
    private final BLinkTree tree;

    /// The tree of the separators of a tree without inner nodes; null of one with inner nodes.
    private @Nullable BLinkTree separators;

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

    /// Makes the tree one without inner nodes. Verbs reach its separators, as they reach the
    /// leaves: so clients can be stopped, and die, where they change them.
    ///
    /// @param isHybrid whether it is to be so
    TreeFixture hybrid(boolean isHybrid) {
        if (isHybrid) {
            int words = tree.layout().keyWords() + 1;
            NodeLayout layout = new NodeLayout(words, tree.layout().nodeBytes() + 64);
            separators = BLinkTree.create(connect(), allocator, 1, layout, List.of(1));
        }
        return this;
    }

    BLinkTree tree() {
        return tree;
    }

    /// All trees.
    List<BLinkTree> trees() {
        BLinkTree more = separators;
        return more == null ? List.of(tree) : List.of(more, tree);
    }

    TreeClient client(QueuePair queuePair, LatchOwner owner) {
        BLinkTree more = separators;
        return more == null
                ? new TreeClient(queuePair, allocator, tree, owner)
                : new TreeClient(
                        queuePair,
                        allocator,
                        tree,
                        owner,
                        new TreeClient(queuePair, allocator, more, owner));
    }

    /// The same tree as another process knows it, which has come through no inner node yet.
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
        return client(connect(), owner(slot));
    }

    /// One that waits long enough for every thread that is alive.
    static LatchOwner owner(int slot) {
        return new LatchOwner(
                slot, Host.MACHINE, MAX_WAIT.toNanos(), LatchOwner.Cancellation.NEVER);
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
        return check(separators != null);
    }

    /// The same; nodes may lack a separator, if others have died or were in the way.
    TreeChecker.Shape check(boolean isRepaired) {
        BLinkTree more = separators;
        if (more != null) {
            new TreeChecker(connect(), more).check(isRepaired);
        }
        return new TreeChecker(connect(), tree).check(isRepaired);
    }

    @Override
    public void close() {
        for (QueuePair queuePair : queuePairs) {
            queuePair.close();
        }
        fabric.close();
    }
}
