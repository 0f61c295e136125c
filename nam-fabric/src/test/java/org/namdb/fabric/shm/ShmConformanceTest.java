package org.namdb.fabric.shm;

import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricConformance;

/// READs in place, anonymous memory.
class ShmConformanceTest extends FabricConformance {
    @Override
    protected Fabric open(int landingBytes) {
        return new ShmFabric(new ShmFabric.Options(true, landingBytes, null));
    }
}
