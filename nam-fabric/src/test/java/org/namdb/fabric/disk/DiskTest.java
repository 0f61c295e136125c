package org.namdb.fabric.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What every disk does, and what a simulated one loses in a crash.
class DiskTest {
    private static final int SECTORS = 40;
    private static final int IN_USE = 7;

    @TempDir private Path directory;

    private Disk disk(String kind) {
        return kind.equals("sim") ? new SimDisk() : new MachineDisk(directory.resolve("disk"));
    }

    private static ByteBuffer filled(int bytes, int value) {
        byte[] content = new byte[bytes];
        Arrays.fill(content, (byte) value);
        return ByteBuffer.wrap(content);
    }

    private static byte[] content(DiskFile file) {
        ByteBuffer all = ByteBuffer.allocate((int) file.size());
        assertThat((long) file.read(0, all)).isEqualTo(file.size());
        return all.array();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sim", "machine"})
    void whatIsWrittenIsRead(String kind) {
        Disk disk = disk(kind);
        try (DiskFile file = disk.open("journal-1")) {
            assertThat(file.size()).isZero();
            file.write(1000, filled(10, 1));
            file.write(0, filled(5, 2));
            file.force();
            assertThat(file.size()).isEqualTo(1010);
            ByteBuffer read = ByteBuffer.allocate(20);
            assertThat(file.read(995, read)).isEqualTo(15);
            assertThat(read.array())
                    .startsWith(0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
                    .endsWith(0, 0, 0, 0, 0);
            assertThat(file.read(1010, ByteBuffer.allocate(1))).isZero();
        }
        try (DiskFile again = disk.open("journal-1")) {
            assertThat(content(again)).startsWith(2, 2, 2, 2, 2, 0).hasSize(1010);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sim", "machine"})
    void filesAreListedAndRemoved(String kind) {
        Disk disk = disk(kind);
        Stream.of("b", "a", "c").forEach(name -> disk.open(name).close());
        disk.forceNames();
        assertThat(disk.list()).containsExactly("a", "b", "c");
        disk.remove("b");
        assertThat(disk.list()).containsExactly("a", "c");
        assertThatThrownBy(() -> disk.remove("b"))
                .isInstanceOf(DiskException.class)
                .hasMessageContaining("b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sim", "machine"})
    void aNameThatLeadsElsewhereIsRefused(String kind) {
        Disk disk = disk(kind);
        for (String name : new String[] {"", ".", "..", "../a", "a/b", "/a", "a\0", "-rf"}) {
            assertThatThrownBy(() -> disk.open(name))
                    .as("'%s'", name)
                    .isInstanceOf(DiskException.class)
                    .hasMessageContaining("plain");
        }
        assertThat(disk.list()).isEmpty();
    }

    @Test
    void aMachinesDiskOutlastsTheProcessThatWroteIt() {
        try (DiskFile file = disk("machine").open("a")) {
            file.write(0, filled(700, 3));
        }
        try (DiskFile file = disk("machine").open("a")) {
            assertThat(content(file)).hasSize(700).containsOnly(3);
        }
    }

    /// Each sector is as it was forced last, or as it was written since; and both happen.
    @Test
    void aCrashLosesUnforcedWritesSectorBySector() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        int bytes = SECTORS * Disk.SECTOR_BYTES;
        for (int round = 0; round < 20; round++) {
            SimDisk disk = new SimDisk();
            DiskFile file = disk.open("a");
            disk.forceNames();
            file.write(0, filled(bytes, 1));
            file.force();
            file.write(100, filled(bytes - 200, 2));
            disk.crash(random);
            byte[] left = content(disk.open("a"));
            assertThat(left).hasSize(bytes);
            int written = 0;
            for (int sector = 0; sector < SECTORS; sector++) {
                int from = sector * Disk.SECTOR_BYTES;
                boolean isNew = left[from + 200] == 2;
                written += isNew ? 1 : 0;
                for (int at = from; at < from + Disk.SECTOR_BYTES; at++) {
                    boolean isChanged = at >= 100 && at < bytes - 100;
                    assertThat(left[at]).isEqualTo((byte) (isNew && isChanged ? 2 : 1));
                }
            }
            assertThat(written).isBetween(1, SECTORS - 1);
        }
    }

    @Test
    void whatWasForcedIsThereAfterAnyNumberOfCrashes() {
        SplittableRandom random = new SplittableRandom(7);
        SimDisk disk = new SimDisk();
        DiskFile file = disk.open("a");
        file.write(0, filled(5000, 4));
        file.force();
        disk.forceNames();
        for (int crash = 0; crash < 10; crash++) {
            disk.crash(random);
            assertThat(content(disk.open("a"))).hasSize(5000).containsOnly(4);
        }
    }

    /// A file that grew without being forced has any of its new sectors, with zeros between them.
    @Test
    void afterACrashAFileMayEndInTheMiddleOfWhatWasAppended() {
        SplittableRandom random = new SplittableRandom(3);
        boolean[] isSeen = new boolean[4];
        for (int round = 0; round < 200; round++) {
            SimDisk disk = new SimDisk();
            DiskFile file = disk.open("a");
            disk.forceNames();
            file.write(0, filled(2 * Disk.SECTOR_BYTES, 5));
            disk.crash(random);
            byte[] left = content(disk.open("a"));
            int first = left.length > 0 && left[0] == 5 ? 1 : 0;
            int second = left.length == 2 * Disk.SECTOR_BYTES ? 2 : 0;
            isSeen[first + second] = true;
            assertThat(left.length).isIn(0, Disk.SECTOR_BYTES, 2 * Disk.SECTOR_BYTES);
        }
        assertThat(isSeen).containsOnly(true);
    }

    @Test
    void namesThatWereNotForcedMayBeGoneOrComeBack() {
        SplittableRandom random = new SplittableRandom(11);
        boolean[] isNewSeen = new boolean[2];
        boolean[] isOldSeen = new boolean[2];
        for (int round = 0; round < 50; round++) {
            SimDisk disk = new SimDisk();
            disk.open("old").force();
            disk.forceNames();
            disk.remove("old");
            disk.open("new").force();
            disk.crash(random);
            isNewSeen[disk.list().contains("new") ? 1 : 0] = true;
            isOldSeen[disk.list().contains("old") ? 1 : 0] = true;
        }
        assertThat(isNewSeen).containsOnly(true);
        assertThat(isOldSeen).containsOnly(true);
    }

    /// The operating system has what a killed process wrote, until the machine crashes.
    @Test
    void aKilledProcessLosesNothingAndTheCrashAfterItLosesWhatWasNotForced() {
        SplittableRandom random = new SplittableRandom(5);
        boolean[] isContentKept = new boolean[2];
        boolean[] isNameKept = new boolean[2];
        for (int round = 0; round < 50; round++) {
            SimDisk disk = new SimDisk();
            DiskFile file = disk.open("a");
            disk.forceNames();
            file.write(0, filled(Disk.SECTOR_BYTES, 6));
            disk.open("b").force();
            Disk.Lock _ = disk.lock();
            SimDisk killed = disk.killed();
            assertThat(killed.list()).containsExactly("a", "b");
            assertThat(content(killed.open("a"))).hasSize(Disk.SECTOR_BYTES).containsOnly(6);
            killed.lock().close();
            SimDisk forced = killed.killed();
            killed.crash(random);
            isContentKept[content(killed.open("a")).length > 0 ? 1 : 0] = true;
            isNameKept[killed.list().contains("b") ? 1 : 0] = true;
            forced.open("a").force();
            forced.forceNames();
            forced.crash(random);
            assertThat(forced.list()).containsExactly("a", "b");
            assertThat(content(forced.open("a"))).hasSize(Disk.SECTOR_BYTES);
        }
        assertThat(isContentKept).containsOnly(true);
        assertThat(isNameKept).containsOnly(true);
    }

    /// After a crash, a directory that was made is only there if its parent was forced.
    @Test
    void theNamesOfNewDirectoriesAreForced() {
        Path shops = directory.resolve("shops");
        Path shop = shops.resolve("one").resolve("data");
        assertThat(MachineDisk.parentsToForce(shop))
                .startsWith(shops.resolve("one"), shops, directory);
        try (DiskFile file = new MachineDisk(shop).open("a")) {
            file.force();
        }
        assertThat(MachineDisk.parentsToForce(shop)).isEmpty();
        assertThat(MachineDisk.parentsToForce(shops.resolve("two"))).containsExactly(shops);
        Disk _ = new MachineDisk(shops.resolve("two"));
        assertThat(MachineDisk.parentsToForce(shops.resolve("two")))
                .as("of one that is empty")
                .containsExactly(shops);
    }

    /// The operating system releases all locks of a process on a file when that closes any channel
    /// to it.
    @Test
    void anAttemptToLockOnceMoreReleasesNothing() throws Exception {
        Disk disk = new MachineDisk(directory);
        Disk.Lock lock = disk.lock();
        assertThatThrownBy(disk::lock).hasMessageContaining("in use");
        Path link = Files.createSymbolicLink(directory.resolve("link"), directory);
        assertThatThrownBy(new MachineDisk(link)::lock).hasMessageContaining("in use");
        assertThat(lockInAnotherProcess()).as("exit status").isEqualTo(IN_USE);
        lock.close();
        disk.lock().close();
        assertThat(lockInAnotherProcess()).as("exit status").isZero();
    }

    private int lockInAnotherProcess() throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                OtherProcess.class.getName(),
                                directory.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    /// Locks a directory, and ends.
    static final class OtherProcess {
        private OtherProcess() {}

        public static void main(String[] arguments) {
            try {
                new MachineDisk(Path.of(arguments[0])).lock().close();
            } catch (DiskException e) {
                System.exit(IN_USE);
            }
        }
    }
}
