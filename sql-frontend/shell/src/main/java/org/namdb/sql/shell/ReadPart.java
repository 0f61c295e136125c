package org.namdb.sql.shell;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/// How much of a file was read. One thread reads, and another may query the part.
final class ReadPart {
    private static final int ALL_PERCENT = 100;

    private volatile long size;
    private volatile long read;

    /// Opens the file.
    InputStream open(Path file) throws IOException {
        InputStream stream = Files.newInputStream(file);
        size = Files.size(file);
        return new FilterInputStream(stream) {
            @Override
            public int read() throws IOException {
                int one = super.read();
                count(one < 0 ? 0 : 1);
                return one;
            }

            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                int bytes = super.read(target, offset, length);
                count(Math.max(0, bytes));
                return bytes;
            }
        };
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread reads the file
    private void count(int bytes) {
        read += bytes;
    }

    /// How many percent were read; empty when that is all, or not known, as of a pipe.
    String text() {
        long bytes = read;
        return bytes < size ? bytes * ALL_PERCENT / size + " %" : "";
    }
}
