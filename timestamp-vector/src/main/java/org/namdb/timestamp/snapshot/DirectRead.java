package org.namdb.timestamp.snapshot;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.VerbForecast;
import org.namdb.timestamp.Announcement;
import org.namdb.timestamp.ChainHead;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.TimestampVectorLayout;

/// The paper's oracle: reads the slots, and uses what it has read. It costs one round trip, or two
/// where the slots lie on several servers and the chain has grown since. It is **not** snapshot
/// isolation, since the slots are read one by one. It is here for experiments.
///
/// A torn vector, which holds B and not A, though B depends on A:
/// ```
///   R  reads V[0]
///   A  publishes V[0]
///   B  begins, reads what A has written, publishes V[1]
///   R  reads V[1]
/// ```
/// A long fork, in which R has C and not A, and Q has A and not C:
/// ```
///   R  reads V[0]
///   A  publishes V[0]
///   Q  reads V[0], V[1]
///   C  publishes V[1]
///   R  reads V[1]
/// ```
/// What it uses dominates the member of the chain that was the head: the low watermark does not
/// pass it otherwise, but may have passed slots that were read on another server before the head:
/// ```
///   R  reads V[1]; its announcement is still on its way to the first server
///   B  publishes V[1]; the head is S_8, with B; no announcement is older: the low watermark is S_8
///   G  drops what B has replaced
///   R  announces, reads the head: S_8. It misses a version
/// ```
/// So if it did not have the head before, it reads the slots once more.
///
/// It does not append to the snapshot chain: where no other session does, the low watermark rises
/// only with calls of [SnapshotChain#refresh].
///
/// Source: NAM-DB, section 4.1.
public final class DirectRead implements SnapshotOracle {
    private final TimestampVectorLayout layout;
    private final QueuePair queuePair;
    private final Announcement announcement;
    private final SlotReads slots;
    private long sequence;
    private long schemaEpoch;
    private long recovery;

    public DirectRead(TimestampSlot slot) {
        this.layout = slot.layout();
        this.queuePair = slot.queuePair();
        this.announcement = slot.announcement();
        this.slots = new SlotReads(layout, queuePair);
    }

    @Override
    public void acquire(Snapshot into) {
        long known = sequence;
        announcement.announce(known);
        long head = queuePair.read(layout.chain(), TimestampVectorLayout.CHAIN_BYTES);
        slots.post();
        queuePair.await();
        sequence = ChainHead.sequence(LocalMemory.longAcquire(head));
        schemaEpoch = LocalMemory.longAcquire(head + TimestampVectorLayout.SCHEMA_EPOCH_OFFSET);
        recovery = LocalMemory.longAcquire(head + TimestampVectorLayout.RECOVERY_OFFSET);
        if (layout.isPartitioned() && sequence != known) {
            slots.post();
            queuePair.await();
        }
        slots.settle();
        into.take(sequence, slots.timestamps(), slots.inUse());
    }

    @Override
    public boolean usesMembers() {
        return false;
    }

    @Override
    public void release() {
        announcement.withdraw();
    }

    /// They are always fresh.
    @Override
    public void expire() {}

    @Override
    public long schemaEpoch() {
        return schemaEpoch;
    }

    @Override
    public long recovery() {
        return recovery;
    }

    @Override
    public void forecast(VerbForecast acquiring, VerbForecast releasing) {
        int server = RemoteAddress.server(layout.chain());
        acquiring.write(server, 1, Long.BYTES);
        acquiring.read(server, 1, TimestampVectorLayout.CHAIN_BYTES);
        slots.forecastPost(acquiring);
        acquiring.roundTrips(1);
        releasing.write(server, 1, Long.BYTES);
    }
}
