package org.namdb.cluster.config;

import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where a server listens, as in `10.0.0.1:7400`, `memory-0.example.org:7400` or `[::1]:7400`.
///
/// @param host a name or an address, without brackets
/// @param port 1 to 65,535, or 0 for any that is free
public record HostPort(String host, int port) {
    private static final Pattern TEXT =
            Pattern.compile("(?:\\[([0-9a-fA-F:.%]+)]|([A-Za-z0-9._-]+)):([0-9]{1,5})");

    /// Reads `host:port`.
    ///
    /// @throws IllegalArgumentException if it isn't one
    public static HostPort parse(String text) {
        Matcher matcher = TEXT.matcher(text.strip());
        if (matcher.matches()) {
            String host = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
            int port = Integer.parseInt(matcher.group(3));
            if (port <= 65_535) {
                return new HostPort(host, port);
            }
        }
        throw new IllegalArgumentException(
                "an address is a host and a port as in 10.0.0.1:7400, not '" + text + "'");
    }

    /// The socket's address, with the host's name looked up now.
    public InetSocketAddress socketAddress() {
        return new InetSocketAddress(host, port);
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
