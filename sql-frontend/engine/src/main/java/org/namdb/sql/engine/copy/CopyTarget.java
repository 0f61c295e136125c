package org.namdb.sql.engine.copy;

import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Where the data of COPY TO goes to.
@FunctionalInterface
public interface CopyTarget {
    /// What takes the rows.
    CopyOutput open(CopyFormat format);

    /// Characters: they have no binary format.
    static CopyTarget of(Writer out) {
        return format -> {
            if (format.isBinary()) {
                throw new SqlException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "COPY TO STDOUT in binary format needs a target of bytes, not of text");
            }
            return new CopyWriter(out, format);
        };
    }

    /// Bytes: text is in UTF-8. Each row is written at once.
    static CopyTarget of(OutputStream out) {
        return format ->
                format.isBinary()
                        ? new BinaryCopyWriter(out)
                        : new CopyWriter(new Utf8(out), format);
    }

    /// Text as bytes.
    final class Utf8 extends Writer {
        private final OutputStream out;

        private Utf8(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(char[] text, int from, int length) throws IOException {
            write(new String(text, from, length), 0, length);
        }

        @Override
        public void write(String text, int from, int length) throws IOException {
            out.write(text.substring(from, from + length).getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }
}
