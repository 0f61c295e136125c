package org.namdb.sql.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// What a client sends for COPY FROM STDIN, as text. It is requested of the client when the first
/// character is read.
final class CopyInReader extends Reader {
    private final MessageReader in;
    private final Reader text;
    private final Ask ask;
    private boolean isAsked;
    private boolean isEnded;
    private @Nullable IOException failure;

    /// Requests the data of the client.
    interface Ask {
        void send() throws IOException;
    }

    CopyInReader(MessageReader in, Ask ask) {
        this.in = in;
        this.ask = ask;
        this.text =
                new InputStreamReader(
                        new Data(),
                        StandardCharsets.UTF_8
                                .newDecoder()
                                .onMalformedInput(CodingErrorAction.REPORT)
                                .onUnmappableCharacter(CodingErrorAction.REPORT));
    }

    /// Why the client can't be read from any more; null if it can.
    @Nullable IOException failure() {
        return failure;
    }

    @Override
    public int read(char[] target, int from, int length) throws IOException {
        int count;
        try {
            count = text.read(target, from, length);
        } catch (CharacterCodingException e) {
            throw MessageReader.invalidText();
        } catch (IOException e) {
            failure = e;
            throw e;
        }
        for (int i = from; i < from + count; i++) {
            if (target[i] == 0) {
                throw MessageReader.invalidText();
            }
        }
        return count;
    }

    @Override
    public void close() {
        isEnded = true;
    }

    /// The bodies of CopyData messages, one after the other.
    private final class Data extends InputStream {
        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int from, int length) throws IOException {
            if (!isAsked) {
                isAsked = true;
                ask.send();
                nextMessage();
            }
            while (!isEnded && in.remaining() == 0) {
                nextMessage();
            }
            return isEnded ? -1 : in.read(target, from, length);
        }

        private void nextMessage() throws IOException {
            int type = in.next();
            switch (type) {
                case 'd' -> {}
                case 'c' -> isEnded = true;
                case 'f' ->
                        throw new SqlException(
                                SqlState.QUERY_CANCELED, "COPY from stdin failed: " + in.string());
                case 'H', 'S' -> {} // no-op here, and allowed
                case -1 -> throw new IOException("the client has left during COPY");
                default ->
                        throw new ProtocolException(
                                "unexpected message type 0x%02X during COPY from stdin"
                                        .formatted(type));
            }
        }
    }
}
