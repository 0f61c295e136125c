package org.namdb.fabric.tcp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// How a memory server's process is reached.
///
/// @param address where it listens; port 0 for any
/// @param token what its clients must know, too; empty if everybody may come, which is allowed on a
///     loopback address alone
/// @param directory where regions are files that other processes of this machine can map; null for
///     memory of this process alone
public record TcpServerOptions(InetSocketAddress address, String token, @Nullable Path directory) {
    /// Any port of the loopback address, for everybody on this machine.
    public static final TcpServerOptions LOOPBACK =
            new TcpServerOptions(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), "", null);

    public TcpServerOptions {
        if (address.isUnresolved()) {
            throw new IllegalArgumentException("there is no host " + address.getHostString());
        }
        if (token.isEmpty() && !address.getAddress().isLoopbackAddress()) {
            throw new IllegalArgumentException(
                    "%s is open to other machines: a memory server listens there only with a token"
                            .formatted(address));
        }
    }

    public TcpServerOptions withAddress(InetSocketAddress other) {
        return new TcpServerOptions(other, token, directory);
    }

    public TcpServerOptions withToken(String other) {
        return new TcpServerOptions(address, other, directory);
    }

    public TcpServerOptions withDirectory(Path other) {
        return new TcpServerOptions(address, token, other);
    }

    @Override
    public String toString() {
        return address + (token.isEmpty() ? "" : " with a token");
    }
}
