package org.namdb.simulation;

import java.util.function.Consumer;

/// One thread's way to read and change lines, coherently with all others.
interface LineClient extends AutoCloseable {
    /// Reads a line.
    void read(long line, long[] into);

    /// Changes words of a line.
    ///
    /// @param words gets all words, and changes those from `from` to `to`, which are given before,
    ///     and no others
    void change(long line, int from, int to, Consumer<long[]> words);

    @Override
    void close();
}
