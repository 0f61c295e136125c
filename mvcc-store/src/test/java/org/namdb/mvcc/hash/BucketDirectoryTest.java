package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.BumpAllocator;
import org.namdb.mvcc.hash.SplitFixture.Client;

/// What a process caches of the parts of split buckets.
class BucketDirectoryTest {
    private static final int GROUPS = 60;
    private static final long SEED = Long.getLong("namdb.seed", 1);
    private static final int ROOTS = 3;
    private static final int PARTS = 600;
    private static final int DEPTH = 12;
    private static final int THREADS = 4;

    /// ```
    /// y   READs the head: the word of level 1, which is null
    /// x   adds level 1, and caches it
    /// y   READs the head: the depth, which counts level 1; takes both
    /// ```
    @Test
    void aHeadThatIsReadWhileALevelIsAddedTakesNoKnownLevelAway() {
        try (SplitFixture fixture = new SplitFixture(false, true)) {
            for (int group = 0; group < GROUPS; group++) {
                fixture.split(group);
            }
            Client client = fixture.new Client();
            QueuePair queuePair = client.queuePair;
            BucketDirectory directory = client.table.directory(0);
            directory.readHead(queuePair);
            long before = directory.place(queuePair, 1, 3);
            assertThat(RemoteAddress.isNull(before)).isFalse();
            long word = client.table.head(0) + TableHead.levelOffset(1);
            long level = queuePair.readWord(word);
            queuePair.writeWord(word, RemoteAddress.NULL);
            queuePair.await();
            directory.readHead(queuePair);
            queuePair.writeWord(word, level);
            queuePair.await();
            assertThat(directory.place(queuePair, 1, 3)).isEqualTo(before);
        }
    }

    /// Deep parts are met before those that they were split off from, and entries are made anew
    /// meanwhile; most parts have the same low bits, so they are deeper than entries tell.
    @Test
    void theDeepestPartThatIsKnownIsFoundInWhateverOrderPartsAreMet() {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        try (SplitFixture fixture = new SplitFixture(false, true)) {
            QueuePair queuePair = fixture.new Client().queuePair;
            BucketDirectory directory = emptyDirectory(queuePair, fixture.memory);
            List<Part> met = new ArrayList<>();
            for (Part part : parts(random)) {
                directory.learn(queuePair, part.root, part.address, part.growth());
                met.add(part);
                check(directory, met, random, 20);
            }
            check(directory, met, random, 5_000);
            assertThat(directory.parts()).isEqualTo(PARTS);
        }
    }

    @Test
    void partsThatSeveralThreadsMeetAreAllFound() throws InterruptedException {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        try (SplitFixture fixture = new SplitFixture(false, true)) {
            BucketDirectory directory =
                    emptyDirectory(fixture.new Client().queuePair, fixture.memory);
            List<Part> parts = parts(random);
            List<Thread> threads = new ArrayList<>();
            CyclicBarrier start = new CyclicBarrier(THREADS);
            for (int thread = 0; thread < THREADS; thread++) {
                QueuePair queuePair = fixture.new Client().queuePair;
                int first = thread;
                threads.add(
                        Thread.ofPlatform()
                                .start(() -> {
                                    await(start);
                                    for (int i = first; i < PARTS; i += THREADS) {
                                        Part part = parts.get(i);
                                        directory.learn(
                                                queuePair, part.root, part.address, part.growth());
                                    }
                                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            check(directory, parts, random, 5_000);
            assertThat(directory.parts()).isEqualTo(PARTS);
        }
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new AssertionError(e);
        }
    }

    private record Part(long root, long number, int depth, long address) {
        long growth() {
            return BucketLayout.growth(depth, number);
        }
    }

    /// A directory whose levels are all there, and all null.
    private static BucketDirectory emptyDirectory(QueuePair queuePair, BumpAllocator memory) {
        long head = memory.allocate(0, TableHead.BYTES);
        queuePair.writeWord(head + TableHead.DEPTH_OFFSET, DEPTH);
        for (int level = 0; level < DEPTH; level++) {
            long address = memory.allocate(0, Long.BYTES * (int) TableHead.words(level, ROOTS));
            queuePair.writeWord(head + TableHead.levelOffset(level), address);
        }
        queuePair.await();
        return new BucketDirectory(head, ROOTS);
    }

    /// Splits buckets at random, those of the first root most often, and there those whose numbers
    /// are small. In a random order.
    private static List<Part> parts(Random random) {
        List<Part> buckets = new ArrayList<>();
        List<Part> parts = new ArrayList<>();
        for (int root = 0; root < ROOTS; root++) {
            buckets.add(new Part(root, 0, 0, RemoteAddress.NULL));
        }
        while (parts.size() < PARTS) {
            int chosen = random.nextInt(random.nextBoolean() ? buckets.size() : 2);
            Part bucket = buckets.get(chosen);
            if (bucket.depth < DEPTH) {
                int depth = bucket.depth + 1;
                long address = RemoteAddress.of(0, 64L * (parts.size() + 1));
                long number = bucket.number + (1L << bucket.depth);
                Part part = new Part(bucket.root, number, depth, address);
                buckets.set(chosen, new Part(bucket.root, bucket.number, depth, bucket.address));
                buckets.add(part);
                parts.add(part);
            }
        }
        Collections.shuffle(parts, random);
        return parts;
    }

    private static void check(
            BucketDirectory directory, List<Part> met, Random random, int hashes) {
        for (int i = 0; i < hashes; i++) {
            long root = random.nextInt(ROOTS);
            long hash = random.nextBoolean() ? random.nextLong() : random.nextLong() << 6;
            Part deepest = new Part(root, 0, 0, RemoteAddress.NULL);
            for (Part part : met) {
                boolean isFor = (hash & (1L << part.depth) - 1) == part.number;
                if (part.root == root && isFor && part.depth > deepest.depth) {
                    deepest = part;
                }
            }
            assertThat(directory.find(root, hash))
                    .as("root %d, hash %x, parts %d", root, hash, met.size())
                    .isEqualTo(deepest.address);
        }
    }
}
