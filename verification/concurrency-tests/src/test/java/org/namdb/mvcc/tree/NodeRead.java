package org.namdb.mvcc.tree;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.shm.ShmFabric;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/// A tree node is read while it is latched and changed: what a reader takes from it, and finds
/// unchanged, is one state of the node.
/// ```
///   W  header := latched, everything behind it, header := another version
///   R  header, everything behind it, header again
/// ```
public final class NodeRead {
    private NodeRead() {}

    @Outcome(id = "old", expect = ACCEPTABLE, desc = "R came first.")
    @Outcome(id = "new", expect = ACCEPTABLE, desc = "R came after the new header.")
    @Outcome(
            id = {"latched", "changed"},
            expect = ACCEPTABLE,
            desc = "R has noticed, and would read again.")
    @Outcome(id = "mixed", expect = FORBIDDEN, desc = "R has found unchanged what was not.")
    private static final class OneState {}

    @JCStressTest
    @JCStressMeta(OneState.class)
    @State
    public static class InPlace {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();

        @Actor
        public void writer() {
            RACE.change(place);
        }

        @Actor
        public void reader(L_Result seen) {
            seen.r1 = RACE.read(place, true);
        }
    }

    @JCStressTest
    @JCStressMeta(OneState.class)
    @State
    public static class Landing {
        private static final Race RACE = new Race(StressRegion.LANDING);
        private final long place = RACE.place();

        @Actor
        public void writer() {
            RACE.change(place);
        }

        @Actor
        public void reader(L_Result seen) {
            seen.r1 = RACE.read(place, true);
        }
    }

    @JCStressTest
    @Outcome(
            id = {"old", "new", "latched"},
            expect = ACCEPTABLE,
            desc = "R came first or last, or has found the latch.")
    @Outcome(
            id = "mixed",
            expect = ACCEPTABLE_INTERESTING,
            desc = "The node was not latched when the read began, and was not read again.")
    @State
    public static class WithoutLookingAgain {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();

        @Actor
        public void writer() {
            RACE.change(place);
        }

        @Actor
        public void reader(L_Result seen) {
            seen.r1 = RACE.read(place, false);
        }
    }

    private static final class Race {
        /// How often R reads: about as long as W takes.
        private static final int READS = 4;

        private static final NodeLayout LAYOUT = new NodeLayout(1, 256);
        private static final int WORDS = LAYOUT.nodeBytes() / 8 - 1;
        private static final long OLD = 1;
        private static final long NEW = 2;
        private static final long HEADER = NodeHeader.renewed(0, 0, 1, 1);

        private final StressRegion region;
        private final QueuePair writer;
        private final NodeView viewOfWriter;
        private final long source;
        private final NodeView viewOfReader;

        Race(ShmFabric.Options options) {
            region = new StressRegion(options, 0, LAYOUT.nodeBytes());
            writer = region.connect();
            viewOfWriter = new NodeView(writer, LAYOUT);
            source = writer.localMemory(8L * WORDS);
            for (int word = 0; word < WORDS; word++) {
                LocalMemory.putLong(source + 8L * word, NEW);
            }
            viewOfReader = new NodeView(region.connect(), LAYOUT);
        }

        long place() {
            long place = region.nextPlace();
            region.put(place, HEADER);
            region.fill(place + NodeLayout.RIGHT_SIBLING, WORDS, OLD);
            return place;
        }

        void change(long node) {
            viewOfWriter.read(node);
            boolean latched = viewOfWriter.latch(0);
            assert latched : "there is no other writer";
            writer.write(node + NodeLayout.RIGHT_SIBLING, source, 8 * WORDS);
            viewOfWriter.postHeader(NodeHeader.changed(viewOfWriter.header(), 1, 1));
            writer.await();
        }

        String read(long node, boolean validates) {
            String seen = "old";
            for (int read = 0; read < READS && seen.equals("old"); read++) {
                seen = readOnce(node, validates);
            }
            return seen;
        }

        private String readOnce(long node, boolean validates) {
            viewOfReader.read(node);
            if (NodeHeader.isLatched(viewOfReader.header())) {
                return "latched";
            }
            long value = viewOfReader.rightSibling();
            boolean mixed = false;
            for (int word = 1; word < WORDS; word++) {
                mixed |= LocalMemory.longAt(viewOfReader.link() + 8L * word) != value;
            }
            if (validates && !viewOfReader.isUnchanged()) {
                return "changed";
            }
            return mixed ? "mixed" : value == OLD ? "old" : "new";
        }
    }
}
