package org.namdb.sql.engine.spill;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The temporary files of one statement. A file's name is removed as soon as the file is open, so
/// that the operating system frees it when it is closed, and also when the process dies.
///
/// Belongs to the session's thread. The files are not channels: an interrupt would close those.
public final class TemporaryFiles {
    private static final String PREFIX = "namdb-";
    private static final String SUFFIX = ".tmp";

    private final Path directory;
    private final long maxBytes;
    private long usedBytes;

    /// @param directory where the files are made
    /// @param maxBytes the most that all files of the statement may hold together
    public TemporaryFiles(Path directory, long maxBytes) {
        this.directory = directory;
        this.maxBytes = maxBytes;
    }

    /// Makes a file that has no name any more.
    ///
    /// @throws SqlException 58030 or 53100 if the operating system refuses it
    RandomAccessFile create() {
        try {
            File file = Files.createTempFile(directory, PREFIX, SUFFIX).toFile();
            try {
                return new RandomAccessFile(file, "rw");
            } finally {
                Files.delete(file.toPath());
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /// Counts bytes that are about to be written.
    ///
    /// @throws SqlException 53400 if that is more than temp_file_limit
    void take(long bytes) {
        if (bytes > maxBytes - usedBytes) {
            throw new SqlException(
                            SqlState.CONFIGURATION_LIMIT_EXCEEDED,
                            "temporary file size exceeds temp_file_limit (%dkB)"
                                    .formatted(maxBytes >> 10))
                    .withHint(
                            "Raise temp_file_limit or work_mem, or let the query keep fewer rows.");
        }
        usedBytes += bytes;
    }

    /// Counts the bytes of a file that is closed.
    void release(long bytes) {
        usedBytes -= bytes;
    }

    /// What is thrown when a temporary file can't be made, written or read.
    SqlException failed(IOException e) {
        String reason = String.valueOf(e.getMessage());
        boolean isFull = reason.contains("No space left") || reason.contains("quota");
        return new SqlException(
                        isFull ? SqlState.DISK_FULL : SqlState.IO_ERROR,
                        "could not use a temporary file in %s: %s".formatted(directory, reason))
                .withHint(
                        isFull
                                ? "Free space there, or raise work_mem so that less is spilled."
                                : "The directory is that of SHOW temp_directory; it must exist and be writable.")
                .causedBy(e);
    }
}
