package org.namdb.sql.engine.copy;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;

/// The files that COPY may name in a session. Where statements come from elsewhere, a session has
/// none: whoever may send SQL may not, by that alone, open any path of the machine that runs it. A
/// shell in the user's own process gives its sessions the user's files.
public interface CopyFiles {
    /// Opens a file to read its rows.
    ///
    /// @throws java.nio.file.NoSuchFileException if there is none
    /// @throws IOException if it can't be read; so may the reader
    Reader open(String name) throws IOException;

    /// Makes a file for rows, in place of one that is there.
    ///
    /// @throws java.nio.file.NoSuchFileException if there is no such directory
    /// @throws IOException if it can't be written; so may the writer
    Writer create(String name) throws IOException;
}
