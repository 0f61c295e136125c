package org.namdb.simulated.tearing;

import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricConformance;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.shm.ShmFabric;

/// READs and WRITEs that are torn between words.
class TearingWordConformanceTest extends FabricConformance {
    @Override
    protected Fabric open(int landingBytes) {
        return new TearingFabric(
                TearingFabric.Options.words(Seeds.next()),
                new ShmFabric.Options(true, landingBytes, null));
    }
}
