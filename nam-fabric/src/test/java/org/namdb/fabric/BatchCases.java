package org.namdb.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Verbs that are posted together: their order, their count and their cost.
public interface BatchCases extends FabricCase {
    @Test
    default void aReadSeesTheWritePostedBeforeIt() {
        long source = queuePair().localMemory(320);
        for (int round = 1; round <= 500; round++) {
            for (int i = 0; i < 320; i += 8) {
                LocalMemory.putLong(source + i, round);
            }
            queuePair().write(address(0, 24), source, 320);
            long view = queuePair().read(address(0, 24), 320);
            queuePair().await();
            for (int i = 0; i < 320; i += 8) {
                assertThat(LocalMemory.longAt(view + i)).isEqualTo(round);
            }
        }
    }

    @Test
    default void atomicsActOnWhatWasPostedBeforeThem() {
        long word = address(1, 512);
        for (int round = 0; round < 500; round++) {
            queuePair().writeWord(word, 100);
            long won = queuePair().compareAndSwap(word, 100, 200);
            long added = queuePair().fetchAndAdd(word, 5);
            long lost = queuePair().compareAndSwap(word, 100, 300);
            long view = queuePair().read(word, 8);
            queuePair().await();
            assertThat(LocalMemory.longAt(won)).isEqualTo(100);
            assertThat(LocalMemory.longAt(added)).isEqualTo(200);
            assertThat(LocalMemory.longAt(lost)).isEqualTo(205);
            assertThat(LocalMemory.longAt(view)).isEqualTo(205);
        }
    }

    /// Compares with arrays of longs. Servers, words and verbs are few, so that verbs of one batch
    /// meet often.
    @Test
    default void aBatchActsAsIfItsVerbsRanInIssueOrder() {
        BatchModel model = new BatchModel(queuePair(), new SplittableRandom(Seeds.next()));
        for (int batch = 0; batch < 2_000; batch++) {
            model.runBatch();
        }
        for (int server = 0; server < 2; server++) {
            assertThat(readRegion(server)).startsWith(model.words(server));
        }
    }

    @Test
    default void oneAwaitIsOneRoundTripHoweverManyVerbs() {
        VerbCounters counters = queuePair().counters();
        long source = queuePair().localMemory(4096);
        for (int i = 0; i < 7; i++) {
            queuePair().read(address(i % 2, 64L * i), 24);
        }
        for (int i = 0; i < 5; i++) {
            queuePair().write(address(i % 2, 8192 + 512L * i), source, 400);
        }
        for (int i = 0; i < 4; i++) {
            queuePair().writeWord(address(i % 2, 32), i);
        }
        for (int i = 0; i < 3; i++) {
            queuePair().compareAndSwap(address(0, 40), i, i + 1);
        }
        queuePair().fetchAndAdd(address(1, 48), 1);
        queuePair().fetchAndAdd(address(0, 48), 1);
        assertThat(counters.roundTrips()).isZero();
        queuePair().await();
        assertThat(counters.roundTrips()).isEqualTo(1);
        assertThat(counters.reads()).isEqualTo(7);
        assertThat(counters.writes()).isEqualTo(9);
        assertThat(counters.compareAndSwaps()).isEqualTo(3);
        assertThat(counters.fetchAndAdds()).isEqualTo(2);
        assertThat(counters.sends()).isZero();
        assertThat(counters.receives()).isZero();
        assertThat(counters.verbs()).isEqualTo(21);
        assertThat(counters.bytes()).isEqualTo(7 * 24 + 5 * 400 + 4 * 8 + 3 * 8 + 2 * 8);
    }

    @Test
    default void anAwaitOfNothingIsNoRoundTrip() {
        queuePair().await();
        assertThat(queuePair().counters().roundTrips()).isZero();
        queuePair().read(address(0, 0), 8);
        queuePair().await();
        queuePair().await();
        assertThat(queuePair().counters().roundTrips()).isEqualTo(1);
    }

    @Test
    default void aLeadingReadIsPostedWhereReadsLandAndNowhereElse() {
        writeWord(address(0, 8), 3);
        long reads = queuePair().counters().reads();
        long leading = queuePair().readLeading(address(0, 8), 8);
        queuePair().read(address(0, 8), 64);
        queuePair().await();
        if (queuePair().readsInPlace(0)) {
            assertThat(leading).isZero();
            assertThat(queuePair().counters().reads() - reads).isEqualTo(1);
        } else {
            assertThat(LocalMemory.longAt(leading)).isEqualTo(3);
            assertThat(queuePair().counters().reads() - reads).isEqualTo(2);
        }
    }

    @Test
    default void queuePairsCountForThemselves() {
        QueuePair other = connect();
        other.read(address(0, 0), 8);
        other.await();
        assertThat(other.counters().verbs()).isEqualTo(1);
        assertThat(queuePair().counters().verbs()).isZero();
    }

    @Test
    default void verbsCountForTheServerThatTheyGoTo() {
        queuePair().read(address(1, 0), 24);
        queuePair().writeWord(address(0, 64), 1);
        queuePair().fetchAndAdd(address(1, 64), 1);
        queuePair().await();
        VerbTally tally = queuePair().counters().tally(1);
        assertThat(tally.reads()).isEqualTo(1);
        assertThat(tally.fetchAndAdds()).isEqualTo(1);
        assertThat(tally.bytes()).isEqualTo(24 + 8);
        assertThat(queuePair().counters().tally(0).writes()).isEqualTo(1);
        assertThat(queuePair().counters().tally().roundTrips()).isEqualTo(1);
    }

    @Test
    default void aBatchMayHaveThousandsOfVerbs() {
        List<Long> views = new ArrayList<>();
        for (int i = 0; i < LANDING_BYTES / 8; i++) {
            views.add(queuePair().fetchAndAdd(address(i % 2, 0), 1));
        }
        queuePair().await();
        for (int i = 0; i < views.size(); i++) {
            assertThat(LocalMemory.longAt(views.get(i))).isEqualTo(i / 2);
        }
    }
}
