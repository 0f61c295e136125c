package org.namdb.mvcc.tree;

import java.util.Arrays;
import java.util.List;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.index.ChangeBatch;
import org.namdb.mvcc.owner.LatchOwner;

/// An insert into a tree concurrently with other changes. Of those of one batch for the same leaf,
/// one takes its latch, and makes the others' changes along with its own. A full leaf is left to
/// [NodeInsertion]; after its split, the remaining inserts are batched again.
final class TreeInsertion extends TreeChange {
    private final TreeClient client;
    private final NodeChange change;
    private int at;
    private boolean isPresent;

    /// The keys that go to the leaf together, in order.
    private final long[][] run = new long[ChangeBatch.MAX_CHANGES][];

    TreeInsertion(TreeClient client, Descent descent, LatchOwner owner) {
        super(client.queuePair(), client.layout(), descent, owner);
        this.client = client;
        this.change = new NodeChange(client.queuePair(), client.layout());
    }

    @Override
    boolean isLed(long leaf) {
        return client.isLed(this, leaf);
    }

    @Override
    State searchLeaf() {
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
            return;
        }
        int keys = takeOthers();
        if (keys > 1) {
            change.postRun(node, run, keys);
        } else {
            change.postEntry(node, at, key, RemoteAddress.NULL);
        }
    }

    /// Adds the others of the batch for this leaf, as far as they fit.
    ///
    /// @return how many there are, this one included
    private int takeOthers() {
        int keys = 1;
        run[0] = key;
        if (node.liveCount() == node.count()) { // else the deleted bits had to move, too
            int spare = Math.min(run.length, client.layout().capacity(0) - node.count());
            List<TreeInsertion> others = client.insertions();
            for (int i = 0; i < others.size(); i++) { // an iterator would be allocated
                TreeInsertion other = others.get(i);
                if (other != this
                        && keys < spare
                        && other.isWaitingFor(node)
                        && isMissing(other.key)
                        && addToRun(other.key, keys)) {
                    other.takenAlong();
                    keys++;
                }
            }
        }
        return keys;
    }

    /// Whether the leaf is the one for a key, and has it not.
    private boolean isMissing(long[] other) {
        return node.leadsTo(other, 0)
                && !node.isBeyond(other)
                && !node.isKeyAt(node.lowerBound(other), other);
    }

    /// Adds a key to the first `keys` of the run, unless it is there.
    private boolean addToRun(long[] other, int keys) {
        int place = keys;
        while (place > 0 && Arrays.compareUnsigned(run[place - 1], other) > 0) {
            place--;
        }
        if (place > 0 && Arrays.equals(run[place - 1], other)) {
            return false;
        }
        System.arraycopy(run, place, run, place + 1, keys - place);
        run[place] = other;
        return true;
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
            case FINDING, DESCENDING, FOLLOWING, LATCHING, ALONE -> {
                boolean isAdded = client.insert(key);
                finished(isAdded); // final even if the others fail
                client.insertLeftOver();
                yield isAdded;
            }
        };
    }
}
