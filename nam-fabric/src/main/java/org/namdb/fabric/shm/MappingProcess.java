package org.namdb.fabric.shm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Host;

/// A process of this machine that has mapped regions of another one's. Its verbs go past that one,
/// which can't refuse them: to fence it is to end it.
///
/// @param startTime in ticks since the machine was started: numbers of processes come again
public record MappingProcess(long pid, long startTime) {
    private static final int FIELDS_BEFORE_STATE = 2;
    private static final int STATE = 3;
    private static final int FLAGS = 9;
    private static final int THREADS = 20;
    private static final int START_TIME = 22;
    private static final long PF_EXITING = 4;

    /// The first process can't be ended from within its namespace.
    private static final long INIT = 1;

    private static final long REST_NANOS = 1_000_000;

    /// The kernel's status of a process.
    private record Stat(char state, long flags, long threads, long startTime) {
        /// @return null if there is no such process
        /// @throws IOException if that can't be found out
        static @Nullable Stat of(long pid) throws IOException {
            Path process = Path.of("/proc/" + pid);
            try {
                // Its name is bytes, of whatever encoding.
                String line =
                        Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
                // Its name, in brackets, may have blanks and brackets in it.
                String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
                return new Stat(
                        field(fields, STATE).charAt(0),
                        Long.parseLong(field(fields, FLAGS)),
                        Long.parseLong(field(fields, THREADS)),
                        Long.parseLong(field(fields, START_TIME)));
            } catch (IOException e) {
                if (Files.notExists(process)) {
                    return null;
                }
                throw e;
            }
        }

        private static String field(String[] fields, int number) {
            return fields[number - FIELDS_BEFORE_STATE - 1];
        }

        /// The first thread may be gone before the others.
        boolean hasEnded() {
            return (state == 'Z' || state == 'X') && threads <= 1;
        }

        boolean isEnding() {
            return state == 'Z' || state == 'X' || (flags & PF_EXITING) != 0;
        }
    }

    /// The numbers of processes that this process sees, as a number: elsewhere, the same number is
    /// another process.
    ///
    /// @return 0 if that can't be found out
    public static long namespace() {
        try {
            Object inode = Files.getAttribute(Path.of("/proc/self/ns/pid"), "unix:ino");
            return inode instanceof Number number ? number.longValue() : 0;
        } catch (IOException | IllegalArgumentException | UnsupportedOperationException e) {
            return 0;
        }
    }

    /// The process of this number.
    ///
    /// @param namespace of the number, as that process has reported it
    /// @return null if there is none that has mapped the file and could be ended, as far as this
    ///     process can see
    public static @Nullable MappingProcess find(long pid, long namespace, RegionFile file) {
        if (pid <= INIT || namespace == 0 || namespace != namespace()) {
            return null;
        }
        try {
            Stat stat = Stat.of(pid);
            return stat == null || !file.isMappedBy(pid)
                    ? null
                    : new MappingProcess(pid, stat.startTime());
        } catch (IOException e) {
            return null;
        }
    }

    /// Whether it surely changes nothing any more.
    public boolean hasEnded() {
        try {
            Stat stat = Stat.of(pid);
            return stat == null || stat.startTime() != startTime || stat.hasEnded();
        } catch (IOException e) {
            return false;
        }
    }

    /// Ends it, unless it has unmapped all of the files.
    ///
    /// @return whether it surely can't change anything in them any more
    public boolean end(List<RegionFile> files, long timeoutNanos) {
        long start = Host.MACHINE.nanoTime();
        while (true) {
            // Before the check: the file descriptor is never a later process of that number.
            Optional<ProcessHandle> handle = ProcessHandle.of(pid);
            try {
                if (canChangeNothing(files)) {
                    return true;
                }
                handle.ifPresent(ProcessHandle::destroyForcibly);
            } catch (IOException e) {
                // Unknown: once more.
            } catch (IllegalStateException e) {
                return false; // it is this very process
            }
            if (Host.MACHINE.nanoTime() - start > timeoutNanos) {
                return false;
            }
            Host.MACHINE.sleep(REST_NANOS);
        }
    }

    private boolean canChangeNothing(List<RegionFile> files) throws IOException {
        boolean mayBeMapped = files.stream().anyMatch(file -> file.mayBeMappedBy(pid));
        Stat stat = Stat.of(pid); // after that: an ending process may have no memory any more
        return stat == null
                || stat.startTime() != startTime
                || stat.hasEnded()
                || (!mayBeMapped && !stat.isEnding());
    }
}
