package org.namdb.mvcc.tree;

import java.util.List;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.shm.ShmFabric;

/// The fabrics that the tree is tested on.
final class Fabrics {
    static final String IN_PLACE = "in place";
    static final String LANDING = "landing";
    static final List<String> NAMES = List.of(IN_PLACE, LANDING);

    private Fabrics() {}

    static Fabric open(String name) {
        return new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(name.equals(IN_PLACE)));
    }
}
