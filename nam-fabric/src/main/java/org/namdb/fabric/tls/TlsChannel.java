package org.namdb.fabric.tls;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/// A socket that does not block, with TLS on it. After the [handshake][#handshake], one thread may
/// read while another one writes; neither is for two at a time.
///
/// The peer's close_notify is not awaited, as the caller knows the length of what is to come: a
/// connection that ends without one has failed.
public final class TlsChannel {
    /// [#handshake] is over.
    public static final int DONE = 0;

    /// [#handshake] goes on when a thread has [computed][#compute].
    public static final int COMPUTE = -1;

    /// More than the largest record, of 33 KiB; the engine is quickest with arrays.
    private static final int BUFFER_BYTES = 64 << 10;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /// The kinds of a record: change cipher spec, alert, handshake, application data.
    private static final int MIN_KIND = 20;

    private static final int MAX_KIND = 23;

    private final SocketChannel socket;
    private final SSLEngine engine;

    /// What has come and is not decrypted.
    private final ByteBuffer received = ByteBuffer.allocate(BUFFER_BYTES).limit(0);

    /// What is decrypted, and did not fit where it should go.
    private ByteBuffer decrypted = NOTHING;

    private boolean isCutShort;
    private boolean hasBegun;
    private boolean hasHeard;

    /// What is encrypted and not sent, up to its position.
    private final ByteBuffer encrypted = ByteBuffer.allocate(BUFFER_BYTES);

    /// Whether there is anything to send at the end: a close_notify, or another alert.
    private boolean isAlertDue;

    /// @param socket one that does not block
    /// @param engine of a [TlsIdentity]
    public TlsChannel(SocketChannel socket, SSLEngine engine) {
        this.socket = socket;
        this.engine = engine;
    }

    /// Goes on with the handshake, as far as it can without waiting.
    ///
    /// @return [#DONE]; [#COMPUTE]; or what the socket must be ready for: [SelectionKey#OP_READ],
    ///     [SelectionKey#OP_WRITE]
    /// @throws SSLException if the two can't agree; [#sendAlert] sends the peer an alert
    /// @throws NotTlsException if the peer does not speak TLS
    public int handshake() throws IOException {
        try {
            if (!hasBegun) {
                hasBegun = true;
                engine.beginHandshake();
            }
            return agree();
        } catch (SSLException e) {
            isAlertDue = true;
            throw e;
        }
    }

    private int agree() throws IOException {
        while (flush()) {
            switch (engine.getHandshakeStatus()) {
                case NEED_TASK -> {
                    return COMPUTE;
                }
                case NEED_WRAP -> {
                    SSLEngineResult _ = engine.wrap(NOTHING, encrypted);
                }
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    if (!unwrapHandshake()) {
                        return SelectionKey.OP_READ;
                    }
                }
                case FINISHED, NOT_HANDSHAKING -> {
                    isAlertDue = true;
                    return DONE;
                }
            }
        }
        return SelectionKey.OP_WRITE;
    }

    /// Does what takes long in a handshake; any thread may.
    public void compute() {
        for (Runnable task = engine.getDelegatedTask();
                task != null;
                task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    /// @return false if it needs more than has come
    private boolean unwrapHandshake() throws IOException {
        int count =
                switch (engine.unwrap(received, NOTHING).getStatus()) {
                    case BUFFER_UNDERFLOW -> receive();
                    case CLOSED -> -1;
                    case OK, BUFFER_OVERFLOW -> 1;
                };
        if (count < 0) {
            throw new EOFException("the peer has closed the connection during the handshake");
        }
        return count > 0;
    }

    /// Reads what has come, as far as the buffer has space.
    ///
    /// @return how many bytes; negative if nothing comes any more. If they do not fill the buffer,
    ///     the socket is ready again when there are more
    public int read(ByteBuffer to) throws IOException {
        int start = to.position();
        move(decrypted, to);
        boolean mayBeMore = true;
        boolean isOver = false;
        while (to.hasRemaining() && !isOver) {
            SSLEngineResult result = engine.unwrap(received, to);
            if (result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW) {
                result = unwrapAside();
                move(decrypted, to);
            }
            switch (result.getStatus()) {
                case OK -> requireProgress(result);
                case BUFFER_OVERFLOW -> throw new SSLException("a record is too large");
                case BUFFER_UNDERFLOW -> {
                    int space = received.capacity() - received.remaining();
                    int count = mayBeMore ? receive() : 0;
                    if (count < 0 && to.position() == start) {
                        return -1;
                    }
                    mayBeMore = count == space;
                    isOver = count <= 0;
                }
                case CLOSED -> {
                    if (to.position() == start) {
                        return -1;
                    }
                    isOver = true;
                }
            }
        }
        isCutShort = !to.hasRemaining();
        return to.position() - start;
    }

    /// Whether the last [#read] has filled the buffer: then the socket may not get ready, though
    /// there is more to be read.
    public boolean isCutShort() {
        return isCutShort;
    }

    /// A record that would not fit; not all of it needs to have come.
    private SSLEngineResult unwrapAside() throws IOException {
        if (decrypted.capacity() == 0) {
            decrypted = ByteBuffer.allocate(BUFFER_BYTES);
        }
        decrypted.clear();
        try {
            return engine.unwrap(received, decrypted);
        } finally {
            decrypted.flip();
        }
    }

    private static void move(ByteBuffer from, ByteBuffer to) {
        int count = Math.min(from.remaining(), to.remaining());
        if (count > 0) {
            to.put(to.position(), from, from.position(), count);
            to.position(to.position() + count);
            from.position(from.position() + count);
        }
    }

    private int receive() throws IOException {
        received.compact();
        int count;
        try {
            count = socket.read(received);
        } finally {
            received.flip();
        }
        if (count > 0 && !hasHeard) {
            int kind = received.get(0);
            if (kind < MIN_KIND || kind > MAX_KIND) {
                throw new NotTlsException();
            }
            hasHeard = true;
        }
        return count;
    }

    /// Encrypts and sends, as far as the socket takes it. What is encrypted and not sent goes out
    /// first the next time, and [is still to be sent][#isUnsent].
    ///
    /// @return how many bytes were taken
    public int write(ByteBuffer from) throws IOException {
        int start = from.position();
        while (flush() && from.hasRemaining()) {
            SSLEngineResult result;
            do {
                result = engine.wrap(from, encrypted);
                if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
                    throw new ClosedChannelException();
                }
                if (result.getStatus() == SSLEngineResult.Status.OK) {
                    requireProgress(result);
                }
            } while (from.hasRemaining() && result.getStatus() == SSLEngineResult.Status.OK);
        }
        return from.position() - start;
    }

    /// Whether something is encrypted and not sent.
    public boolean isUnsent() {
        return encrypted.position() > 0;
    }

    /// @return whether everything is sent
    private boolean flush() throws IOException {
        if (encrypted.position() > 0) {
            encrypted.flip();
            try {
                int _ = socket.write(encrypted);
            } finally {
                encrypted.compact();
            }
        }
        return encrypted.position() == 0;
    }

    private void requireProgress(SSLEngineResult result) throws SSLException {
        if (result.bytesConsumed() > 0 || result.bytesProduced() > 0) {
            return;
        }
        switch (result.getHandshakeStatus()) {
            case NEED_TASK -> compute();
            case FINISHED -> {}
            default -> throw new SSLException("no way to go on: " + result.getHandshakeStatus());
        }
    }

    /// Sends the peer the alert, if the socket takes it now. For the only thread that reads and
    /// writes.
    public void sendAlert() {
        if (!isAlertDue) {
            return;
        }
        isAlertDue = false;
        engine.closeOutbound();
        try {
            while (flush() && !engine.isOutboundDone()) {
                if (engine.wrap(NOTHING, encrypted).bytesProduced() == 0) {
                    return;
                }
            }
        } catch (IOException e) {
            // Then it is not sent.
        }
    }
}
