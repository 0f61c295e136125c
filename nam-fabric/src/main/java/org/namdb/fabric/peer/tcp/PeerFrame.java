package org.namdb.fabric.peer.tcp;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.namdb.fabric.peer.PeerFabric;

/// A message between two peers.
/// ```
/// | bytes of the body, 4 | kind, 1 | number, 8 | body |
/// ```
final class PeerFrame {
    /// A request.
    static final byte REQUEST = 1;

    /// The answer to one.
    static final byte ANSWER = 2;

    /// A request was not handled, as its sender is refused.
    static final byte REJECTION = 3;

    /// A keepalive probe to the receiver of requests.
    static final byte PING = 4;

    /// It is.
    static final byte PONG = 5;

    /// The receiver of requests leaves: it answers nothing any more.
    static final byte FAREWELL = 6;

    private static final byte[] EMPTY = {};

    private final byte kind;
    private final long number;
    private final byte[] body;

    /// @param number which of its sender's requests it is, or is about
    PeerFrame(byte kind, long number, byte[] body) {
        this.kind = kind;
        this.number = number;
        this.body = body;
    }

    byte kind() {
        return kind;
    }

    long number() {
        return number;
    }

    byte[] body() {
        return body;
    }

    static PeerFrame of(byte kind, long number) {
        return new PeerFrame(kind, number, EMPTY);
    }

    void write(DataOutputStream out) throws IOException {
        out.writeInt(body.length);
        out.writeByte(kind);
        out.writeLong(number);
        out.write(body);
    }

    /// @param first the first byte of the frame, which was read already
    /// @throws IOException if the connection ends, or what comes is no frame
    static PeerFrame read(int first, DataInputStream in) throws IOException {
        int bytes = first << 24 | in.readUnsignedByte() << 16 | in.readUnsignedShort();
        byte kind = in.readByte();
        if (bytes < 0 || bytes > PeerFabric.MAX_BYTES || kind < REQUEST || kind > FAREWELL) {
            throw new IOException("a frame of kind %d with %d bytes".formatted(kind, bytes));
        }
        long number = in.readLong();
        byte[] body = new byte[bytes];
        in.readFully(body);
        return new PeerFrame(kind, number, body);
    }
}
