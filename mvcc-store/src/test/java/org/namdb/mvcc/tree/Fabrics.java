package org.namdb.mvcc.tree;

import java.util.List;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.shm.ShmFabric;

/// The fabrics that the tree is tested on.
final class Fabrics {
    static final String IN_PLACE = "in place";
    static final String LANDING = "landing";
    static final List<String> NAMES = List.of(IN_PLACE, LANDING);

    /// Tests open thousands of queue pairs, each with three times as much memory.
    private static final int LANDING_BYTES = 1 << 16;

    private Fabrics() {}

    static Fabric open(String name) {
        return new ShmFabric(new ShmFabric.Options(name.equals(IN_PLACE), LANDING_BYTES, null));
    }
}
