package org.namdb.fabric.disk;

import java.nio.ByteBuffer;

/// An open file. Used by one thread at a time.
public interface DiskFile extends AutoCloseable {
    /// How many bytes it has.
    ///
    /// @throws DiskException if the disk fails; so for all methods
    long size();

    /// Reads until `into` is full or the file ends.
    ///
    /// @return how many bytes were read
    int read(long offset, ByteBuffer into);

    /// Writes what remains in `from`. The file grows as it must; a gap is zeroed. After a crash
    /// each sector of it may be as before, until [#force].
    void write(long offset, ByteBuffer from);

    /// Waits until everything that was written is there after a crash.
    ///
    /// When this fails, what was written since the last time may be lost although it can still be
    /// read, and a retry proves nothing: the caller must stop.
    void force();

    @Override
    void close();
}
