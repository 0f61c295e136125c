package org.namdb.mvcc.tree;

import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;

/// An insert into a tree beside other changes. A full leaf is left to [NodeInsertion].
final class TreeInsertion extends TreeChange {
    private final TreeClient client;
    private final NodeChange change;
    private int at;
    private boolean isPresent;

    TreeInsertion(QueuePair queuePair, TreeClient client, Descent descent, int slot) {
        super(queuePair, client.layout(), descent, slot);
        this.client = client;
        this.change = new NodeChange(queuePair, client.layout());
    }

    @Override
    State look() {
        at = node.lowerBound(key);
        isPresent = node.isKeyAt(at, key);
        if (isPresent && !node.isDeleted(at)) {
            return State.NOTHING;
        }
        return !isPresent && node.isFull() ? State.ALONE : State.LATCHING;
    }

    @Override
    void postChange() {
        if (isPresent) {
            change.postUndelete(node, at);
        } else {
            change.postEntry(node, at, key, RemoteAddress.NULL);
        }
    }

    @Override
    public boolean isAdded() {
        return state() == State.POSTED;
    }

    @Override
    public boolean finish() {
        return switch (state()) {
            case POSTED -> true;
            case NOTHING -> false;
            case DESCENDING, LATCHING, ALONE -> client.insert(key);
        };
    }
}
