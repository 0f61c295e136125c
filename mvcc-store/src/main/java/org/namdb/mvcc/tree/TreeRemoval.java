package org.namdb.mvcc.tree;

import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.owner.LatchOwner;

/// A removal from a tree concurrently with other changes. Of a leaf that gets empty,
/// [EntryDeletion] takes what is left out of the tree, when the others are done.
final class TreeRemoval extends TreeChange {
    private final QueuePair queuePair;
    private final TreeClient client;
    private int at;
    private boolean isLast;

    TreeRemoval(QueuePair queuePair, TreeClient client, Descent descent, LatchOwner owner) {
        super(queuePair, client.layout(), descent, owner);
        this.queuePair = queuePair;
        this.client = client;
    }

    @Override
    State searchLeaf() {
        at = node.lowerBound(key);
        isLast = node.liveCount() == 1;
        return node.isKeyAt(at, key) && !node.isDeleted(at) ? State.LATCHING : State.NOTHING;
    }

    @Override
    void postChange() {
        NodeChange.postDelete(queuePair, client.layout(), node, at);
    }

    @Override
    public boolean finish() {
        return switch (state()) {
            case POSTED -> {
                if (isLast) {
                    client.mergeSparse(key);
                }
                yield true;
            }
            case NOTHING -> false;
            case FINDING, DESCENDING, FOLLOWING, LATCHING, ALONE -> client.delete(key);
        };
    }
}
