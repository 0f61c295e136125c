package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.namdb.compute.DurableDatabases.contents;
import static org.namdb.compute.DurableDatabases.put;
import static org.namdb.compute.DurableDatabases.things;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.ForwardingHost;
import org.namdb.fabric.disk.DiskFile;
import org.namdb.simulated.SimDisk;

/// Files that are not as they were written. A database is opened as it was, without what was never
/// finished at its end, or it is refused.
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DamagedJournalTest {
    private static final int BLOCK_BYTES = 4096;
    private static final int BLOCK_HEAD_BYTES = 40;
    private static final int FLIPS = Integer.getInteger("namdb.flips", 80);

    private final long seed = Long.getLong("namdb.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);

    DamagedJournalTest() {
        System.out.println("-Dnamdb.seed=" + seed);
    }

    private static Map<String, byte[]> files(SimDisk disk) {
        Map<String, byte[]> files = new TreeMap<>();
        for (String name : disk.list()) {
            DiskFile file = disk.open(name);
            byte[] bytes = new byte[(int) file.size()];
            file.read(0, ByteBuffer.wrap(bytes));
            files.put(name, bytes);
        }
        return files;
    }

    private static Map<String, Integer> sums(SimDisk disk) {
        Map<String, Integer> sums = new TreeMap<>();
        files(disk).forEach((name, bytes) -> sums.put(name, Arrays.hashCode(bytes)));
        return sums;
    }

    private static SimDisk disk(Map<String, byte[]> files) {
        SimDisk disk = new SimDisk();
        files.forEach((name, bytes) -> disk.open(name).write(0, ByteBuffer.wrap(bytes)));
        return disk;
    }

    private static int lastUsed(byte[] bytes) {
        int last = bytes.length - 1;
        while (last >= 0 && bytes[last] == 0) {
            last--;
        }
        return last;
    }

    /// Whose clock stands still: no block confirms what was forced, as 100 ms are never over.
    private static final class StoppedHost extends ForwardingHost {
        @Override
        public long nanoTime() {
            return 0;
        }
    }

    /// Every byte of the last commit, and of all that is behind it, is missing in turn.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theLastCommitIsCutAtEveryByte(boolean isShorter) {
        SimDisk disk = new SimDisk();
        String before;
        String after;
        Map<String, byte[]> earlier;
        Map<String, byte[]> later;
        try (NamDb db =
                NamDb.embedded(
                        EmbeddedOptions.DEFAULT
                                .withMemoryBytes(64 << 20)
                                .withHost(new StoppedHost())
                                .withJournal(DurableDatabases.journal(disk)))) {
            Table table = db.createTable(things("things").build());
            for (int id = 0; id < 5; id++) {
                put(db, table, id, id);
            }
            before = contents(db);
            earlier = files(disk);
            put(db, table, 5, 5);
            later = files(disk);
            after = contents(db);
        }
        String name = "journal-00000001";
        byte[] whole = later.get(name);
        int start = lastUsed(earlier.get(name)) + BLOCK_BYTES & -BLOCK_BYTES;
        int end = lastUsed(whole) + 1;
        assertThat(end).isGreaterThan(start);
        int seenBefore = 0;
        for (int cut = start; cut <= end; cut++) {
            byte[] bytes = new byte[isShorter ? cut : whole.length];
            System.arraycopy(whole, 0, bytes, 0, cut);
            Map<String, byte[]> files = new TreeMap<>(later);
            files.put(name, bytes);
            try (NamDb db = DurableDatabases.open(disk(files))) {
                String found = contents(db);
                if (cut < end && !isShorter) {
                    assertThat(found).as("cut at %d", cut).isEqualTo(before);
                    seenBefore++;
                } else {
                    assertThat(found).as("cut at %d", cut).isIn(before, after);
                }
            }
        }
        assertThat(isShorter || seenBefore > 0).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBitIsFlipped(boolean isClosed) throws InterruptedException {
        SimDisk disk = new SimDisk();
        JournalOptions journal =
                DurableDatabases.journal(disk)
                        .withBytes(
                                DurableDatabases.SEGMENT_BYTES, 3 * DurableDatabases.SEGMENT_BYTES);
        for (int generation = 0; generation < 2; generation++) {
            try (NamDb db = DurableDatabases.open(journal)) {
                if (generation == 0) {
                    db.createTable(things("things").build());
                }
                for (int id = 0; id < 300; id++) {
                    put(db, db.table("things"), id, generation);
                }
                awaitCheckpoint(disk);
            }
        }
        Map<String, byte[]> whole;
        String before;
        try (NamDb db = DurableDatabases.open(journal)) {
            for (int id = 0; id < 20; id++) {
                put(db, db.table("things"), id, 100);
            }
            before = contents(db);
            if (!isClosed) {
                awaitConfirmation(disk);
            }
            whole = files(disk);
        }
        whole = isClosed ? files(disk) : whole;
        List<String> names = new ArrayList<>(whole.keySet());
        Map<String, byte[]> written = whole;
        names.removeIf(name -> written.get(name).length == 0); // just made: there is no bit
        int refused = 0;
        for (int flip = 0; flip < FLIPS; flip++) {
            String name = names.get(random.nextInt(names.size()));
            byte[] bytes = whole.get(name).clone();
            int used = lastUsed(bytes) + 1;
            int at = random.nextInt(random.nextInt(4) == 0 ? bytes.length : Math.max(1, used));
            bytes[at] ^= (byte) (1 << random.nextInt(8));
            Map<String, byte[]> files = new TreeMap<>(whole);
            files.put(name, bytes);
            SimDisk flipped = disk(files);
            String found = open(flipped, name + " at " + at);
            if (found == null) {
                refused++;
                assertThat(sums(flipped))
                        .as("files of a database that is refused")
                        .isEqualTo(sums(disk(files)));
            } else {
                assertThat(found).as("bit flipped in %s at %d", name, at).isEqualTo(before);
            }
        }
        System.out.printf("%d of %d refused%n", refused, FLIPS);
        assertThat(refused).isPositive();
    }

    private static void awaitCheckpoint(SimDisk disk) throws InterruptedException {
        while (disk.list().stream().noneMatch(name -> name.startsWith("checkpoint"))) {
            Thread.sleep(5);
        }
    }

    /// Waits until the last block is one without entries, which confirms that all before it was
    /// forced.
    private static void awaitConfirmation(SimDisk disk) throws InterruptedException {
        int last;
        do {
            Thread.sleep(5); // the test's limit ends it
            last =
                    files(disk).entrySet().stream()
                            .filter(file -> file.getKey().startsWith("journal-"))
                            .mapToInt(file -> lastUsed(file.getValue()))
                            .filter(used -> used >= 0)
                            .reduce(-1, (_, newer) -> newer);
        } while (last % BLOCK_BYTES >= BLOCK_HEAD_BYTES);
    }

    private static @Nullable String open(SimDisk disk, String what) {
        try (NamDb db = DurableDatabases.open(disk)) {
            return contents(db);
        } catch (JournalException e) {
            assertThat(e.kind()).isEqualTo(JournalException.Kind.DAMAGED);
            assertThat(String.valueOf(e.getMessage()))
                    .as(what)
                    .containsPattern("journal-|checkpoint-|namdb|the disk");
            return null;
        }
    }

    @Test
    void aMissingFileIsNamed() {
        SimDisk disk = new SimDisk();
        try (NamDb db = DurableDatabases.open(disk)) {
            Table table = db.createTable(things("things").build());
            for (int id = 0; id < 400; id++) {
                put(db, table, id, id);
            }
        }
        assertThat(disk.list()).contains("journal-00000004");
        for (String name : List.of("journal-00000001", "journal-00000002")) {
            Map<String, byte[]> files = files(disk);
            files.remove(name);
            assertThatThrownBy(() -> DurableDatabases.open(disk(files)))
                    .isInstanceOf(JournalException.class)
                    .hasMessageContaining(name);
        }
    }

    @Test
    void whatIsNotADataDirectoryIsLeftAlone() {
        Map<String, byte[]> files = new TreeMap<>();
        files.put("letter.txt", new byte[] {1, 2, 3});
        SimDisk disk = disk(files);
        assertThatThrownBy(() -> DurableDatabases.open(disk))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("the disk is no data directory of NamDB")
                .hasMessageContaining("letter.txt");
        assertThat(sums(disk)).isEqualTo(sums(disk(files)));
    }

    @Test
    void aNewerFormatIsRefused() {
        SimDisk disk = new SimDisk();
        DurableDatabases.open(disk).close();
        Map<String, byte[]> files = files(disk);
        String identity = new String(files.get("namdb"), StandardCharsets.UTF_8);
        files.put(
                "namdb", identity.replace("format 1", "format 2").getBytes(StandardCharsets.UTF_8));
        SimDisk newer = disk(files);
        assertThatThrownBy(() -> DurableDatabases.open(newer))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("format 2")
                .hasMessageContaining("newer version of NamDB");
        assertThat(sums(newer)).isEqualTo(sums(disk(files)));
    }

    @Test
    void aJournalOfAnotherDatabaseIsRefused() {
        SimDisk one = new SimDisk();
        DurableDatabases.open(one).close();
        SimDisk other = new SimDisk();
        DurableDatabases.open(other).close();
        Map<String, byte[]> mixed = files(one);
        mixed.put("journal-00000001", files(other).get("journal-00000001"));
        SimDisk disk = disk(mixed);
        assertThatThrownBy(() -> DurableDatabases.open(disk))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("journal-00000001 is of another database");
        assertThat(sums(disk)).isEqualTo(sums(disk(mixed)));
    }
}
