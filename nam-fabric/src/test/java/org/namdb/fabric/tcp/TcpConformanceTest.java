package org.namdb.fabric.tcp;

import java.util.List;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricConformance;

/// Real sockets of the loopback address.
class TcpConformanceTest extends FabricConformance {
    @Override
    protected Fabric open(int landingBytes) {
        TcpMemoryFabric memory = new TcpMemoryFabric(TcpServerOptions.LOOPBACK);
        TcpClientOptions options = TcpClientOptions.DEFAULT.withLandingBytes(landingBytes);
        return Fabric.of(memory, TcpComputeFabric.connect(List.of(memory.address()), options));
    }

    @Override
    public int rounds() {
        return 10_000;
    }
}
