package org.namdb.sql.shell;

import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/// The data of a `COPY .. TO STDOUT` in the binary format, as [DataWriter] is that of text.
final class DataStream extends FilterOutputStream {
    private @Nullable IOException lost;

    DataStream(OutputStream results) {
        super(new BufferedOutputStream(results));
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            out.write(bytes, offset, length);
        } catch (IOException e) {
            lost = e;
            throw e;
        }
    }

    @Override
    public void flush() throws IOException {
        try {
            out.flush();
        } catch (IOException e) {
            lost = e;
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        flush(); // more results follow
    }

    /// Why data was lost; null if none was.
    @Nullable IOException lost() {
        return lost;
    }
}
