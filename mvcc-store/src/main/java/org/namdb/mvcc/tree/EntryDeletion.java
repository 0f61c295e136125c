package org.namdb.mvcc.tree;

import java.util.Arrays;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.owner.LatchTimeoutException;

/// Deletes entries by their deleted bits, and takes out what is left of them: the entries when a
/// leaf is collected, the leaf when no live entry is in it.
final class EntryDeletion {
    private final QueuePair queuePair;
    private final LatchOwner owner;
    private final NodeLayout layout;
    private final Descent descent;
    private final NodeMerge merge;
    private final EntryBuffer entries;
    private final NodeFrame frame;
    private final long[] position;
    private final long[] high;

    EntryDeletion(
            QueuePair queuePair,
            NodeLayout layout,
            Descent descent,
            NodeMerge merge,
            LatchOwner owner) {
        this.queuePair = queuePair;
        this.owner = owner;
        this.layout = layout;
        this.descent = descent;
        this.merge = merge;
        this.entries = new EntryBuffer(queuePair, layout);
        this.frame = new NodeFrame(queuePair, layout);
        this.position = new long[layout.keyWords()];
        this.high = new long[layout.keyWords()];
    }

    /// Deletes `key` if it is there.
    ///
    /// @return whether it was there
    boolean delete(long[] key) {
        descent.seek(key, 0);
        NodeView leaf = descent.node();
        while (true) {
            int at = leaf.lowerBound(key);
            boolean live = leaf.isKeyAt(at, key) && !leaf.isDeleted(at);
            boolean lastOne = leaf.liveCount() == 1;
            if (leaf.isUnchanged()) {
                if (!live) {
                    return false;
                }
                if (leaf.latch(owner.slot())) {
                    NodeChange.postDelete(queuePair, layout, leaf, at);
                    queuePair.await();
                    if (lastOne) {
                        mergeSparse(key);
                    }
                    return true;
                }
            }
            descent.seekAgain(key, 0);
        }
    }

    /// Merges a sparse leaf away, and others around it that stayed empty when a merge was given up.
    long mergeSparse(long[] key) {
        long merged = 0;
        int live = 0;
        descent.finishUncancelled();
        try {
            while (live == 0) {
                live = merge.merge(key, 0);
                merged += live >= 0 ? 1 : 0;
            }
        } catch (LatchTimeoutException e) {
            // It is optional work, and another session can do it.
        }
        return merged;
    }

    /// Goes over all leaves: deleted entries are dropped, and leaves that are less than a quarter
    /// full are merged with a neighbour if the two fill no more than half a leaf. Leaves that
    /// another session is changing are left for the next time.
    ///
    /// @return how many leaves were merged away
    long collect() {
        long merged = 0;
        NodeView leaf = descent.node();
        Arrays.fill(position, 0);
        boolean more = true;
        while (more) {
            descent.seek(position, 0);
            leaf.copyHighFence(high);
            more = leaf.rightSibling() != RemoteAddress.NULL;
            int live = leaf.liveCount();
            if (!leaf.isUnchanged()) {
                more = true;
                continue;
            }
            if (live < leaf.count() && leaf.latch(owner.slot())) {
                dropDeleted(leaf);
            }
            if (live < layout.capacity(0) / 4) {
                merged += mergeSparse(position);
            }
            System.arraycopy(high, 0, position, 0, high.length);
            descent.end();
        }
        return merged;
    }

    /// Rewrites a latched leaf without its deleted entries.
    private void dropDeleted(NodeView leaf) {
        entries.clear();
        entries.appendLive(leaf, 0, leaf.count());
        entries.write(0, entries.count(), leaf.address(), 0, 0);
        frame.writeNoneDeleted(leaf.address());
        boolean runAtEnd = NodeHeader.runEnd(leaf.header()) == leaf.count();
        leaf.postHeader(
                NodeHeader.changed(leaf.header(), entries.count(), runAtEnd ? entries.count() : 0));
        queuePair.await();
    }
}
