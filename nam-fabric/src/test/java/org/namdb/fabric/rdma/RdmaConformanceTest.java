package org.namdb.fabric.rdma;

import org.junit.jupiter.api.BeforeAll;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricConformance;

/// Verbs that an RDMA device carries out, where there is one.
class RdmaConformanceTest extends FabricConformance {
    @BeforeAll
    static void requireDevice() {
        Devices.require();
    }

    @Override
    protected Fabric open(int landingBytes) {
        return Devices.open(RdmaOptions.DEFAULT.withLandingBytes(landingBytes));
    }
}
