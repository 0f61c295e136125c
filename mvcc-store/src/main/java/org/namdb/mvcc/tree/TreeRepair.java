package org.namdb.mvcc.tree;

import java.util.Arrays;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.owner.DeadSlots;
import org.namdb.mvcc.owner.LatchKind;
import org.namdb.mvcc.owner.LatchOwner;

/// Repairs what dead sessions left in the middle of a change: every node of a tree that is latched
/// by a dead slot. Their processes are fenced, so none of their verbs takes effect any more; others
/// use the tree meanwhile.
///
/// It goes over the levels, leaves first, and over each from left to right. A latch is first taken
/// over from the dead slot by compare-and-swap, so of two repairers only one works on a node; one
/// that dies half-way leaves a node that the next can repair, as a dead slot's. The verbs of a dead
/// process have taken effect up to some point on each server, each WRITE as a whole. So what is
/// found is one of:
/// ```
///   operation         | where it stopped               | found                       | becomes
///   ------------------+--------------------------------+-----------------------------+----------
///   any               | only latched                   | whole                       | unlatched
///   delete, undelete  | bits written, or not           | whole                       | unlatched
///   insert into leaf  | entries moved up, count not    | last ones are behind count  | count + n
///   compaction        | entries moved down, count not  | old ones behind, not above  | those go
///   split, of a run   | right nodes not linked         | whole; right nodes unknown  | unlatched
///   into many too     | linked, others not             | entries above high fence,   | those go
///                     |                                | or zero                     |
///                     | linked; right nodes latched    | whole                       | unlatched
///   new root          | in the anchor, latched         | whole                       | unlatched
///   merge of A and B  | A's link not written, B dead   | A leads to a dead node      | B lives on
///                     | A's link written               | A has all; parent has B     | B removed
///   insert into inner | separators moved, children not | all children but the new    | as before
///                     | both, count not                | last ones are behind count  | count + n
///   share of A and B  | one has grown, other not shrunk| A's high above B's low      | A shrinks
/// ```
/// In a leaf, entries count as long as they ascend, between the fences; those behind the count as
/// well, if that is not 0, as a run may have added any number. What stands there else is zero, or
/// an entry that the leaf once had, and that the check of its record filters out. It is unknown
/// whether the deleted bits were moved with the entries, so all are cleared: a deleted entry may
/// come back, but none is lost. In an inner node only children count: the separators are their low
/// fences; behind the count, a child whose low fence is not the separator beside it is a former
/// one. Those that belong to the node are the ones that it points to and that the level below leads
/// to, in its range; the others were merged away or are another node's by now. A child may lack a
/// separator afterwards, which costs a move to the right.
///
/// A node that was not linked yet, or not any more, is lost: its memory comes back with the tree's.
///
/// Belongs to one thread.
public final class TreeRepair {
    /// In place of the next node: this one has died.
    private static final long DIED = 1;

    /// No level changes so often in a row under a walk: it is corrupt.
    private static final int MAX_DEATHS = 1 << 16;

    private final QueuePair queuePair;
    private final BLinkTree tree;
    private final NodeLayout layout;
    private final LatchOwner owner;
    private final DeadSlots dead;
    private final NodeView node;
    private final EntryBuffer entries;
    private final NodeFrame frame;
    private final InnerRepair inner;
    private final long[] position;
    private final long[] last;
    private final long[] key;
    private final long[] bound;
    private long repaired;

    /// @param owner the owner that takes the latches over. Its slot is none of the dead ones; or it
    ///     is one, if no other session repairs: then a repairer that dies leaves a dead slot's
    ///     latches, too
    /// @param dead whose latches are repaired
    public TreeRepair(QueuePair queuePair, BLinkTree tree, LatchOwner owner, DeadSlots dead) {
        this.queuePair = queuePair;
        this.tree = tree;
        this.layout = tree.layout();
        this.owner = owner;
        this.dead = dead;
        this.node = new NodeView(queuePair, layout);
        this.entries = new EntryBuffer(queuePair, layout);
        this.frame = new NodeFrame(queuePair, layout);
        this.inner = new InnerRepair(queuePair, layout, owner, dead);
        this.position = new long[layout.keyWords()];
        this.last = new long[layout.keyWords()];
        this.key = new long[layout.keyWords()];
        this.bound = new long[layout.keyWords()];
    }

    /// Repairs all nodes that the dead slots have latched.
    ///
    /// @return how many there were
    /// @throws org.namdb.mvcc.owner.LatchTimeoutException if a node stays latched by another slot.
    ///     What was repaired stays so; the others can be repaired later
    public long repair() {
        repaired = 0;
        long[] leftmost = TreeLevels.leftmost(queuePair, tree);
        for (int level = 0; level < leftmost.length; level++) {
            repairLevel(leftmost, level);
        }
        return repaired;
    }

    /// Visits the nodes of a level. Where a node has died since a pointer to it was read, it goes
    /// on from the one before, or from the first; [#position] is how far it has come.
    private void repairLevel(long[] leftmost, int level) {
        Arrays.fill(position, 0);
        long before = leftmost[level];
        long at = leftmost[level];
        int died = 0;
        while (at != RemoteAddress.NULL) {
            long next = visit(at, level, leftmost);
            if (next == DIED) {
                if (++died > MAX_DEATHS) {
                    throw new IllegalStateException("level " + level + " can't be walked");
                }
                at = at == before ? leftmost[level] : before;
                before = leftmost[level];
            } else {
                died = 0;
                before = at;
                at = next;
            }
        }
    }

    /// Visits a node, and repairs it if need be.
    ///
    /// @return its right sibling, or [#DIED] if it is no node of this level, or one too far to the
    ///     right
    private long visit(long at, int level, long[] leftmost) {
        owner.startWait();
        try (ViewScope views = queuePair.openViews()) {
            while (true) {
                node.read(at);
                long header = node.header();
                if (NodeHeader.isLatched(header)) {
                    if (!dead.contains(NodeHeader.holder(header))) {
                        owner.pause(LatchKind.TREE_NODE, at, NodeHeader.holder(header));
                    } else if (takeOver(header)) {
                        repair(header, leftmost);
                        repaired++;
                    }
                } else if (!NodeHeader.isOpenAt(header, level)) {
                    return DIED;
                } else if (node.isUnchanged()) {
                    node.copyLowFence(key);
                    if (Arrays.compareUnsigned(key, position) > 0) {
                        return DIED;
                    }
                    node.copyHighFence(bound);
                    long next = node.rightSibling();
                    if (node.isUnchanged()) {
                        System.arraycopy(bound, 0, position, 0, bound.length);
                        return next;
                    }
                }
                views.giveUp();
            }
        }
    }

    /// Takes a dead slot's latch. As its holder changes nothing any more, the node is as it was
    /// read.
    private boolean takeOver(long header) {
        long taken = NodeHeader.takenOver(header, owner.slot());
        return queuePair.casWord(node.address(), header, taken) == header;
    }

    /// Repairs the node that was read, whose latch is held, and unlatches it. If that can't be done
    /// now, the latch is the dead slot's again.
    private void repair(long header, long[] leftmost) {
        boolean isDone = false;
        try {
            reviveRight();
            if (NodeHeader.level(header) == 0) {
                repairLeaf(header);
            } else {
                inner.repair(node, leftmost[NodeHeader.level(header) - 1]);
            }
            isDone = true;
        } finally {
            if (!isDone) {
                node.postHeader(header);
            }
            queuePair.await();
        }
    }

    /// A node that was to die in a merge, and did so before its left neighbour took what it has,
    /// lives on.
    private void reviveRight() {
        long right = node.rightSibling();
        if (right == RemoteAddress.NULL) {
            return;
        }
        long header = queuePair.readWord(right);
        if (NodeHeader.isDead(header)) {
            long alive =
                    NodeHeader.renewed(
                            header, NodeHeader.level(header), NodeHeader.count(header), 0);
            long _ = queuePair.compareAndSwap(right, header, alive);
            queuePair.await();
        }
    }

    private void repairLeaf(long header) {
        boolean isLast = node.rightSibling() == RemoteAddress.NULL;
        node.copyHighFence(bound);
        node.copyLowFence(last);
        int count = node.count();
        int end = count == 0 ? 0 : layout.capacity(0);
        if (PlantedFault.REPAIR_TRUSTS_COUNT.isPlanted()) {
            end = count;
        }
        entries.clear();
        for (int index = 0; index < end; index++) {
            layout.copyKey(node.keyAt(index), key);
            int order = Arrays.compareUnsigned(key, last);
            boolean ascends = entries.count() == 0 ? order >= 0 : order > 0;
            if (ascends && (isLast || Arrays.compareUnsigned(key, bound) < 0)) {
                entries.append(node, index, index + 1);
                System.arraycopy(key, 0, last, 0, key.length);
            }
        }
        entries.write(0, entries.count(), node.address(), 0, 0);
        frame.writeNoneDeleted(node.address());
        node.postHeader(NodeHeader.changed(header, entries.count(), 0));
    }
}
