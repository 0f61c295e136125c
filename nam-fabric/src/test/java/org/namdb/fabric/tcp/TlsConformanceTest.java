package org.namdb.fabric.tcp;

import java.util.List;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricConformance;
import org.namdb.fabric.tls.TestAuthority;

/// Real sockets of the loopback address, with TLS. `-Dnamdb.rounds=N`: threads meet for N rounds,
/// in place of 2,000: without TLS they do for 10,000.
class TlsConformanceTest extends FabricConformance {
    @Override
    protected Fabric open(int landingBytes) {
        TcpMemoryFabric memory =
                new TcpMemoryFabric(TcpServerOptions.LOOPBACK.withTls(TestAuthority.loopback()));
        TcpClientOptions options =
                TcpClientOptions.DEFAULT
                        .withTls(TestAuthority.loopback())
                        .withLandingBytes(landingBytes);
        return Fabric.of(memory, TcpComputeFabric.connect(List.of(memory.address()), options));
    }

    @Override
    public int rounds() {
        return Integer.getInteger("namdb.rounds", 2_000);
    }
}
