package org.namdb.fabric.shm;

import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricConformance;

/// READs that are copied to a landing buffer.
class ShmLandingConformanceTest extends FabricConformance {
    @Override
    protected Fabric open(int landingBytes) {
        return new ShmFabric(new ShmFabric.Options(false, landingBytes, null));
    }
}
