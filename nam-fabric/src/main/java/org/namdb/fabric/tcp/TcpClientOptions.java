package org.namdb.fabric.tcp;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.tls.TlsFiles;

/// How a compute server reaches memory servers.
///
/// @param token the memory servers' token; empty for none
/// @param tls what this process proves itself with to the memory servers, and they to it; null for
///     none
/// @param landingBytes how much a queue pair can land before it overwrites
/// @param mapsRegions whether verbs to memory servers of this machine go to their memory itself,
///     where that can be mapped. A process that has mapped it is ended when it is
///     [fenced][org.namdb.fabric.ComputeFabric#fence]
/// @param timeout the timeout of the attempts to reopen a lost connection, and of a silent memory
///     server, before verbs fail
public record TcpClientOptions(
        String token,
        @Nullable TlsFiles tls,
        int landingBytes,
        boolean mapsRegions,
        Duration timeout) {
    /// No token, no TLS, 1 MiB of landing buffer, nothing mapped, a timeout of ten seconds.
    public static final TcpClientOptions DEFAULT =
            new TcpClientOptions("", null, 1 << 20, false, Duration.ofSeconds(10));

    public TcpClientOptions {
        if (!timeout.isPositive()) {
            throw new IllegalArgumentException("the timeout must be positive");
        }
    }

    public TcpClientOptions withToken(String other) {
        return new TcpClientOptions(other, tls, landingBytes, mapsRegions, timeout);
    }

    public TcpClientOptions withTls(@Nullable TlsFiles other) {
        return new TcpClientOptions(token, other, landingBytes, mapsRegions, timeout);
    }

    public TcpClientOptions withLandingBytes(int bytes) {
        return new TcpClientOptions(token, tls, bytes, mapsRegions, timeout);
    }

    public TcpClientOptions withMappedRegions(boolean maps) {
        return new TcpClientOptions(token, tls, landingBytes, maps, timeout);
    }

    public TcpClientOptions withTimeout(Duration other) {
        return new TcpClientOptions(token, tls, landingBytes, mapsRegions, other);
    }

    @Override
    public String toString() {
        return "TcpClientOptions[tls=%b, landingBytes=%d, mapsRegions=%b, timeout=%s]"
                .formatted(tls != null, landingBytes, mapsRegions, timeout);
    }
}
