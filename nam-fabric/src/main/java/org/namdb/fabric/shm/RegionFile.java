package org.namdb.fabric.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The file of a region, and its identity: the same name may be another file on another machine, in
/// another container, or after a restart.
///
/// @param machine the kernel that has the file, from its start to its end
/// @param device where the file is, by `stat`
/// @param inode which one it is there
public record RegionFile(Path path, UUID machine, long device, long inode) {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /// This file's identity.
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

    /// Whether its name is the same file in this process.
    public boolean isHere() {
        return equals(of(path));
    }

    /// Whether a process of this machine surely has it mapped now. Only the superuser can find that
    /// out about other users' processes.
    public boolean isMappedBy(long pid) {
        return check(pid) == Mapped.YES;
    }

    /// Whether a process of this machine has it mapped now, or it can't be found out.
    boolean mayBeMappedBy(long pid) {
        return check(pid) != Mapped.NO;
    }

    private enum Mapped {
        YES,
        NO,
        UNKNOWN
    }

    private Mapped check(long pid) {
        long major = device >>> 8 & 0xfff | device >>> 32 & ~0xfffL;
        long minor = device & 0xff | device >>> 12 & ~0xffL;
        String file = " %02x:%02x %d ".formatted(major, minor, inode);
        Path process = Path.of("/proc/" + pid);
        // Names of files are bytes, of whatever encoding.
        try (Stream<String> maps =
                Files.lines(process.resolve("maps"), StandardCharsets.ISO_8859_1)) {
            return maps.anyMatch(line -> line.contains(file)) ? Mapped.YES : Mapped.NO;
        } catch (IOException | UncheckedIOException e) {
            return Files.notExists(process) ? Mapped.NO : Mapped.UNKNOWN;
        }
    }
}
