package org.namdb.sql.shell;

import java.io.BufferedReader;
import java.io.FilterReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// Text files in UTF-8, without the byte order mark that some programs put at their beginning.
public final class TextFile {
    private static final char BYTE_ORDER_MARK = '\ufeff';

    private TextFile() {}

    /// Opens a file.
    ///
    /// @throws IOException if it can't be opened; reading throws one where the file is no text
    ///     in UTF-8
    public static BufferedReader open(Path file) throws IOException {
        return open(Files.newInputStream(file));
    }

    /// The same of a stream of bytes.
    static BufferedReader open(InputStream bytes) {
        return new BufferedReader(
                withoutMark(new InputStreamReader(bytes, StandardCharsets.UTF_8.newDecoder())));
    }

    /// The text of a stream without its mark.
    public static Reader withoutMark(Reader text) {
        return new WithoutMark(text);
    }

    private static final class WithoutMark extends FilterReader {
        private boolean isBegun;

        WithoutMark(Reader text) {
            super(text);
        }

        @Override
        public int read() throws IOException {
            int first = in.read();
            boolean isMark = !isBegun && first == BYTE_ORDER_MARK;
            isBegun = true;
            return isMark ? in.read() : first;
        }

        @Override
        public int read(char[] target, int offset, int length) throws IOException {
            if (isBegun || length == 0) {
                return in.read(target, offset, length);
            }
            int first = read();
            if (first < 0) {
                return -1;
            }
            target[offset] = (char) first;
            return 1;
        }
    }
}
