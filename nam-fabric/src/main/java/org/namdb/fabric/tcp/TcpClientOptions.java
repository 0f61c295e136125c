package org.namdb.fabric.tcp;

import java.time.Duration;

/// How a compute server reaches memory servers.
///
/// @param token what the memory servers were given; empty for none
/// @param landingBytes how much a queue pair can land before it overwrites
/// @param patience how long a broken connection is tried to be opened again, and how long a memory
///     server may be silent, before verbs fail
public record TcpClientOptions(String token, int landingBytes, Duration patience) {
    /// No token, 1 MiB of landing buffer, ten seconds of patience.
    public static final TcpClientOptions DEFAULT =
            new TcpClientOptions("", 1 << 20, Duration.ofSeconds(10));

    public TcpClientOptions {
        if (!patience.isPositive()) {
            throw new IllegalArgumentException("the patience must be positive");
        }
    }

    public TcpClientOptions withToken(String other) {
        return new TcpClientOptions(other, landingBytes, patience);
    }

    public TcpClientOptions withLandingBytes(int bytes) {
        return new TcpClientOptions(token, bytes, patience);
    }

    public TcpClientOptions withPatience(Duration other) {
        return new TcpClientOptions(token, landingBytes, other);
    }

    @Override
    public String toString() {
        return "TcpClientOptions[landingBytes=%d, patience=%s]".formatted(landingBytes, patience);
    }
}
