package org.namdb.cache.frame;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.Threads;

/// Lines find their frames.
class FrameTableTest {
    private static final int BYTES = 64;

    private static long line(int number) {
        return RemoteAddress.of(1, (long) number * BYTES);
    }

    @Test
    void itIsAMapOfAsManyLinesAsThereAreFrames() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        int size = 37;
        Map<Long, Frame> model = new HashMap<>();
        try (FrameTable table = new FrameTable(size, BYTES)) {
            for (int step = 0; step < 20_000; step++) {
                long line = line(random.nextInt(60));
                Frame known = model.get(line);
                assertThat(table.find(line)).isSameAs(known);
                if (known == null) {
                    Frame inserted = table.insert(line);
                    assertThat(inserted == null).isEqualTo(model.size() == size);
                    if (inserted != null) {
                        assertThat(inserted.line()).isEqualTo(line);
                        model.put(line, inserted);
                        inserted.releaseExclusive();
                    }
                } else if (random.nextBoolean()) {
                    assertThat(table.insert(line)).isNull();
                    assertThat(known.tryExclusive()).isTrue();
                    table.remove(known);
                    model.remove(line);
                }
                assertThat(table.hasFree()).isEqualTo(model.size() < size);
            }
            assertThat(model.values()).doesNotHaveDuplicates();
        }
    }

    @Test
    void aFrameIsSharedOrExclusive() {
        try (FrameTable table = new FrameTable(1, BYTES)) {
            Frame frame = table.frame(0);
            assertThat(frame.tryShared()).as("without a line").isFalse();
            Frame[] victims = new Frame[2];
            assertThat(table.victims(victims)).isZero();
            assertThat(table.insert(line(5))).isSameAs(frame);
            assertThat(frame.tryShared()).isFalse();
            frame.downgrade();
            assertThat(frame.tryShared()).isTrue();
            assertThat(frame.tryExclusive()).isFalse();
            frame.releaseShared();
            frame.releaseShared();
            assertThat(frame.tryExclusive()).isTrue();
            assertThat(frame.tryExclusive()).isFalse();
            frame.releaseExclusive();
            assertThat(table.victims(victims)).isOne();
            assertThat(victims[0]).isSameAs(frame);
        }
    }

    @Test
    void theColdestFramesThatAreNotInUseAreEvicted() {
        int frames = 160;
        try (FrameTable table = new FrameTable(frames, BYTES)) {
            for (int i = 0; i < frames; i++) {
                Frame frame = Objects.requireNonNull(table.insert(line(i)));
                frame.releaseExclusive();
            }
            // Every eighth line is used at all times, and one is never free.
            Frame inUse = Objects.requireNonNull(table.find(line(1)));
            assertThat(inUse.tryShared()).isTrue();
            Frame[] victims = new Frame[16];
            useHot(table, frames);
            for (int next = frames; next < 4 * frames; ) {
                int count = table.victims(victims);
                assertThat(count).isEqualTo(victims.length);
                for (int i = 0; i < count; i++) {
                    assertThat(victims[i]).isNotSameAs(inUse);
                    assertThat(isHot(victims[i].line(), frames)).isFalse();
                    table.remove(victims[i]);
                    Frame frame = Objects.requireNonNull(table.insert(line(next++)));
                    frame.releaseExclusive();
                    useHot(table, frames);
                }
            }
        }
    }

    private static void useHot(FrameTable table, int frames) {
        for (int hot = 0; hot < frames; hot += 8) {
            table.used(Objects.requireNonNull(table.find(line(hot))));
        }
    }

    private static boolean isHot(long line, int frames) {
        for (int hot = 0; hot < frames; hot += 8) {
            if (line == line(hot)) {
                return true;
            }
        }
        return false;
    }

    @Test
    void dirtyBoundsCoverAllChangesInWords() {
        try (FrameTable table = new FrameTable(1, BYTES)) {
            Frame frame = table.frame(0);
            assertThat(frame.isDirty()).isFalse();
            frame.dirty(0, 1);
            assertThat(frame.dirtyFrom()).isZero();
            assertThat(frame.dirtyTo()).isEqualTo(8);
            frame.dirty(33, 40);
            assertThat(frame.dirtyFrom()).isZero();
            assertThat(frame.dirtyTo()).isEqualTo(40);
            frame.clean();
            frame.dirty(33, 41);
            assertThat(frame.dirtyFrom()).isEqualTo(32);
            assertThat(frame.dirtyTo()).isEqualTo(48);
        }
    }

    /// Each line's frame holds a word of that line alone, while others are inserted and removed.
    @Test
    void aLatchedFrameWithTheLineIsTheLinesOwn() throws Exception {
        try (FrameTable table = new FrameTable(8, BYTES)) {
            AtomicLong found = new AtomicLong();
            Threads.run(
                    4,
                    thread -> {
                        SplittableRandom random = new SplittableRandom(thread);
                        for (int i = 0; i < 20_000; i++) {
                            int number = random.nextInt(12);
                            Frame frame = table.find(line(number));
                            if (frame == null) {
                                frame = table.insert(line(number));
                                if (frame != null) {
                                    LocalMemory.putLong(frame.data(), number);
                                    frame.releaseExclusive();
                                }
                            } else if (random.nextInt(4) > 0 && frame.tryShared()) {
                                if (frame.line() == line(number)) {
                                    assertThat(LocalMemory.longAt(frame.data())).isEqualTo(number);
                                    found.incrementAndGet();
                                }
                                frame.releaseShared();
                            } else if (frame.tryExclusive()) {
                                if (frame.line() == line(number)) {
                                    LocalMemory.putLong(frame.data(), -1);
                                    table.remove(frame);
                                } else {
                                    frame.releaseExclusive();
                                }
                            }
                        }
                    });
            assertThat(found.get()).isPositive();
        }
    }
}
