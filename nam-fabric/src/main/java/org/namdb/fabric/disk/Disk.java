package org.namdb.fabric.disk;

import java.util.List;

/// A process's files. Names are plain: letters, digits, `.`, `-` and `_`, beginning with a letter
/// or a digit.
public interface Disk {
    /// The file that may be there for the sake of the [lock][#lock].
    String LOCK_FILE = "lock";

    /// What is written as a whole.
    int SECTOR_BYTES = 512;

    /// Opens a file; makes an empty one if there is none. A new name lasts only after
    /// [#forceNames], whatever was forced into the file.
    ///
    /// @throws DiskException if it can't be opened, or the name is not plain
    DiskFile open(String name);

    /// The same, past the operating system's cache where the disk can do that.
    ///
    /// @param unit a power of two: offsets and lengths of what is read and written are its
    ///     multiples, and so are addresses in memory ([ByteBuffer#alignedSlice(int)])
    /// @throws DiskException if it can't be opened, or the name is not plain
    default DiskFile openDirect(String name, int unit) {
        return open(name);
    }

    /// Removes a file that is not open. It may come back after a crash until [#forceNames].
    ///
    /// @throws DiskException if there is none, or it can't be removed
    void remove(String name);

    /// The names of all files, in order.
    ///
    /// @throws DiskException if they can't be read
    List<String> list();

    /// Waits until all names are as they are now after a crash.
    ///
    /// @throws DiskException if that fails; it is then unknown which names last
    void forceNames();

    /// Keeps all other processes, and other users in this one, from taking the same lock, until it
    /// is closed or the process ends.
    ///
    /// @throws DiskException if it is held, or can't be taken
    Lock lock();

    /// A disk that is taken.
    interface Lock extends AutoCloseable {
        @Override
        void close();
    }

    /// Refuses a name that is not plain.
    static void requirePlain(String name) {
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,99}")) {
            throw new DiskException("not a plain file name: '" + name + "'", null);
        }
    }
}
