package org.namdb.fabric.shm;

import java.io.IOException;
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
    private static final long REST_NANOS = 1_000_000;

    /// What the kernel says of a process.
    private record Stat(char state, long flags, long threads, long startTime) {
        static @Nullable Stat of(long pid) {
            try {
                String line = Files.readString(Path.of("/proc/" + pid + "/stat"));
                // Its name, in brackets, may have blanks and brackets in it.
                String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
                return new Stat(
                        field(fields, STATE).charAt(0),
                        Long.parseLong(field(fields, FLAGS)),
                        Long.parseLong(field(fields, THREADS)),
                        Long.parseLong(field(fields, START_TIME)));
            } catch (IOException e) {
                return null;
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

    /// The process of this number.
    ///
    /// @return null if there is none that has mapped the file, as far as this process can see
    public static @Nullable MappingProcess find(long pid, RegionFile file) {
        Stat stat = Stat.of(pid);
        return stat == null || !file.isMappedBy(pid)
                ? null
                : new MappingProcess(pid, stat.startTime());
    }

    /// Whether it changes nothing any more.
    public boolean hasEnded() {
        Stat stat = Stat.of(pid);
        return stat == null || stat.startTime() != startTime || stat.hasEnded();
    }

    /// Ends it, unless it has unmapped all of the files.
    ///
    /// @return whether it can't change anything in them any more
    public boolean end(List<RegionFile> files, long patienceNanos) {
        long start = Host.MACHINE.nanoTime();
        while (true) {
            boolean isMapped = files.stream().anyMatch(file -> file.isMappedBy(pid));
            Stat stat = Stat.of(pid); // after that: who is ending may have no memory any more
            if (stat == null || stat.startTime() != startTime || stat.hasEnded()) {
                return true;
            }
            if (!isMapped && !stat.isEnding()) {
                return true;
            }
            if (isMapped && !kill() || Host.MACHINE.nanoTime() - start > patienceNanos) {
                return false;
            }
            Host.MACHINE.sleep(REST_NANOS);
        }
    }

    private boolean kill() {
        Optional<ProcessHandle> handle = ProcessHandle.of(pid);
        try {
            handle.ifPresent(ProcessHandle::destroyForcibly);
            return true;
        } catch (IllegalStateException e) {
            return false; // it is this very process
        }
    }
}
