package org.namdb.cache.scalestore;

import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskException;
import org.namdb.fabric.disk.DiskFile;

/// A node's file of pages: page after page, the first one unused. What it had before is gone when
/// it is opened. Thread-safe: each access uses a file handle of its own.
final class PageFile implements AutoCloseable {
    private static final String NAME = "namdb.pages";

    private final Disk disk;
    private final Disk.Lock lock;
    private final int pageBytes;
    private final ConcurrentLinkedQueue<Handle> idle = new ConcurrentLinkedQueue<>();
    private final AtomicLong end;
    private final int incarnation;
    private volatile boolean isClosed;

    private record Handle(DiskFile file, ByteBuffer buffer) {}

    /// @param incarnation of the file, other than the last ones'
    /// @throws DiskException if another process uses the directory, or the disk fails
    PageFile(Disk disk, int pageBytes, int incarnation) {
        this.disk = disk;
        this.pageBytes = pageBytes;
        this.incarnation = incarnation & 0xffff;
        this.end = new AtomicLong(pageBytes);
        this.lock = disk.lock();
        boolean isOpen = false;
        try {
            if (disk.list().contains(NAME)) {
                disk.remove(NAME);
            }
            isOpen = true;
        } finally {
            if (!isOpen) {
                lock.close();
            }
        }
    }

    int incarnation() {
        return incarnation;
    }

    /// The offset of a new page, which is not written yet.
    ///
    /// @throws DiskException if there are too many pages
    long allocate() {
        long offset = end.getAndAdd(pageBytes);
        if (offset > PageId.MAX_FILE_BYTES - pageBytes) {
            throw new DiskException("a file of pages has 1 TiB at the most", null);
        }
        return offset;
    }

    /// Whether a page was allocated here, since the file was opened.
    boolean has(long page) {
        long offset = PageId.offset(page);
        return PageId.incarnation(page) == incarnation
                && offset >= pageBytes
                && offset < end.get()
                && offset % pageBytes == 0;
    }

    /// How many bytes pages have got so far.
    long bytes() {
        return end.get() - pageBytes;
    }

    /// Reads the page at an offset; zeroes if it was never written.
    ///
    /// @throws DiskException if the disk fails
    byte[] read(long offset) {
        Handle handle = take();
        ByteBuffer buffer = handle.buffer.clear();
        int read = handle.file.read(offset, buffer);
        byte[] content = new byte[pageBytes];
        buffer.flip().get(content, 0, read);
        give(handle);
        return content;
    }

    /// Writes the page at an offset.
    ///
    /// @throws DiskException if the disk is full, or fails
    void write(long offset, byte[] content) {
        Handle handle = take();
        handle.file.write(offset, handle.buffer.clear().put(content).flip());
        give(handle);
    }

    private void give(Handle handle) {
        idle.add(handle);
        if (isClosed) {
            closeIdle();
        }
    }

    private Handle take() {
        if (isClosed) {
            throw new DiskException("the file of pages is closed", null);
        }
        Handle handle = idle.poll();
        if (handle != null) {
            return handle;
        }
        ByteBuffer buffer = ByteBuffer.allocateDirect(2 * pageBytes).alignedSlice(pageBytes);
        return new Handle(disk.openDirect(NAME, pageBytes), buffer.slice(0, pageBytes));
    }

    /// Nothing is read or written any more.
    @Override
    public void close() {
        isClosed = true;
        closeIdle();
        lock.close();
    }

    private void closeIdle() {
        for (Handle handle = idle.poll(); handle != null; handle = idle.poll()) {
            handle.file.close();
        }
    }
}
