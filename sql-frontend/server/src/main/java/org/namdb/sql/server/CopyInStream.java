package org.namdb.sql.server;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// What a client sends for COPY FROM STDIN: the bodies of CopyData messages, one after the other.
/// It is requested of the client when the first byte is read.
final class CopyInStream extends InputStream {
    private final MessageReader in;
    private final Announcement announcement;
    private boolean isRequested;
    private boolean isEnded;
    private @Nullable IOException failure;

    /// Requests the data of the client.
    interface Announcement {
        void send() throws IOException;
    }

    CopyInStream(MessageReader in, Announcement announcement) {
        this.in = in;
        this.announcement = announcement;
    }

    /// Why the client can't be read from any more; null if it can.
    @Nullable IOException failure() {
        return failure;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int from, int length) throws IOException {
        try {
            if (!isRequested) {
                isRequested = true;
                announcement.send();
                nextMessage();
            }
            while (!isEnded && in.remaining() == 0) {
                nextMessage();
            }
        } catch (IOException e) {
            failure = e;
            throw e;
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
