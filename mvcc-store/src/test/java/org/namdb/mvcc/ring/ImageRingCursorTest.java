package org.namdb.mvcc.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.timestamp.CommitTimestamp;

/// A memory server takes each image that is whole, once, in the order of its slot, however large it
/// is; and none is overwritten before.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ImageRingCursorTest {
    private static final long SEED = Long.getLong("namdb.seed", 3);
    private static final int SLOTS = 3;
    private static final int SLOT = 1;
    private static final int RING_BYTES = 1024;
    private static final int HEAD_BYTES = 32;

    private final Fabric fabric = new ShmFabric(new ShmFabric.Options(false, 1 << 16, null));
    private final List<Region> regions =
            List.of(fabric.register(0, 1 << 20), fabric.register(1, 1 << 20));
    private final QueuePair queuePair = fabric.connect(regions);
    private final ImageRings rings =
            new ImageRings(SLOTS, RING_BYTES, RemoteAddress.of(0, 4096), RemoteAddress.of(1, 64));
    private final Arena arena = Arena.ofShared();
    private final SplittableRandom random = new SplittableRandom(SEED);
    private long timestamp = 41;

    @AfterEach
    void close() {
        queuePair.close();
        fabric.close();
        arena.close();
    }

    private record Image(long commitTimestamp, List<Long> words) {}

    private ImageRingCursor cursor(int copy) {
        int server = (SLOT + copy) % 2;
        return Arrays.stream(ImageRingCursor.of(arena, rings, server, fabric.memory(server), SLOTS))
                .filter(each -> each.slot() == SLOT)
                .findFirst()
                .orElseThrow();
    }

    private Image take(ImageRingCursor cursor, Deque<Image> expected) {
        if (!cursor.next()) {
            return null;
        }
        List<Long> words = new ArrayList<>();
        for (long at = 0; at < cursor.contentBytes(); at += 8) {
            words.add(LocalMemory.longAt(cursor.contents() + at));
        }
        Image next = expected.poll();
        assertThat(next).isNotNull();
        assertThat(words).isEqualTo(next.words);
        cursor.release();
        return next;
    }

    /// Both servers take images now and then, and whenever the session waits.
    @Test
    void eachIsTakenOnceInOrderWhateverItsLength() {
        System.out.println("-Dnamdb.seed=" + SEED);
        List<ImageRingCursor> cursors = List.of(cursor(0), cursor(1));
        List<Deque<Image>> expected = List.of(new ArrayDeque<>(), new ArrayDeque<>());
        int[] waits = new int[1];
        ImageRingWriter.Wait wait =
                state -> {
                    assertThat(state).isEqualTo(SpillState.WORKS);
                    int copy = waits[0]++ % 2;
                    Image _ = take(cursors.get(copy), expected.get(copy));
                };
        int images = 0;
        for (long owner = 1; owner <= 30; owner++) {
            ImageRingWriter writer = new ImageRingWriter(queuePair, rings, SLOT, owner << 40 | 7);
            writer.awaitSpills(wait);
            writer.awaitFormer();
            for (int i = random.nextInt(1, 80); i > 0; i--) {
                Image image = write(writer, random.nextInt(4) == 0 ? 400 : 40);
                if (image != null) {
                    expected.forEach(each -> each.add(image));
                    images++;
                }
                int copy = random.nextInt(6);
                if (copy < 2) {
                    while (take(cursors.get(copy), expected.get(copy)) != null) {
                        // as many as there are
                    }
                }
            }
        }
        for (int copy = 0; copy < 2; copy++) {
            while (take(cursors.get(copy), expected.get(copy)) != null) {
                // the rest
            }
            assertThat(expected.get(copy)).isEmpty();
        }
        assertThat(images).isGreaterThan(300);
        assertThat(waits[0]).as("waits").isGreaterThan(30);
    }

    /// @return null if the commit was rolled back behind the pieces of its image
    private Image write(ImageRingWriter writer, int mostWords) {
        int words = random.nextInt(4, mostWords);
        int bytes = 8 * words;
        List<Long> all = new ArrayList<>();
        long memory = arena.allocate(bytes, 8).address();
        for (int word = 0; word < words; word++) {
            long value = random.nextInt(3) == 0 ? 8L * random.nextInt(40) : random.nextLong();
            LocalMemory.putLong(memory + 8L * word, value);
            all.add(value);
        }
        long next = CommitTimestamp.of(SLOT, timestamp + 1);
        if (bytes > rings.maxContentBytes()) {
            writer.postPieces(next, memory + HEAD_BYTES, bytes - HEAD_BYTES);
            writer.reserveHead(HEAD_BYTES);
            if (random.nextInt(3) == 0) {
                return null;
            }
            writer.postHead(next, memory, HEAD_BYTES);
        } else {
            writer.reserve(bytes);
            LocalMemory.copy(memory, writer.prepare(bytes), bytes);
            writer.post(next, bytes);
        }
        queuePair.await();
        timestamp++;
        return new Image(next, all);
    }

    /// The server looks while the session writes.
    @Test
    void eachIsTakenOnceWhileOthersAreWritten() throws Exception {
        System.out.println("-Dnamdb.seed=" + SEED);
        AtomicBoolean isDone = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        int images = 1000;
        List<Thread> servers = new ArrayList<>();
        for (int copy = 0; copy < 2; copy++) {
            ImageRingCursor cursor = cursor(copy);
            servers.add(
                    Thread.ofPlatform()
                            .start(() -> {
                                try {
                                    takeAll(cursor, images, isDone);
                                } catch (Throwable e) {
                                    e.printStackTrace();
                                    failure.set(e);
                                }
                            }));
        }
        ImageRingWriter writer = new ImageRingWriter(queuePair, rings, SLOT, 7);
        writer.awaitSpills(state -> Thread.yield());
        long memory = arena.allocate(8 << 10, 8).address();
        for (int i = 0; i < images && failure.get() == null; i++) {
            int bytes = 8 * random.nextInt(4, random.nextInt(10) == 0 ? 300 : 60);
            for (int at = 0; at < bytes; at += 8) {
                LocalMemory.putLong(memory + at, (long) i << 32 | bytes);
            }
            long next = CommitTimestamp.of(SLOT, ++timestamp);
            if (bytes > rings.maxContentBytes()) {
                writer.postPieces(next, memory + HEAD_BYTES, bytes - HEAD_BYTES);
                writer.reserveHead(HEAD_BYTES);
                writer.postHead(next, memory, HEAD_BYTES);
            } else {
                writer.reserve(bytes);
                LocalMemory.copy(memory, writer.prepare(bytes), bytes);
                writer.post(next, bytes);
            }
            queuePair.await();
        }
        isDone.set(true);
        for (Thread server : servers) {
            server.join();
        }
        assertThat(failure.get()).isNull();
    }

    private static void takeAll(ImageRingCursor cursor, int images, AtomicBoolean isDone) {
        for (long next = 0; next < images; ) {
            boolean wasDone = isDone.get();
            if (!cursor.next()) {
                Thread.yield();
                assertThat(wasDone).as("image %d is there", next).isFalse();
                continue;
            }
            long word = next++ << 32 | cursor.contentBytes();
            for (long at = 0; at < cursor.contentBytes(); at += 8) {
                assertThat(LocalMemory.longAt(cursor.contents() + at)).isEqualTo(word);
            }
            cursor.release();
        }
    }
}
