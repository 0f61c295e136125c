package org.namdb.fabric.rdma;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.namdb.fabric.Fabric;

/// The RDMA device that tests run on.
public final class Devices {
    private Devices() {}

    /// Skips the test where there is none.
    public static void require() {
        assumeFalse(
                RdmaDevice.ofMachine().names().isEmpty(),
                "this machine has no RDMA device: .ci/soft-roce runs this test on one");
    }

    /// The address of the device.
    public static InetAddress address(RdmaOptions options) {
        return RdmaDevice.ofMachine().connecting(options, null);
    }

    /// A memory servers' process on a free port of the device.
    public static RdmaMemoryFabric memory(RdmaOptions options) {
        InetSocketAddress any = new InetSocketAddress(address(options), 0);
        return new RdmaMemoryFabric(any, null, options);
    }

    /// A compute server's side of it.
    public static RdmaComputeFabric compute(RdmaMemoryFabric memory, RdmaOptions options) {
        return new RdmaComputeFabric(List.of(memory.address()), options);
    }

    /// Both sides in this process.
    public static Fabric open(RdmaOptions options) {
        RdmaMemoryFabric memory = memory(options);
        return Fabric.of(memory, compute(memory, options));
    }
}
