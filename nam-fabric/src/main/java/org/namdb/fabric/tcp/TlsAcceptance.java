package org.namdb.fabric.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLException;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.tls.NotTlsException;
import org.namdb.fabric.tls.TlsChannel;
import org.namdb.fabric.tls.TlsFailure;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The agent's side of a TLS handshake. For the agent's thread alone.
///
/// A client that is refused gets the reason, and then only its end is awaited: if the connection
/// were closed while something of it is on its way, it might not get to read that.
final class TlsAcceptance {
    private static final Logger LOG = LoggerFactory.getLogger(TlsAcceptance.class);

    private final Agent agent;
    private final SelectionKey key;
    private final SocketChannel socket;
    private final TlsChannel tls;
    private final Runnable goOn;
    private boolean isDone;
    private boolean isRefused;

    /// @param goOn to be run by the agent's thread when the handshake goes on without the client
    TlsAcceptance(
            Agent agent, SelectionKey key, SocketChannel socket, TlsChannel tls, Runnable goOn) {
        this.agent = agent;
        this.key = key;
        this.socket = socket;
        this.tls = tls;
        this.goOn = goOn;
    }

    /// Goes on with the handshake.
    ///
    /// @return whether it is over
    boolean advance() throws IOException {
        if (isRefused) {
            awaitEnd();
        } else if (!isDone) {
            try {
                proceed();
            } catch (NotTlsException e) {
                refuse("it does not speak TLS");
                int _ = socket.write(ByteBuffer.wrap(refusal()));
                socket.shutdownOutput();
            } catch (SSLException e) {
                refuse(TlsFailure.describe(e, "the client", ""));
                tls.sendAlert();
                socket.shutdownOutput();
            }
        }
        return isDone;
    }

    private void proceed() throws IOException {
        int wanted = tls.handshake();
        switch (wanted) {
            case TlsChannel.DONE -> {
                isDone = true;
                key.interestOps(SelectionKey.OP_READ);
            }
            case TlsChannel.COMPUTE -> {
                key.interestOps(0);
                agent.compute(tls, goOn);
            }
            default -> key.interestOps(wanted);
        }
    }

    private void refuse(String why) throws IOException {
        isRefused = true;
        agent.statistics().refused();
        LOG.warn("{} is turned away: {}", socket.getRemoteAddress(), why);
        key.interestOps(SelectionKey.OP_READ);
    }

    /// In clear, as the client expects it.
    private static byte[] refusal() {
        return Handshake.refusal(
                FabricException.Kind.SYSTEM,
                "this memory server demands TLS: give the compute server a certificate, too");
    }

    private void awaitEnd() throws IOException {
        ByteBuffer anything = ByteBuffer.allocate(1 << 10);
        if (socket.read(anything) < 0) {
            throw new IOException("the client was refused");
        }
    }
}
