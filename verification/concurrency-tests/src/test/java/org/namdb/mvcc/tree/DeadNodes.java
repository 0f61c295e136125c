package org.namdb.mvcc.tree;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.List;
import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.RemoteAllocator;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/// Two threads take dead nodes from the tree's stack and leave what they don't need to the others:
/// no node is handed out twice, and none gets lost. The stack has three nodes; each actor takes
/// what is there (a new node, if nothing is), keeps one and leaves the rest.
public final class DeadNodes {
    private DeadNodes() {}

    @Outcome(
            id = "each once",
            expect = ACCEPTABLE,
            desc = "Every node is with one of the actors or on the stack.")
    @Outcome(
            id = "one twice",
            expect = FORBIDDEN,
            desc = "Two hold the same node, or one holds a node that is on the stack.")
    @Outcome(id = "one lost", expect = FORBIDDEN, desc = "A node can't be found any more.")
    private static final class EachOnce {}

    @JCStressTest
    @JCStressMeta(EachOnce.class)
    @State
    public static class InPlace {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();
        private final FreeNodes nodesOfA = RACE.a.nodes(place);
        private final FreeNodes nodesOfB = RACE.b.nodes(place);
        private long takenByA;
        private long takenByB;

        @Actor
        public void a() {
            takenByA = RACE.a.takeOne(place, nodesOfA);
        }

        @Actor
        public void b() {
            takenByB = RACE.b.takeOne(place, nodesOfB);
        }

        @Arbiter
        public void count(L_Result result) {
            result.r1 = RACE.count(place, takenByA, takenByB);
        }
    }

    @JCStressTest
    @JCStressMeta(EachOnce.class)
    @State
    public static class Landing {
        private static final Race RACE = new Race(StressRegion.LANDING);
        private final long place = RACE.place();
        private final FreeNodes nodesOfA = RACE.a.nodes(place);
        private final FreeNodes nodesOfB = RACE.b.nodes(place);
        private long takenByA;
        private long takenByB;

        @Actor
        public void a() {
            takenByA = RACE.a.takeOne(place, nodesOfA);
        }

        @Actor
        public void b() {
            takenByB = RACE.b.takeOne(place, nodesOfB);
        }

        @Arbiter
        public void count(L_Result result) {
            result.r1 = RACE.count(place, takenByA, takenByB);
        }
    }

    /// Takes the first node by a CAS of the head to the second one. B takes two that way and
    /// returns the first one.
    @JCStressTest
    @Outcome(id = "each once", expect = ACCEPTABLE, desc = "One after the other, by chance.")
    @Outcome(
            id = {"one twice", "one lost"},
            expect = ACCEPTABLE_INTERESTING,
            desc = "The head was the same again (A-B-A), but the second node was gone.")
    @State
    public static class FirstForSecond {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();
        private long takenByA;
        private long takenByB;

        @Actor
        public void a() {
            takenByA = RACE.a.pop(place);
        }

        @Actor
        public void b() {
            long first = RACE.b.pop(place);
            takenByB = RACE.b.pop(place);
            RACE.b.push(place, first);
        }

        @Arbiter
        public void count(L_Result result) {
            result.r1 = RACE.count(place, takenByA, takenByB);
        }
    }

    private static final class Race {
        private static final NodeLayout LAYOUT = new NodeLayout(1, 128);
        private static final int ANCHOR_BYTES = 64;
        private static final int NODES = 3;
        private static final int WITH_NEW_NODES = NODES + 2;
        private static final int PLACE_BYTES = ANCHOR_BYTES + WITH_NEW_NODES * 128;

        private final StressRegion region;
        private final Client a;
        private final Client b;

        Race(ShmFabric.Options options) {
            region = new StressRegion(options, 0, PLACE_BYTES);
            a = new Client(region.connect(), NODES);
            b = new Client(region.connect(), NODES + 1);
        }

        long place() {
            long place = region.nextPlace();
            region.put(place, RemoteAddress.NULL, node(place, 0));
            for (int node = 0; node < NODES; node++) {
                long next = node + 1 < NODES ? node(place, node + 1) : RemoteAddress.NULL;
                region.put(node(place, node), NodeHeader.dead(0), next);
            }
            return place;
        }

        static long node(long place, int node) {
            return place + ANCHOR_BYTES + (long) node * LAYOUT.nodeBytes();
        }

        /// Where each node is: once with one of the actors, or once on the stack. A new node may be
        /// nowhere.
        String count(long place, long takenByA, long takenByB) {
            int[] found = new int[WITH_NEW_NODES];
            found[index(place, takenByA)]++;
            found[index(place, takenByB)]++;
            long node = region.word(place + FreeNodes.HEAD);
            while (node != RemoteAddress.NULL) {
                int index = index(place, node);
                if (++found[index] > 1) {
                    return "one twice";
                }
                node = region.word(node + NodeLayout.RIGHT_SIBLING);
            }
            for (int index = 0; index < WITH_NEW_NODES; index++) {
                if (found[index] > 1) {
                    return "one twice";
                }
                if (found[index] == 0 && index < NODES) {
                    return "one lost";
                }
            }
            return "each once";
        }

        private static int index(long place, long node) {
            return (int) ((node - place - ANCHOR_BYTES) / LAYOUT.nodeBytes());
        }
    }

    /// An actor's way to the stack.
    private static final class Client implements RemoteAllocator {
        private final QueuePair queuePair;
        private final int newNode;
        private long place;

        /// @param newNode which of the place's nodes is the one that this actor gets if the stack
        ///     is empty
        Client(QueuePair queuePair, int newNode) {
            this.queuePair = queuePair;
            this.newNode = newNode;
        }

        FreeNodes nodes(long at) {
            return new FreeNodes(queuePair, this, new BLinkTree(at, Race.LAYOUT, List.of(0)));
        }

        long takeOne(long at, FreeNodes nodes) {
            place = at;
            nodes.ensure(1);
            long taken = nodes.take();
            nodes.release();
            return taken;
        }

        /// A node, or the new one if there is none.
        long pop(long at) {
            while (true) {
                long first = word(at + FreeNodes.HEAD);
                if (first == RemoteAddress.NULL) {
                    return Race.node(at, newNode);
                }
                long second = word(first + NodeLayout.RIGHT_SIBLING);
                if (cas(at, first, second)) {
                    return first;
                }
            }
        }

        void push(long at, long node) {
            long first;
            do {
                first = word(at + FreeNodes.HEAD);
                queuePair.writeWord(node + NodeLayout.RIGHT_SIBLING, first);
                queuePair.await();
            } while (!cas(at, first, node));
        }

        private long word(long address) {
            long view = queuePair.read(address, 8);
            queuePair.await();
            return LocalMemory.longAcquire(view);
        }

        private boolean cas(long at, long expected, long desired) {
            long view = queuePair.compareAndSwap(at + FreeNodes.HEAD, expected, desired);
            queuePair.await();
            return LocalMemory.longAt(view) == expected;
        }

        @Override
        public long allocate(int server, int bytes) {
            return Race.node(place, newNode);
        }

        @Override
        public void reserve(int server, int bytes) {
            // There is always space.
        }

        @Override
        public void free(long address, int bytes) {
            // The place is used again with the next state.
        }
    }
}
