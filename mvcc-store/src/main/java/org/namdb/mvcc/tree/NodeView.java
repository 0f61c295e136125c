package org.namdb.mvcc.tree;

import java.lang.invoke.VarHandle;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;

/// One node as it was read: its header, and a view of its bytes, which may be the node itself.
/// Until [#isUnchanged] has returned true, what is taken from the view may mix two states of the
/// node; it can be read, as the count is the header's, but not acted on. While this thread holds
/// the latch, the view is exact.
final class NodeView {
    private final QueuePair queuePair;
    private final NodeLayout layout;
    private long address;
    private long memory;
    private long leading;
    private long trailing;
    private long header;
    private long casView;

    NodeView(QueuePair queuePair, NodeLayout layout) {
        this.queuePair = queuePair;
        this.layout = layout;
    }

    /// Reads a node: one round trip.
    void read(long node) {
        post(node);
        queuePair.await();
        land();
    }

    /// Posts the validated read of a node; [#land] comes after the await.
    void post(long node) {
        address = node;
        leading = queuePair.readLeading(node, Long.BYTES);
        memory = queuePair.read(node, layout.nodeBytes());
        trailing = queuePair.read(node, Long.BYTES);
    }

    /// Takes the header, before anything else is taken from the view.
    void land() {
        header = LocalMemory.longAcquire(leading == 0 ? memory : leading);
    }

    /// Takes a node as it was put together in local memory, with its header.
    void takeImage(long node, long image) {
        address = node;
        leading = 0;
        memory = image;
        trailing = image;
        land();
    }

    /// Whether everything that was taken from the view up to now is the node of this header.
    boolean isUnchanged() {
        VarHandle.loadLoadFence();
        return LocalMemory.longAcquire(trailing) == header;
    }

    /// The header as it was read last.
    long trailingHeader() {
        return LocalMemory.longAcquire(trailing);
    }

    /// Tries to latch the node as it was read, for slot `holder`: one round trip. If this fails,
    /// the node has changed.
    boolean latch(int holder) {
        postLatch(holder);
        queuePair.await();
        return isLatchWon();
    }

    /// Posts the compare-and-swap that latches the node as it was read, for slot `holder`.
    void postLatch(int holder) {
        casView = queuePair.compareAndSwap(address, header, NodeHeader.latch(header, holder));
    }

    /// Whether the latch was taken, after the await.
    boolean isLatchWon() {
        return LocalMemory.longAt(casView) == header;
    }

    /// Posts the WRITE of a header, the last one to a latched node.
    void postHeader(long newHeader) {
        queuePair.writeWord(address, newHeader);
    }

    /// Copies the node as it was read, its header first.
    void copyTo(long[] words) {
        words[0] = header;
        for (int word = 1; word < words.length; word++) {
            words[word] = LocalMemory.longAt(memory + 8L * word);
        }
    }

    long address() {
        return address;
    }

    /// The header as it was read, so without the latch that was taken since.
    long header() {
        return header;
    }

    int count() {
        return NodeHeader.count(header);
    }

    int level() {
        return NodeHeader.level(header);
    }

    boolean isFull() {
        return count() == layout.capacity(level());
    }

    /// Whether the node is of this level, unlatched and alive, and `key` is not below its range:
    /// then the key is in this node's range or further right. A pointer to a node that died, and
    /// became another one or not, is found out here.
    boolean leadsTo(long[] key, int level) {
        return NodeHeader.isOpenAt(header, level)
                && layout.isAtMost(memory + layout.lowFence(), key);
    }

    /// Whether `key` is above the node's range.
    boolean isBeyond(long[] key) {
        return rightSibling() != RemoteAddress.NULL
                && layout.isAtMost(memory + NodeLayout.HIGH_FENCE, key);
    }

    long rightSibling() {
        return LocalMemory.longAt(memory + NodeLayout.RIGHT_SIBLING);
    }

    /// The native address of the right sibling's address and, behind it, the high fence.
    long link() {
        return memory + NodeLayout.RIGHT_SIBLING;
    }

    void copyHighFence(long[] key) {
        layout.copyKey(memory + NodeLayout.HIGH_FENCE, key);
    }

    void copyLowFence(long[] key) {
        layout.copyKey(memory + layout.lowFence(), key);
    }

    boolean isLowFence(long[] key) {
        return layout.isEqual(memory + layout.lowFence(), key);
    }

    /// The first entry that is not below `key`.
    int lowerBound(long[] key) {
        return layout.lowerBound(keyAt(0), count(), key);
    }

    /// Whether there is an entry `index`, and its key is `key`.
    boolean isKeyAt(int index, long[] key) {
        return index < count() && layout.isEqual(keyAt(index), key);
    }

    /// The native address of a key.
    long keyAt(int index) {
        return memory + layout.keys(level()) + (long) index * layout.keyBytes();
    }

    /// The child that is responsible for `key`, which is not below the range.
    int childIndex(long[] key) {
        int index = lowerBound(key);
        return isKeyAt(index, key) ? index : Math.max(index - 1, 0);
    }

    long child(int index) {
        return LocalMemory.longAt(childAt(index));
    }

    /// The native address of a child's address.
    long childAt(int index) {
        return memory + layout.children() + 8L * index;
    }

    /// The word of deleted bits with bit `64 * word`.
    long deletedWord(int word) {
        return LocalMemory.longAt(memory + layout.deleted() + 8L * word);
    }

    boolean isDeleted(int index) {
        return (deletedWord(index >>> 6) >>> index & 1) != 0;
    }

    /// The end of the live entries of this leaf from `from` on that follow each other, `end` at the
    /// latest; `from` if that one is deleted.
    int runEnd(int from, int end) {
        int at = from;
        while (at < end) {
            long deleted = deletedWord(at >>> 6) >>> at;
            if (deleted != 0) {
                return Math.min(at + Long.numberOfTrailingZeros(deleted), end);
            }
            at = (at | 63) + 1;
        }
        return end;
    }

    /// How many entries of this leaf are not deleted; an inner node's never are.
    int liveCount() {
        return count() - (level() == 0 ? deletedCount() : 0);
    }

    private int deletedCount() {
        int bits = 0;
        for (int word = 0; word < layout.deletedWords(); word++) {
            bits += Long.bitCount(deletedWord(word));
        }
        return bits;
    }
}
