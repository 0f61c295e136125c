package org.namdb.fabric.peer.tcp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.tls.TlsFiles;

/// How a compute server is reached by its peers.
///
/// @param address where it listens; port 0 for any
/// @param token the token of its peers, too; empty for none
/// @param tls for encrypted connections, with peers that have certificates of the same authority;
///     null for none. Without a token or TLS every peer is accepted, which is allowed on a loopback
///     address alone
/// @param timeout how long a peer may be silent before the connection to it is lost
public record TcpPeerOptions(
        InetSocketAddress address, String token, @Nullable TlsFiles tls, Duration timeout) {
    /// Any port of the loopback address, for all on this machine; ten seconds.
    public static final TcpPeerOptions LOOPBACK =
            new TcpPeerOptions(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    "",
                    null,
                    Duration.ofSeconds(10));

    public TcpPeerOptions {
        if (address.isUnresolved()) {
            throw new IllegalArgumentException("there is no host " + address.getHostString());
        }
        if (token.isEmpty() && tls == null && !address.getAddress().isLoopbackAddress()) {
            throw new IllegalArgumentException(
                    "%s is open to other machines: a compute server listens there only with %s"
                            .formatted(address, "a token or TLS"));
        }
        if (timeout.toMillis() < 2 || timeout.toMillis() > Integer.MAX_VALUE / 2) {
            throw new IllegalArgumentException("a timeout of " + timeout);
        }
    }

    public TcpPeerOptions withAddress(InetSocketAddress other) {
        return new TcpPeerOptions(other, token, tls, timeout);
    }

    public TcpPeerOptions withToken(String other) {
        return new TcpPeerOptions(address, other, tls, timeout);
    }

    public TcpPeerOptions withTls(@Nullable TlsFiles other) {
        return new TcpPeerOptions(address, token, other, timeout);
    }

    public TcpPeerOptions withTimeout(Duration other) {
        return new TcpPeerOptions(address, token, tls, other);
    }

    /// Without the token.
    @Override
    public String toString() {
        return address
                + (token.isEmpty() ? "" : " with a token")
                + (tls == null ? "" : " with TLS");
    }
}
