package org.namdb.sql.shell.local;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.namdb.sql.engine.copy.CopyFiles;
import org.namdb.sql.shell.TextFile;

/// The files of this machine, in UTF-8: a user of the shell here may open them anyway.
final class LocalFiles implements CopyFiles {
    @Override
    public Reader open(String name) throws IOException {
        return TextFile.open(Path.of(name));
    }

    @Override
    public Writer create(String name) throws IOException {
        return Files.newBufferedWriter(Path.of(name), StandardCharsets.UTF_8);
    }

    @Override
    public InputStream openBinary(String name) throws IOException {
        return Files.newInputStream(Path.of(name));
    }

    @Override
    public OutputStream createBinary(String name) throws IOException {
        return new BufferedOutputStream(Files.newOutputStream(Path.of(name)));
    }
}
