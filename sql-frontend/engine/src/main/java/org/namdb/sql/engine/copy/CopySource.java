package org.namdb.sql.engine.copy;

import java.io.FilterReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.BinaryParser;

/// Where the data of COPY FROM comes from.
@FunctionalInterface
public interface CopySource {
    /// The rows of the data.
    ///
    /// @param columns how many of them a row has
    CopyInput open(CopyFormat format, int columns);

    /// Characters: they have no binary format.
    static CopySource of(Reader data) {
        return (format, _) -> {
            if (format.isBinary()) {
                throw new SqlException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "COPY FROM STDIN in binary format needs bytes, not lines of text");
            }
            return new CopyReader(data, format);
        };
    }

    /// Bytes: text is in UTF-8.
    static CopySource of(InputStream data) {
        return (format, columns) ->
                format.isBinary()
                        ? new BinaryCopyReader(data, columns)
                        : new CopyReader(new Utf8(data), format);
    }

    /// Text of bytes; reading throws 22021 where they are none.
    final class Utf8 extends FilterReader {
        private Utf8(InputStream data) {
            super(new InputStreamReader(data, StandardCharsets.UTF_8.newDecoder()));
        }

        @Override
        public int read(char[] target, int from, int length) throws IOException {
            int count;
            try {
                count = super.read(target, from, length);
            } catch (CharacterCodingException e) {
                throw BinaryParser.invalidText().causedBy(e);
            }
            for (int i = from; i < from + count; i++) {
                if (target[i] == 0) {
                    throw BinaryParser.invalidText();
                }
            }
            return count;
        }
    }
}
