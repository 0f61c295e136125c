package org.namdb.sql.engine.copy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;

/// The files that COPY may name in a session. A session whose statements come from elsewhere has
/// none: the right to send SQL is not the right to open any path on the machine that runs it. A
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

    /// Opens a file to read its rows in the binary format.
    ///
    /// @throws java.nio.file.NoSuchFileException if there is none
    /// @throws IOException if it can't be read; so may the stream
    InputStream openBinary(String name) throws IOException;

    /// Makes a file for rows in the binary format, in place of one that is there.
    ///
    /// @throws java.nio.file.NoSuchFileException if there is no such directory
    /// @throws IOException if it can't be written; so may the stream
    OutputStream createBinary(String name) throws IOException;
}
