package org.namdb.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// Posts random batches and foretells their results, with an array of longs for each server.
final class BatchModel {
    private static final int WORDS = 24;
    private static final int MAX_VERBS = 20;

    private final QueuePair queuePair;
    private final SplittableRandom random;
    private final long[][] words = new long[2][WORDS];
    private final long sources;
    private final List<Expected> expected = new ArrayList<>();

    /// What a word of a view must be after the await: `value`, or where READs are in place, what
    /// the region's word is then.
    private record Expected(long view, int server, int word, long value, boolean inPlace) {}

    BatchModel(QueuePair queuePair, SplittableRandom random) {
        this.queuePair = queuePair;
        this.random = random;
        this.sources = queuePair.localMemory(8L * WORDS * MAX_VERBS);
    }

    long[] words(int server) {
        return words[server];
    }

    void runBatch() {
        expected.clear();
        int verbs = random.nextInt(1, MAX_VERBS + 1);
        for (int verb = 0; verb < verbs; verb++) {
            post(sources + 8L * WORDS * verb);
        }
        queuePair.await();
        for (Expected each : expected) {
            long value = each.inPlace ? words[each.server][each.word] : each.value;
            assertThat(LocalMemory.longAt(each.view)).isEqualTo(value);
        }
    }

    private void post(long source) {
        int server = random.nextInt(2);
        int word = random.nextInt(WORDS);
        int count = random.nextInt(1, WORDS - word + 1);
        long address = RemoteAddress.of(server, 8L * word);
        long value = random.nextLong();
        switch (random.nextInt(5)) {
            case 0 -> {
                long view = queuePair.read(address, 8 * count);
                boolean inPlace = queuePair.readsInPlace(server);
                for (int i = 0; i < count; i++) {
                    expected.add(
                            new Expected(
                                    view + 8L * i,
                                    server,
                                    word + i,
                                    words[server][word + i],
                                    inPlace));
                }
            }
            case 1 -> {
                for (int i = 0; i < count; i++) {
                    LocalMemory.putLong(source + 8L * i, value + i);
                    words[server][word + i] = value + i;
                }
                queuePair.write(address, source, 8 * count);
            }
            case 2 -> {
                queuePair.writeWord(address, value);
                words[server][word] = value;
            }
            case 3 -> {
                boolean wins = random.nextBoolean();
                long found = words[server][word];
                expectWord(queuePair.compareAndSwap(address, wins ? found : ~found, value), found);
                words[server][word] = wins ? value : found;
            }
            default -> {
                expectWord(queuePair.fetchAndAdd(address, value), words[server][word]);
                words[server][word] += value;
            }
        }
    }

    private void expectWord(long view, long value) {
        expected.add(new Expected(view, 0, 0, value, false));
    }
}
