package org.namdb.examples;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.namdb.cache.scalestore.PageGuard;
import org.namdb.cache.scalestore.PageSession;
import org.namdb.cache.scalestore.PageStore;
import org.namdb.cache.scalestore.PageStoreOptions;
import org.namdb.fabric.Host;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.MachineDisk;
import org.namdb.fabric.peer.LocalPeers;
import org.namdb.fabric.peer.PeerFabric;

/// Fills 40 MB of pages with 4 MB of memory, and adds them up.
public final class LargerThanMemory {
    private LargerThanMemory() {}

    /// Prints the sum.
    ///
    /// @param arguments the directory for the file of pages
    public static void main(String[] arguments) {
        PageStoreOptions options = PageStoreOptions.DEFAULT.withFrames(1_000); // of 4 KiB
        PeerFabric alone = new LocalPeers().join(0, Host.MACHINE);
        Disk disk = new MachineDisk(Path.of(arguments[0]));
        try (PageStore store = new PageStore(options, alone, disk, List.of(0), Host.MACHINE);
                PageSession pages = store.open()) {
            List<Long> all = new ArrayList<>();
            for (int i = 0; i < 10_000; i++) {
                long page = pages.allocate();
                try (PageGuard guard = pages.exclusive(page)) {
                    guard.putLong(0, i);
                }
                all.add(page);
            }
            long sum = 0;
            for (long page : all) {
                try (PageGuard guard = pages.shared(page)) {
                    sum += guard.longAt(0);
                }
            }
            System.out.println("the sum is " + sum);
        }
    }
}
