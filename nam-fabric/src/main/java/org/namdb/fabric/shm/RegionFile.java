package org.namdb.fabric.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The file that a region is, and what tells it from all others: the same name may mean another one
/// on another machine, in another container, or after a restart.
///
/// @param machine the kernel that has the file, from its start to its end
/// @param device where the file is, as `stat` says
/// @param inode which one it is there
public record RegionFile(Path path, UUID machine, long device, long inode) {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /// What tells this file from all others.
    ///
    /// @return null where that can't be found out, so that no other process can map it
    static @Nullable RegionFile of(Path path) {
        try {
            UUID machine = UUID.fromString(Files.readString(BOOT_ID).strip());
            Map<String, Object> found = Files.readAttributes(path, "unix:dev,ino");
            return new RegionFile(path, machine, number(found, "dev"), number(found, "ino"));
        } catch (IOException | IllegalArgumentException | UnsupportedOperationException e) {
            return null; // another kind of operating system, or nothing of that name
        }
    }

    private static long number(Map<String, Object> attributes, String name) {
        return attributes.get(name) instanceof Number number ? number.longValue() : 0;
    }

    /// Whether its name means the same file in this process.
    public boolean isHere() {
        return equals(of(path));
    }

    /// Whether a process of this machine has it mapped now. Only the superuser can find that out
    /// about other users' processes.
    public boolean isMappedBy(long pid) {
        long major = device >>> 8 & 0xfff | device >>> 32 & ~0xfffL;
        long minor = device & 0xff | device >>> 12 & ~0xffL;
        String file = " %02x:%02x %d ".formatted(major, minor, inode);
        try (Stream<String> maps = Files.lines(Path.of("/proc/" + pid + "/maps"))) {
            return maps.anyMatch(line -> line.contains(file));
        } catch (IOException | UncheckedIOException e) {
            return false;
        }
    }
}
