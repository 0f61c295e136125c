package org.namdb.timestamp.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.VerbForecast;
import org.namdb.timestamp.SteppedQueuePair;
import org.namdb.timestamp.TimestampSlot;

/// `SnapshotChain.tla` on the real code: its four properties hold in every interleaving tried, and
/// each of the rules is needed.
class SnapshotChainInterleavingTest {
    private static final int RUNS = 2_000;
    private static final int MUTANT_RUNS = 20_000;

    @Test
    void twoTransactionsAreOrderedInEveryInterleaving() {
        EveryChoice choices = new EveryChoice();
        int runs = 0;
        // Too few members for a buffer to be reused.
        try (ChainModel model = new ChainModel(2, SnapshotChain::new).vectorsWithGuards()) {
            do {
                assertThat(model.run(1, choices).violation()).isNull();
                runs++;
            } while (choices.advance());
        }
        assertThat(runs).isGreaterThan(5_000);
    }

    @Test
    void threeThreadsAreOrderedInRandomInterleavings() {
        long seed = Seeds.next();
        try (ChainModel model = new ChainModel(3, SnapshotChain::new)) {
            assertThat(model.firstViolation(History::violation, 3, seed, RUNS)).isNull();
        }
    }

    @Test
    void fiveThreadsAreOrderedInRandomInterleavings() {
        long seed = Seeds.next();
        try (ChainModel model = new ChainModel(5, SnapshotChain::new)) {
            assertThat(model.firstViolation(History::violation, 2, seed, RUNS)).isNull();
        }
    }

    @Test
    void threadsWithSlotsOnTwoServersAreOrderedInRandomInterleavings() {
        long seed = Seeds.next();
        try (ChainModel model = new ChainModel(3, 2, SnapshotChain::new)) {
            assertThat(model.firstViolation(History::violation, 3, seed, RUNS)).isNull();
        }
        try (ChainModel model = new ChainModel(5, 3, SnapshotChain::new)) {
            assertThat(model.firstViolation(History::violation, 2, seed, RUNS)).isNull();
        }
    }

    @Test
    void slotsThatAreReadBeforeTheHeadOnAnotherServerAreNotFreshEnough() {
        long seed = Seeds.next();
        try (ChainModel model = new ChainModel(4, 2, PartsNotOrdered::new)) {
            assertFound(model.firstViolation(History::notFresh, 3, seed, MUTANT_RUNS));
        }
    }

    @Test
    void aDirectReadIsNotCausal() {
        assertCaught(History::notCausal, DirectRead::new);
    }

    @Test
    void directReadsForkForLong() {
        assertCaught(History::notComparable, DirectRead::new);
    }

    @Test
    void theFirstMoveOfTheHeadSinceTheFetchIsNotFreshEnough() {
        assertCaught(
                History::notFresh,
                slot ->
                        new SnapshotChain(slot) {
                            @Override
                            boolean isCollectedSince(long first, long now) {
                                return now >= first + 1;
                            }
                        });
    }

    /// A thread whose CAS failed uses what it has read together with it.
    @Test
    void readsBesideAFailedCasMissWhatAnotherMemberShows() {
        assertCaught(
                History::missed,
                slot ->
                        new SnapshotChain(slot) {
                            @Override
                            public boolean settle(Snapshot into) {
                                while (!super.settle(into)) {
                                    slot.queuePair().await();
                                }
                                return true;
                            }
                        });
    }

    @Test
    void raisingTheOwnSlotForks() {
        assertCaught(History::notComparable, OwnSlotRaised::new);
    }

    @Test
    void aCollectionBeforeItsFetchIsNotFreshEnough() {
        long seed = Seeds.next();
        try (ChainModel model = new ChainModel(3, SnapshotChain::new)) {
            model.each(SteppedQueuePair::readsLastFirst);
            assertFound(model.firstViolation(History::violation, 2, seed, MUTANT_RUNS));
        }
    }

    @Test
    void theLowWatermarkPassesNoSnapshotInUse() {
        long seed = Seeds.next();
        try (ChainModel model = new ChainModel(3, SnapshotChain::new).observing()) {
            assertThat(model.firstViolation(History::violation, 3, seed, RUNS)).isNull();
        }
    }

    @Test
    void theLowWatermarkPassesASnapshotThatWasAnnouncedLate() {
        long seed = Seeds.next();
        try (ChainModel model = new ChainModel(3, AnnouncedLate::new).observing()) {
            assertFound(model.firstViolation(History::passed, 3, seed, MUTANT_RUNS));
        }
    }

    /// Believes that all collections begin after their fetches.
    private static final class PartsNotOrdered extends SnapshotChain {
        PartsNotOrdered(TimestampSlot slot) {
            super(slot);
        }

        @Override
        boolean isOrdered(long head) {
            return true;
        }
    }

    private static void assertCaught(
            Function<History, @Nullable String> property,
            Function<TimestampSlot, SnapshotOracle> oracle) {
        long seed = Seeds.next();
        try (ChainModel model = new ChainModel(3, oracle)) {
            assertFound(model.firstViolation(property, 2, seed, MUTANT_RUNS));
        }
    }

    private static void assertFound(@Nullable String violation) {
        System.out.println(violation);
        assertThat(violation).isNotNull();
    }

    /// Chooses first, and announces then.
    private record AnnouncedLate(TimestampSlot slot, SnapshotChain chain)
            implements SnapshotOracle {
        AnnouncedLate(TimestampSlot slot) {
            this(slot, new SnapshotChain(slot));
        }

        @Override
        public void acquire(Snapshot into) {
            slot.announcement().withdraw();
            chain.refresh(into);
            slot.announcement().announce(into.sequence());
        }

        @Override
        public void release() {
            chain.release();
        }

        @Override
        public void expire() {
            chain.expire();
        }

        @Override
        public long schemaEpoch() {
            return chain.schemaEpoch();
        }

        @Override
        public long recovery() {
            return chain.recovery();
        }

        @Override
        public void forecast(VerbForecast acquiring, VerbForecast releasing) {
            chain.forecast(acquiring, releasing);
        }
    }

    /// Uses every snapshot twice, the second time with its own slot raised, to see its own commit.
    private static final class OwnSlotRaised implements SnapshotOracle {
        private final TimestampSlot slot;
        private final SnapshotChain chain;
        private final Snapshot last = new Snapshot();
        private boolean again;

        OwnSlotRaised(TimestampSlot slot) {
            this.slot = slot;
            this.chain = new SnapshotChain(slot);
        }

        @Override
        public void acquire(Snapshot into) {
            if (!again) {
                chain.acquire(last);
                into.copyFrom(last);
            } else {
                long[] vector = Arrays.copyOf(last.toArray(), slot.layout().maxSlots());
                vector[slot.number()] = slot.published();
                try (Arena arena = Arena.ofConfined()) {
                    long copy = arena.allocateFrom(ValueLayout.JAVA_LONG, vector).address();
                    into.take(last.sequence(), copy, vector.length);
                }
            }
            again = !again;
        }

        @Override
        public void release() {
            chain.release();
        }

        @Override
        public void expire() {
            chain.expire();
        }

        @Override
        public long schemaEpoch() {
            return chain.schemaEpoch();
        }

        @Override
        public long recovery() {
            return chain.recovery();
        }

        @Override
        public void forecast(VerbForecast acquiring, VerbForecast releasing) {
            chain.forecast(acquiring, releasing);
        }
    }

    /// All sequences of choices, one after another.
    private static final class EveryChoice implements IntUnaryOperator {
        private final List<Integer> chosen = new ArrayList<>();
        private final List<Integer> counts = new ArrayList<>();
        private int position;

        @Override
        public int applyAsInt(int count) {
            if (position == chosen.size()) {
                chosen.add(0);
                counts.add(count);
            }
            return chosen.get(position++);
        }

        /// Goes on to the next sequence; false if that was the last.
        boolean advance() {
            position = 0;
            while (!chosen.isEmpty()) {
                int last = chosen.size() - 1;
                if (chosen.get(last) + 1 < counts.get(last)) {
                    chosen.set(last, chosen.get(last) + 1);
                    return true;
                }
                chosen.removeLast();
                counts.removeLast();
            }
            return false;
        }
    }
}
