package org.namdb.mvcc.tree;

import java.util.SplittableRandom;
import org.namdb.fabric.VerbCounters;

/// What the operations cost on memory in this process, in nanoseconds and verbs, for an index used
/// as TPC-C's NEW-ORDER is: 40 districts, whose orders are inserted ascending, in turn, and deleted
/// from the front. Arguments: words per key (3), rounds (20), entries (100000).
final class BLinkTreeTiming {
    private static final int PREFIXES = 40;

    private final TreeFixture fixture;
    private final TreeClient client;
    private final VerbCounters counters;
    private final TreeCursor cursor;
    private final long[] key;
    private final int orders;
    private long checksum;

    private BLinkTreeTiming(TreeFixture fixture, int keyWords, int entries) {
        this.fixture = fixture;
        var queuePair = fixture.connect();
        this.client =
                new TreeClient(
                        queuePair, fixture.allocator(), fixture.tree(), TreeFixture.owner(1));
        this.counters = queuePair.counters();
        this.cursor = client.cursor();
        this.key = new long[keyWords];
        this.orders = entries / PREFIXES;
    }

    public static void main(String[] arguments) {
        int keyWords = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 3;
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20;
        int entries = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 100_000;
        NodeLayout layout = new NodeLayout(keyWords, BLinkTree.DEFAULT_NODE_BYTES);
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(Fabrics.IN_PLACE), 1, layout)) {
            BLinkTreeTiming timing = new BLinkTreeTiming(fixture, keyWords, entries);
            for (int round = 0; round < rounds; round++) {
                timing.round(round, round >= rounds - 3);
            }
            System.out.println("checksum " + timing.checksum);
        }
    }

    private void round(int round, boolean print) {
        int first = round * orders;
        measure("insert ascending", print, () -> insertAll(first));
        if (print) {
            System.out.println("  " + fixture.check());
        }
        measure("contains, random", print, () -> lookUpAll(first));
        measure("insert again, random", print, () -> insertAgain(first));
        measure("first of a prefix", print, this::scanFirst);
        measure("delete from the front", print, () -> deleteAll(first));
    }

    private void measure(String what, boolean print, Runnable work) {
        long verbs = counters.verbs();
        long roundTrips = counters.roundTrips();
        long start = System.nanoTime();
        work.run();
        double nanos = System.nanoTime() - start;
        if (print) {
            int operations = orders * PREFIXES;
            System.out.printf(
                    "%-22s %6.0f ns, %5.2f verbs, %5.2f round trips%n",
                    what,
                    nanos / operations,
                    (double) (counters.verbs() - verbs) / operations,
                    (double) (counters.roundTrips() - roundTrips) / operations);
        }
    }

    private long[] key(int prefix, int order) {
        if (key.length == 1) {
            key[0] = (long) prefix << 40 | order;
        } else {
            key[0] = prefix;
            key[key.length - 1] = order;
        }
        return key;
    }

    private void insertAll(int first) {
        for (int order = 0; order < orders; order++) {
            for (int prefix = 0; prefix < PREFIXES; prefix++) {
                checksum += client.insert(key(prefix, first + order)) ? 1 : 0;
            }
        }
    }

    private void lookUpAll(int first) {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < orders * PREFIXES; i++) {
            long[] sought = key(random.nextInt(PREFIXES), first + random.nextInt(orders));
            checksum += client.contains(sought) ? 1 : 0;
        }
    }

    /// Deletes and inserts, so an undelete in a random place; the time is that of both.
    private void insertAgain(int first) {
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < orders * PREFIXES; i++) {
            long[] sought = key(random.nextInt(PREFIXES), first + random.nextInt(orders));
            checksum += client.delete(sought) ? 1 : 0;
            checksum += client.insert(sought) ? 1 : 0;
        }
    }

    private void scanFirst() {
        for (int order = 0; order < orders; order++) {
            for (int prefix = 0; prefix < PREFIXES; prefix++) {
                cursor.ascendFrom(key(prefix, 0));
                checksum += cursor.next() ? cursor.word(key.length - 1) : 0;
            }
        }
    }

    private void deleteAll(int first) {
        for (int order = 0; order < orders; order++) {
            for (int prefix = 0; prefix < PREFIXES; prefix++) {
                checksum += client.delete(key(prefix, first + order)) ? 1 : 0;
            }
        }
    }
}
