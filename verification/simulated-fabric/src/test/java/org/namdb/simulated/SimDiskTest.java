package org.namdb.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskConformance;
import org.namdb.fabric.disk.DiskFile;

/// What a simulated disk loses in a crash.
class SimDiskTest extends DiskConformance {
    private static final int SECTORS = 40;

    @Override
    protected Disk disk() {
        return new SimDisk();
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
}
