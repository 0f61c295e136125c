package org.namdb.mvcc.tree;

import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.QueuePair;

/// A queue pair that does something before every READ, so also between the READs of one batch, and
/// at every await: after the verbs have taken effect, before the caller gets their results. There a
/// test runs other threads.
final class PausingQueuePair extends ForwardingQueuePair {
    private final Runnable pause;

    PausingQueuePair(QueuePair actual, Runnable pause) {
        super(actual);
        this.pause = pause;
    }

    @Override
    protected long postRead(long address, int bytes) {
        pause.run();
        return actual.read(address, bytes);
    }

    @Override
    protected void awaitCompletions() {
        actual.await();
        pause.run();
    }
}
