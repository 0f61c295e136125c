package org.namdb.fabric.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The size of the pages of this process's memory. Wherever a region is mapped, huge ones are
/// requested, and the kernel grants what its settings allow: that is visible only afterwards.
public final class MemoryPages {
    /// A small page of the processors that NamDB runs on.
    public static final long SMALL_BYTES = 4L << 10;

    private static final Path MAPPINGS = Path.of("/proc/self/smaps");

    /// Fields of a mapping with what of it is in transparent huge pages: of memory without a file,
    /// of a memory file system, of another file system.
    private static final List<String> TRANSPARENT_HUGE =
            List.of("AnonHugePages:", "ShmemPmdMapped:", "FilePmdMapped:");

    private static final long HUGE_BYTES = 2L << 20;

    private MemoryPages() {}

    /// The size of the pages around an address, in bytes: huge if any page of its mapping is that
    /// has been touched yet. As little as [#SMALL_BYTES] where that can't be found out.
    ///
    /// @param address a native address
    public static long bytesAt(long address) {
        try {
            return bytesAt(Files.readAllLines(MAPPINGS), address);
        } catch (IOException e) {
            return SMALL_BYTES; // another kind of operating system
        }
    }

    /// @param mappings the lines of `/proc/PID/smaps`: for each mapping one with its addresses, and
    ///     then its fields
    static long bytesAt(List<String> mappings, long address) {
        long bytes = SMALL_BYTES;
        boolean isInside = false;
        for (String line : mappings) {
            int dash = line.indexOf('-');
            int space = line.indexOf(' ');
            if (dash > 0 && dash < space && line.charAt(space - 1) != ':') {
                long start = Long.parseUnsignedLong(line, 0, dash, 16);
                long end = Long.parseUnsignedLong(line, dash + 1, space, 16);
                isInside = address >= start && address < end;
            } else if (isInside) {
                bytes = Math.max(bytes, bytesIn(line));
            }
        }
        return bytes;
    }

    private static long bytesIn(String field) {
        String[] words = field.split(" +", -1);
        if (words.length < 3 || !words[2].equals("kB")) {
            return 0;
        }
        long bytes = Long.parseLong(words[1]) << 10;
        if (words[0].equals("KernelPageSize:")) {
            return bytes;
        }
        return TRANSPARENT_HUGE.contains(words[0]) && bytes > 0 ? HUGE_BYTES : 0;
    }
}
