package org.namdb.fabric.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files in a directory of this machine.
class MachineDiskTest extends DiskConformance {
    private static final int IN_USE = 7;

    @TempDir private Path directory;

    @Override
    protected Disk disk() {
        return new MachineDisk(directory.resolve("disk"));
    }

    @Test
    void itOutlastsTheProcessThatWroteIt() {
        try (DiskFile file = disk().open("a")) {
            file.write(0, filled(700, 3));
        }
        try (DiskFile file = disk().open("a")) {
            assertThat(content(file)).hasSize(700).containsOnly(3);
        }
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
