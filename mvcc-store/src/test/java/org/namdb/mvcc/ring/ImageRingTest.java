package org.namdb.mvcc.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.timestamp.CommitTimestamp;

/// What is read of a ring is the last image that was written to its end, or, if the last one was
/// not, an earlier one or none: never anything else.
class ImageRingTest {
    private static final long SEED = Long.getLong("namdb.seed", 3);
    private static final int SLOTS = 5;
    private static final int SLOT = 2;
    private static final int RING_BYTES = 2048;
    private static final long REGION_BYTES = 1 << 20;

    /// Smaller than a ring, so that it is read in pieces.
    private static final int LANDING_BYTES = 2048;

    private final Fabric fabric = new ShmFabric(new ShmFabric.Options(false, LANDING_BYTES, null));
    private final List<Region> regions =
            List.of(
                    fabric.register(0, REGION_BYTES),
                    fabric.register(1, REGION_BYTES),
                    fabric.register(2, REGION_BYTES));
    private final QueuePair queuePair = fabric.connect(regions);
    private final ImageRings rings =
            new ImageRings(
                    SLOTS,
                    RING_BYTES,
                    RemoteAddress.of(0, 4096),
                    RemoteAddress.of(1, 64),
                    RemoteAddress.of(2, 1 << 16));
    private final ImageRingReader reader = new ImageRingReader(queuePair, rings);
    private final SplittableRandom random = new SplittableRandom(SEED);
    private long timestamp = 41;

    @AfterEach
    void close() {
        queuePair.close();
        fabric.close();
    }

    private record Image(long commitTimestamp, List<Long> words) {}

    @Test
    void ringsLieOnTwoServersEachAndShareNoByte() {
        List<Long> all = new ArrayList<>();
        for (int slot = 0; slot < SLOTS; slot++) {
            for (int copy = 0; copy < ImageRings.COPIES; copy++) {
                long address = rings.address(slot, copy);
                assertThat(RemoteAddress.server(address)).isEqualTo((slot + copy) % 3);
                assertThat(rings.describe(address + RING_BYTES - 8))
                        .isEqualTo("copy %d of the image ring of slot %d".formatted(copy, slot));
                long first = rings.address(0, 0);
                long offset = RemoteAddress.offset(address) - RemoteAddress.offset(first);
                assertThat(Math.floorMod(offset, 64L)).isZero();
                all.add(address);
            }
        }
        all.sort(null);
        for (int i = 1; i < all.size(); i++) {
            assertThat(all.get(i) - all.get(i - 1)).isGreaterThanOrEqualTo(RING_BYTES);
        }
        long bytes = ImageRings.bytes(SLOTS, 3, RING_BYTES);
        assertThat(bytes).isEqualTo(4 * RING_BYTES);
        for (long address : all) {
            long base = rings.address(RemoteAddress.server(address), 0);
            assertThat(address + RING_BYTES).isLessThanOrEqualTo(base + bytes);
        }
        assertThat(rings.describe(RemoteAddress.of(0, 0))).isEmpty();
        assertThat(rings.describe(RemoteAddress.of(0, 4096 + bytes))).isEmpty();
    }

    @Test
    void oneMemoryServerIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ImageRings(4, RING_BYTES, RemoteAddress.of(0, 4096)))
                .withMessageContaining("two memory servers");
    }

    @Test
    void theLastImageIsFoundHoweverOftenTheRingHasTurned() {
        assertThat(reader.readLast(SLOT, 0)).isFalse();
        for (long owner = 1; owner <= 20; owner++) {
            ImageRingWriter writer = new ImageRingWriter(queuePair, rings, SLOT, owner);
            for (int i = random.nextInt(1, 60); i > 0; i--) {
                Image image = write(writer, random.nextInt(rings.maxContentBytes() / 8) / 3);
                for (int copy = 0; copy < ImageRings.COPIES; copy++) {
                    assertThat(read(copy)).isEqualTo(image);
                    assertThat(reader.owner()).isEqualTo(owner);
                }
            }
        }
        assertThat(reader.readLast(SLOT - 1, 0)).isFalse();
        assertThat(reader.readLast(SLOT + 1, 1)).isFalse();
    }

    @Test
    void theLargestImageFillsTheRing() {
        ImageRingWriter writer = new ImageRingWriter(queuePair, rings, SLOT, 9);
        for (int i = 0; i < 3; i++) {
            Image image = write(writer, rings.maxContentBytes() / 8);
            assertThat(read(0)).isEqualTo(image);
            assertThat(read(1)).isEqualTo(image);
        }
    }

    /// A former owner's images have other lengths, or the same.
    @Test
    void imagesOfAFormerOwnerAreNotTaken() {
        for (int words : new int[] {0, 1, 9, 10, 11, 30}) {
            ImageRingWriter former = new ImageRingWriter(queuePair, rings, SLOT, 7 + words);
            for (int i = 0; i < 5; i++) {
                write(former, 10);
            }
            timestamp += 100; // what a new owner goes on with
            ImageRingWriter writer = new ImageRingWriter(queuePair, rings, SLOT, 8 + words);
            Image image = write(writer, words);
            assertThat(read(0)).isEqualTo(image);
            // Even if the word behind it was not written.
            long end = rings.address(SLOT, 0) + 24 + 8L * words;
            queuePair.writeWord(end, 8 + 24 + 8 * 10);
            queuePair.await();
            assertThat(read(0)).isEqualTo(image);
        }
    }

    /// The last WRITE is cut behind each byte of it, wherever in the ring it is.
    @Test
    void anImageThatIsCutIsNotTaken() {
        System.out.println("-Dnamdb.seed=" + SEED);
        long ring = rings.address(SLOT, 1);
        ImageRingWriter writer = new ImageRingWriter(queuePair, rings, SLOT, 7);
        List<Image> written = new ArrayList<>();
        int wrapped = 0;
        for (int i = 0; i < 80; i++) {
            byte[] before = ringBytes(ring);
            written.add(write(writer, random.nextInt(40)));
            byte[] after = ringBytes(ring);
            int first = 0;
            while (before[first] == after[first]) {
                first++;
            }
            wrapped += first < 8 && i > 0 ? 1 : 0;
            int start = first & -8;
            int end = start + 24 + 8 * written.getLast().words.size();
            for (int cut = start; cut <= end + 8; cut++) {
                byte[] torn = before.clone();
                System.arraycopy(after, 0, torn, 0, cut);
                put(ring, torn);
                Image found = read(1);
                boolean isWhole = Arrays.equals(torn, 0, end, after, 0, end);
                if (isWhole) {
                    assertThat(found).as("cut at %d of %d", cut, end).isEqualTo(written.getLast());
                } else if (found != null) {
                    assertThat(written.subList(0, written.size() - 1)).contains(found);
                }
                if (!isWhole && start > 0) {
                    assertThat(found)
                            .as("cut at %d of %d", cut, end)
                            .isEqualTo(written.get(written.size() - 2));
                }
            }
            put(ring, after);
        }
        assertThat(wrapped).as("images at the ring's start").isGreaterThan(3);
    }

    @Test
    void anImageOfWhichABitIsFlippedIsNotTaken() {
        System.out.println("-Dnamdb.seed=" + SEED);
        long ring = rings.address(SLOT, 0);
        ImageRingWriter writer = new ImageRingWriter(queuePair, rings, SLOT, 7);
        List<Image> written = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            written.add(write(writer, random.nextInt(20)));
        }
        byte[] whole = ringBytes(ring);
        for (int bit = 0; bit < 8 * RING_BYTES; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            put(ring, flipped);
            Image found = read(0);
            if (found != null) {
                assertThat(written).as("bit %d", bit).contains(found);
            }
        }
    }

    /// What its owner has stored in an image that is gone must not be read as an image.
    @Test
    void theContentsOfAnEarlierLapAreNoImages() {
        ImageRings elsewhere =
                new ImageRings(
                        SLOTS,
                        RING_BYTES,
                        RemoteAddress.of(0, 1 << 18),
                        RemoteAddress.of(1, 1 << 18),
                        RemoteAddress.of(2, 1 << 18));
        ImageRingWriter forger = new ImageRingWriter(queuePair, elsewhere, SLOT, 7);
        long _ = forger.prepare(16);
        forger.post(CommitTimestamp.of(SLOT, 1 << 30), 16);
        queuePair.await();
        byte[] forged = ringBytes(elsewhere.address(SLOT, 0));
        ImageRingWriter writer = new ImageRingWriter(queuePair, rings, SLOT, 7);
        long contents = writer.prepare(1600);
        LocalMemory.zero(contents, 1600);
        LocalMemory.copyFrom(forged, 0, contents + 8 * 100, 24 + 16);
        post(writer, 1600);
        Image next = write(writer, 100); // the next lap's first image ends where that one begins
        assertThat(read(0)).isEqualTo(next);
        long end = rings.address(SLOT, 0) + 24 + 8 * 100;
        assertThat(queuePair.readWord(end)).isZero();
        assertThat(queuePair.readWord(end + 8)).isEqualTo(7);
    }

    @Test
    void anImageOfOneRingIsCompletedInTheOther() {
        ImageRingWriter writer = new ImageRingWriter(queuePair, rings, SLOT, 7);
        write(writer, 20);
        byte[] before = ringBytes(rings.address(SLOT, 1));
        Image image = write(writer, 50);
        byte[] after = ringBytes(rings.address(SLOT, 1));
        byte[] torn = after.clone();
        System.arraycopy(before, 400, torn, 400, torn.length - 400);
        put(rings.address(SLOT, 1), torn);
        assertThat(read(1)).isNotEqualTo(image);
        assertThat(read(0)).isEqualTo(image);
        reader.postTo(SLOT, 1);
        queuePair.await();
        assertThat(read(1)).isEqualTo(image);
        assertThat(ringBytes(rings.address(SLOT, 1))).isEqualTo(after);
    }

    private Image write(ImageRingWriter writer, int words) {
        long contents = writer.prepare(8 * words);
        List<Long> all = new ArrayList<>();
        for (int word = 0; word < words; word++) {
            long value = random.nextInt(3) == 0 ? 8L * random.nextInt(40) : random.nextLong();
            LocalMemory.putLong(contents + 8L * word, value);
            all.add(value);
        }
        return new Image(post(writer, 8 * words), all);
    }

    private long post(ImageRingWriter writer, int bytes) {
        timestamp += random.nextInt(1, 3);
        long commitTimestamp = CommitTimestamp.of(SLOT, timestamp);
        writer.post(commitTimestamp, bytes);
        queuePair.await();
        return commitTimestamp;
    }

    private Image read(int copy) {
        if (!reader.readLast(SLOT, copy)) {
            return null;
        }
        List<Long> words = new ArrayList<>();
        for (int at = 0; at < reader.contentBytes(); at += 8) {
            words.add(LocalMemory.longAt(reader.contents() + at));
        }
        return new Image(reader.commitTimestamp(), words);
    }

    private byte[] ringBytes(long ring) {
        byte[] bytes = new byte[RING_BYTES];
        LocalMemory.copyTo(local(ring), bytes, 0, RING_BYTES);
        return bytes;
    }

    private void put(long ring, byte[] bytes) {
        LocalMemory.copyFrom(bytes, 0, local(ring), RING_BYTES);
    }

    /// The regions are memory of this process.
    private long local(long ring) {
        return fabric.memory(RemoteAddress.server(ring)) + RemoteAddress.offset(ring);
    }
}
