package org.namdb.mvcc;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;

/// A queue pair whose process dies in one of its batches: on each server, the verbs of the batch up
/// to some point take effect, and the await throws.
public final class CrashingQueuePair extends ForwardingQueuePair {
    /// The process has died.
    public static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Crash() {
            super("crashed", null, false, false);
        }
    }

    private static final int DUMMY_BYTES = 1 << 14;

    private final int servers;
    private final List<int[]> batches = new ArrayList<>();
    private int[] posted;
    private int crashBatch = -1;
    private int @Nullable [] prefixes;
    private long dummy;
    private boolean isDead;

    /// @param actual executes what takes effect
    /// @param servers how many memory servers there are
    public CrashingQueuePair(QueuePair actual, int servers) {
        super(actual);
        this.servers = servers;
        this.posted = new int[servers];
    }

    /// Starts to count batches, from 0.
    ///
    /// @param batch the one to die in; -1 for none
    /// @param most how many of its verbs take effect on each server
    public void arm(int batch, int @Nullable [] most) {
        batches.clear();
        posted = new int[servers];
        crashBatch = batch;
        prefixes = most;
        isDead = false;
    }

    /// How many verbs went to each server, batch by batch, since it was armed.
    public List<int[]> batches() {
        return List.copyOf(batches);
    }

    private boolean takesEffect(long address) {
        int server = RemoteAddress.server(address);
        int before = posted[server]++;
        return !isDead
                && (prefixes == null || batches.size() != crashBatch || before < prefixes[server]);
    }

    /// What verbs that take no effect have read. Few queue pairs have any.
    private long dummy() {
        if (dummy == 0) {
            dummy = actual.localMemory(DUMMY_BYTES);
        }
        return dummy;
    }

    @Override
    protected long postRead(long address, int bytes) {
        return takesEffect(address) ? actual.read(address, bytes) : dummy();
    }

    @Override
    protected void postWrite(long address, long source, int bytes) {
        if (takesEffect(address)) {
            actual.write(address, source, bytes);
        }
    }

    @Override
    protected void postWriteWord(long address, long value) {
        if (takesEffect(address)) {
            actual.writeWord(address, value);
        }
    }

    @Override
    protected long postCompareAndSwap(long address, long expected, long desired) {
        return takesEffect(address) ? actual.compareAndSwap(address, expected, desired) : dummy();
    }

    @Override
    protected long postFetchAndAdd(long address, long delta) {
        return takesEffect(address) ? actual.fetchAndAdd(address, delta) : dummy();
    }

    /// What the dead process does on its way out does not take effect.
    @Override
    public void disconnect() {
        isDead = true;
    }

    @Override
    protected void awaitCompletions() {
        if (isDead) {
            throw new Crash();
        }
        actual.await();
        boolean dies = prefixes != null && batches.size() == crashBatch;
        batches.add(posted);
        posted = new int[servers];
        if (dies) {
            throw new Crash();
        }
    }

    /// Every way in which a batch can have taken effect: for each server, how many of its verbs.
    public static List<int[]> cuts(int[] batch) {
        List<int[]> cuts = new ArrayList<>();
        int[] cut = new int[batch.length];
        while (true) {
            cuts.add(cut.clone());
            int server = 0;
            while (server < batch.length && cut[server] == batch[server]) {
                cut[server++] = 0;
            }
            if (server == batch.length) {
                return cuts;
            }
            cut[server]++;
        }
    }

    @Override
    public String toString() {
        return "dies in batch " + crashBatch + " after " + Arrays.toString(prefixes);
    }
}
