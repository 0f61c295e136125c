package org.namdb.cli;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.transport.ComputeTransport;
import org.namdb.compute.NamDb;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.ViewScope;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.mvcc.hash.BucketEntries;
import org.namdb.mvcc.hash.HomeBuckets;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.simulation.LeftBehind;
import org.namdb.timestamp.SlotOwners;

/// The holders of slots, and what the dead have left, read from the memory over a connection of its
/// own.
final class SlotHolders implements AutoCloseable {
    private final ComputeFabric fabric;
    private final QueuePair queuePair;
    private final SlotOwners slots;

    SlotHolders(ClusterConfig config) {
        fabric = ComputeTransport.connect(config);
        queuePair = fabric.connect(fabric.regions());
        slots = new SlotOwners(DatabaseLayout.openVector(queuePair), queuePair);
    }

    boolean contains(int process) {
        return !slotsOf(process).isEmpty();
    }

    /// The slots of a compute server.
    Set<Integer> slotsOf(int process) {
        Set<Integer> found = new TreeSet<>();
        long[] words = slots.read();
        for (int slot = 0; slot < words.length; slot++) {
            if (words[slot] != 0 && SlotOwners.process(SlotOwners.holder(words[slot])) == process) {
                found.add(slot);
            }
        }
        return found;
    }

    /// Waits until nothing is held: no lock, claim or latch stays; what is moved and swept follows
    /// a little later.
    void awaitNothingLeft(NamDb db) throws InterruptedException {
        LeftBehind left = new LeftBehind(db, queuePair, slots);
        String before = "";
        for (String found = left.find(); found != null; found = left.find()) {
            if (!found.equals(before)) {
                System.out.println("left behind: " + found); // the test's limit ends it
                before = found;
            }
            Thread.sleep(100);
        }
    }

    /// The header words of some of a table's records.
    ///
    /// @return address, word, address, word ..
    long[] headers(Table table, int most) {
        long[] found = new long[2 * most];
        int count = 0;
        HomeBuckets homes = new HomeBuckets(queuePair);
        BucketEntries bucket = new BucketEntries(queuePair);
        homes.start(table.records());
        while (count < most && homes.next()) {
            bucket.start(table.records(), homes.address());
            while (count < most && bucket.next()) {
                found[2 * count] = bucket.headerAddress();
                found[2 * count++ + 1] = bucket.header();
            }
        }
        return Arrays.copyOf(found, 2 * count);
    }

    /// Waits until a new version of one of some records is being installed.
    void awaitInstall(long[] headers) {
        while (!isInstalled(headers)) {
            Thread.onSpinWait(); // the test's limit ends it
        }
    }

    /// By one round trip: an install goes on meanwhile.
    private boolean isInstalled(long[] headers) {
        boolean isInstalled = false;
        try (ViewScope _ = queuePair.openViews()) {
            long[] views = new long[headers.length / 2];
            for (int i = 0; i < views.length; i++) {
                views[i] = queuePair.read(headers[2 * i], Long.BYTES);
            }
            queuePair.await();
            for (int i = 0; i < views.length; i++) {
                long now = LocalMemory.longAcquire(views[i]);
                isInstalled |=
                        RecordHeader.isUnderOverwrite(now)
                                || RecordHeader.unlocked(now) != headers[2 * i + 1];
            }
        }
        return isInstalled;
    }

    @Override
    public void close() {
        queuePair.close();
        fabric.close();
    }
}
