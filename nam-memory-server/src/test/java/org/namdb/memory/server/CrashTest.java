package org.namdb.memory.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Seeds;

/// A memory server that dies between any two WRITEs of words: the next process that opens its
/// region finds the state before or after the operation, and nothing allocated twice or lost.
class CrashTest {
    private static final long REGION_BYTES = 1 << 20;
    private static final int ROUNDS = 60;

    /// The server's process is no more.
    private static final class Died extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static final class DyingWords implements RegionWords {
        private final long[] words;
        private long left = Long.MAX_VALUE;

        DyingWords(long[] words) {
            this.words = words;
        }

        @Override
        public long word(long offset) {
            return words[(int) (offset / 8)];
        }

        @Override
        public void put(long offset, long word) {
            if (left-- == 0) {
                throw new Died();
            }
            words[(int) (offset / 8)] = word;
        }
    }

    /// A server's parts over some words, and what its clients believe of them.
    private static final class Server {
        private final ServerCatalog catalog;
        private final Extents extents;

        Server(RegionWords words, boolean isNew) {
            catalog = ServerCatalog.open(words, 0, REGION_BYTES);
            extents =
                    isNew
                            ? Extents.format(words, RegionLayout.HEAD_BYTES, REGION_BYTES)
                            : Extents.open(words, REGION_BYTES, catalog.offsets());
            catalog.use(extents);
        }

        Map<String, String> entries() {
            TreeMap<String, String> entries = new TreeMap<>();
            for (String name : catalog.names()) {
                entries.put(name, new String(catalog.entry(name), StandardCharsets.UTF_8));
            }
            return entries;
        }
    }

    private record Extent(long offset, long bytes) {}

    @Test
    void everyPrefixOfAChangeLeavesTheStateBeforeOrAfterIt() {
        long seed = Seeds.next();
        SplittableRandom random = new SplittableRandom(seed);
        DyingWords words = new DyingWords(new long[(int) (REGION_BYTES / 8)]);
        Server server = new Server(words, true);
        List<Extent> handedOut = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            int kind = random.nextInt(5);
            long argument = random.nextLong();
            dieAtEveryWord(words, handedOut, kind, argument);
            change(server, handedOut, kind, argument);
            assertThat(server.extents.usedBytes())
                    .isEqualTo(new Server(words, false).extents.usedBytes());
        }
    }

    private static void dieAtEveryWord(
            DyingWords words, List<Extent> handedOut, int kind, long argument) {
        Server before = new Server(new DyingWords(words.words.clone()), false);
        List<Extent> extentsBefore = List.copyOf(handedOut);
        Map<String, String> entriesBefore = before.entries();
        long usedBefore = before.extents.usedBytes();
        for (int prefix = 0; ; prefix++) {
            DyingWords copy = new DyingWords(words.words.clone());
            Server dying = new Server(copy, false);
            List<Extent> held = new ArrayList<>(handedOut);
            copy.left = prefix;
            boolean hasDied = false;
            try {
                change(dying, held, kind, argument);
            } catch (Died e) {
                hasDied = true;
            }
            copy.left = Long.MAX_VALUE;
            Map<String, String> entriesAfter = new TreeMap<>(entriesBefore);
            Server after = new Server(copy, false);
            if (!hasDied) {
                entriesAfter = dying.entries();
                assertThat(after.entries()).isEqualTo(entriesAfter);
                return;
            }
            check(after, entriesBefore, extentsBefore, usedBefore, kind, prefix);
        }
    }

    private static void check(
            Server after,
            Map<String, String> entriesBefore,
            List<Extent> extentsBefore,
            long usedBefore,
            int kind,
            int prefix) {
        long used = after.extents.usedBytes();
        Map<String, String> entries = after.entries();
        boolean isAsBefore = entries.equals(entriesBefore);
        if (kind == 0) {
            assertThat(used)
                    .as("an extent that no client has got, prefix %d", prefix)
                    .isEqualTo(usedBefore);
        }
        if (kind >= 2 && isAsBefore) {
            assertThat(used).as("kind %d, prefix %d", kind, prefix).isEqualTo(usedBefore);
        }
        if (kind == 1) {
            assertThat(used).as("freed, prefix %d", prefix).isLessThanOrEqualTo(usedBefore);
        }
        // What is free can be handed out whole, and does not overlap with what others hold.
        for (Extent extent : extentsBefore) {
            if (kind != 1) {
                after.extents.free(extent.offset, extent.bytes);
            }
        }
        if (kind != 1) {
            for (String name : List.copyOf(entries.keySet())) {
                assertThat(after.catalog.remove(name)).isTrue();
            }
            assertThat(after.extents.usedBytes()).as("kind %d, prefix %d", kind, prefix).isZero();
        }
    }

    private static void change(Server server, List<Extent> handedOut, int kind, long argument) {
        SplittableRandom random = new SplittableRandom(argument);
        String name = "name" + random.nextInt(4);
        String entry = "e".repeat(random.nextInt(300)) + argument;
        switch (kind) {
            case 0 -> {
                long bytes = 64L * random.nextInt(1, 300);
                handedOut.add(new Extent(server.extents.allocate(bytes), bytes));
            }
            case 1 -> {
                if (!handedOut.isEmpty()) {
                    Extent extent = handedOut.remove(random.nextInt(handedOut.size()));
                    server.extents.free(extent.offset, extent.bytes);
                }
            }
            case 2 -> {
                boolean _ = server.catalog.remove(name);
            }
            default ->
                    assertThat(server.catalog.put(name, entry.getBytes(StandardCharsets.UTF_8)))
                            .isTrue();
        }
    }
}
