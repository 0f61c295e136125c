package org.namdb.compute.history;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The file of a history. Every thread that adds to it does so by a [HistoryWriter] of its own;
/// their lines are mixed, which the form allows, as every line stands for itself.
///
/// The first failure to write, a full disk for example, is kept and thrown by [#close]; what is
/// added after it is lost. So a run whose history can't be written goes on, and fails at its end.
public final class HistoryFile implements AutoCloseable {
    private final OutputStream output;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<HistoryWriter> writers = new ArrayList<>();
    private @Nullable IOException failure;
    private boolean isClosed;

    private HistoryFile(OutputStream output) {
        this.output = output;
    }

    /// Makes an empty file, in place of what it may have held.
    ///
    /// @throws IOException if that can't be
    public static HistoryFile create(Path path) throws IOException {
        return new HistoryFile(Files.newOutputStream(path));
    }

    /// A writer for one thread.
    public HistoryWriter writer() {
        HistoryWriter writer = new HistoryWriter(this);
        lock.lock();
        try {
            writers.add(writer);
        } finally {
            lock.unlock();
        }
        return writer;
    }

    /// How many transactions were added by all writers; exact when none of them is in use.
    public long transactions() {
        lock.lock();
        try {
            return writers.stream().mapToLong(HistoryWriter::transactions).sum();
        } finally {
            lock.unlock();
        }
    }

    /// Writes what the writers have buffered. None of them may be in use.
    public void flush() {
        lock.lock();
        try {
            writers.forEach(HistoryWriter::flush);
        } finally {
            lock.unlock();
        }
    }

    /// Writes what the writers have buffered, and closes the file. No writer may be in use any
    /// more.
    ///
    /// @throws IOException if anything could not be written, now or before
    @Override
    public void close() throws IOException {
        flush();
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            isClosed = true;
            try {
                output.close();
            } catch (IOException e) {
                fail(e);
            }
            if (failure != null) {
                throw failure;
            }
        } finally {
            lock.unlock();
        }
    }

    /// Appends whole lines.
    void append(byte[] lines, int length) {
        lock.lock();
        try {
            if (failure == null && !isClosed) {
                output.write(lines, 0, length);
            }
        } catch (IOException e) {
            fail(e);
        } finally {
            lock.unlock();
        }
    }

    private void fail(IOException e) {
        if (failure == null) {
            failure = e;
        }
    }
}
