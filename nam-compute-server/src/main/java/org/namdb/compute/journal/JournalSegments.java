package org.namdb.compute.journal;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskException;
import org.namdb.fabric.disk.DiskFile;

/// The files of a journal. A position is the number of a segment, and where in it: so segments may
/// be of different lengths.
final class JournalSegments {
    private static final String PREFIX = "journal-";
    private static final int CHUNK_BYTES = 1 << 20;

    /// A segment.
    ///
    /// @param bytes its length
    record Segment(int number, DiskFile file, int bytes) {
        long position(long offset) {
            return (long) number << 32 | offset;
        }
    }

    private JournalSegments() {}

    static String name(int number) {
        return String.format(Locale.ROOT, "%s%08d", PREFIX, number);
    }

    /// Which one a file is; -1 if it is none.
    static int number(String name) {
        return name.matches(PREFIX + "[0-9]{8}")
                ? Integer.parseInt(name, PREFIX.length(), name.length(), 10)
                : -1;
    }

    static int number(long position) {
        return (int) (position >>> 32);
    }

    static long offset(long position) {
        return position & 0xffff_ffffL;
    }

    /// Makes a segment of zeros, which is on the disk when this returns: later writes into it need
    /// no more space.
    ///
    /// @throws DiskException if that can't be; nothing is left of it
    static Segment prepare(Disk disk, int number, int bytes) {
        String name = name(number);
        DiskFile file = disk.open(name);
        boolean isDone = false;
        try {
            ByteBuffer zeros = ByteBuffer.allocateDirect(Math.min(bytes, CHUNK_BYTES));
            for (int at = 0; at < bytes; at += zeros.limit()) {
                zeros.clear().limit(Math.min(zeros.capacity(), bytes - at));
                file.write(at, zeros);
            }
            file.force();
            disk.forceNames();
            isDone = true;
            return new Segment(number, file, bytes);
        } finally {
            if (!isDone) {
                discard(disk, file, name);
            }
        }
    }

    /// Closes a file and removes it, as far as that can be done.
    static void discard(Disk disk, DiskFile file, String name) {
        try {
            file.close();
            disk.remove(name);
        } catch (DiskException e) {
            // The next process that uses the directory removes it.
        }
    }
}
