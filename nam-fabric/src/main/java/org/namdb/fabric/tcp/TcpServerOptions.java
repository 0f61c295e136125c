package org.namdb.fabric.tcp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.tls.TlsFiles;

/// How a memory server's process is reached.
///
/// @param address where it listens; port 0 for any
/// @param token the token of its clients, too; empty for none
/// @param tls for encrypted connections, with clients that have certificates of the same authority;
///     null for none. Without a token or TLS every client is accepted, which is allowed on a
///     loopback address alone
/// @param directory where regions are files that other processes of this machine can map; null for
///     memory of this process alone
/// @param workers how many threads handle requests
public record TcpServerOptions(
        InetSocketAddress address,
        String token,
        @Nullable TlsFiles tls,
        @Nullable Path directory,
        int workers) {
    /// The most threads that handle requests.
    public static final int MAX_WORKERS = 64;

    /// Any port of the loopback address, for all clients on this machine.
    public static final TcpServerOptions LOOPBACK =
            new TcpServerOptions(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), "", null, null, 1);

    public TcpServerOptions {
        if (address.isUnresolved()) {
            throw new IllegalArgumentException("there is no host " + address.getHostString());
        }
        if (workers < 1 || workers > MAX_WORKERS) {
            throw new IllegalArgumentException(
                    "%d workers: there are 1 to %d".formatted(workers, MAX_WORKERS));
        }
        if (token.isEmpty() && tls == null && !address.getAddress().isLoopbackAddress()) {
            throw new IllegalArgumentException(
                    "%s is open to other machines: a memory server listens there only with %s"
                            .formatted(address, "a token or TLS"));
        }
    }

    public TcpServerOptions withAddress(InetSocketAddress other) {
        return new TcpServerOptions(other, token, tls, directory, workers);
    }

    public TcpServerOptions withToken(String other) {
        return new TcpServerOptions(address, other, tls, directory, workers);
    }

    public TcpServerOptions withTls(@Nullable TlsFiles other) {
        return new TcpServerOptions(address, token, other, directory, workers);
    }

    public TcpServerOptions withDirectory(Path other) {
        return new TcpServerOptions(address, token, tls, other, workers);
    }

    public TcpServerOptions withWorkers(int other) {
        return new TcpServerOptions(address, token, tls, directory, other);
    }

    @Override
    public String toString() {
        return address
                + (token.isEmpty() ? "" : " with a token")
                + (tls == null ? "" : " with TLS");
    }
}
