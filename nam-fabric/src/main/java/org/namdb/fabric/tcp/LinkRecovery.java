package org.namdb.fabric.tcp;

import java.io.IOException;
import java.net.ConnectException;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Opens a failed [AgentLink] again, in a thread of its own; gives up when the agent was restarted,
/// refuses the client, or can't be reached within the timeout.
final class LinkRecovery implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(LinkRecovery.class);
    private static final long MIN_REST_NANOS = 2_000_000;
    private static final long MAX_REST_NANOS = 100_000_000;

    private static final long MAX_ATTEMPT_NANOS = 2_000_000_000;

    /// A machine that answers, but not on this port, has no memory server any more: one that is
    /// started again has other memory.
    private static final long REFUSED_NANOS = 1_000_000_000;

    private final AgentLink link;
    private final ClientHandshake handshake;
    private final IntSupplier process;
    private final long timeoutNanos;
    private final BooleanSupplier isClosing;
    private final Exception cause;

    /// Whether the agent executes nothing more of what was sent: it is another one, or has fenced
    /// this client. A refused connection proves nothing, as a proxy or a firewall may refuse it.
    private boolean isSettled;

    /// @param process the client's number in the cluster
    /// @param isClosing whether the link is being closed
    /// @param cause why the connection was lost
    LinkRecovery(
            AgentLink link,
            ClientHandshake handshake,
            IntSupplier process,
            long timeoutNanos,
            BooleanSupplier isClosing,
            Exception cause) {
        this.link = link;
        this.handshake = handshake;
        this.process = process;
        this.timeoutNanos = timeoutNanos;
        this.isClosing = isClosing;
        this.cause = cause;
    }

    @Override
    public void run() {
        LOG.debug("the connection to {} was lost: {}", link.name(), cause.toString());
        if (!link.lockBoth()) {
            return;
        }
        try {
            link.closeConnection();
            FabricException why = reopen();
            if (why != null) {
                link.gone(why, isSettled);
            }
        } finally {
            link.unlockBoth();
        }
        link.goOn();
    }

    /// @return why it can't be opened; null if it is
    private @Nullable FabricException reopen() {
        long start = Host.MACHINE.nanoTime();
        long rest = MIN_REST_NANOS;
        while (true) {
            long left = timeoutNanos - (Host.MACHINE.nanoTime() - start);
            try {
                ClientHandshake.Opened opened =
                        handshake.open(process.getAsInt(), Math.clamp(left, 1, MAX_ATTEMPT_NANOS));
                return takeUp(opened);
            } catch (FabricException e) {
                isSettled = e.kind() == FabricException.Kind.FENCED;
                return e;
            } catch (RuntimeException | Error e) { // no thread may wait forever
                return new FabricException(
                        FabricException.Kind.CONNECTION_LOST,
                        "the connection to %s is lost: %s".formatted(link.name(), e),
                        e);
            } catch (IOException e) {
                long since = Host.MACHINE.nanoTime() - start;
                if (isClosing.getAsBoolean()
                        || since > timeoutNanos
                        || (e instanceof ConnectException && since > REFUSED_NANOS)) {
                    return lost(e);
                }
            }
            Host.MACHINE.sleep(rest);
            rest = Math.min(2 * rest, MAX_REST_NANOS);
        }
    }

    private @Nullable FabricException takeUp(ClientHandshake.Opened opened) {
        if (opened.incarnation() == link.incarnation() && opened.isKnown()) {
            link.reopened(opened);
            return null;
        }
        opened.connection().close();
        isSettled = opened.incarnation() != link.incarnation();
        return isSettled
                ? new FabricException(
                        FabricException.Kind.PEER_GONE,
                        "%s has been started again, with other memory".formatted(link.name()))
                : new FabricException(
                        FabricException.Kind.CONNECTION_LOST,
                        "%s has not heard of this compute server for too long"
                                .formatted(link.name()));
    }

    private FabricException lost(IOException e) {
        return new FabricException(
                e instanceof ConnectException
                        ? FabricException.Kind.PEER_GONE
                        : FabricException.Kind.CONNECTION_LOST,
                "the connection to %s is lost: %s".formatted(link.name(), e.getMessage()),
                e);
    }
}
