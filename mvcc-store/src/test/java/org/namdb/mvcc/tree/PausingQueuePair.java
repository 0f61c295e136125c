package org.namdb.mvcc.tree;

import org.namdb.fabric.QueuePair;

/// A queue pair that does something before every READ, so also between the READs of one batch, and
/// at every await: after the verbs have taken effect, before the caller learns what they found.
/// There a test lets other threads in.
final class PausingQueuePair extends QueuePair {
    private final QueuePair actual;
    private final Runnable pause;

    PausingQueuePair(QueuePair actual, Runnable pause) {
        this.actual = actual;
        this.pause = pause;
    }

    @Override
    public boolean readsInPlace(int server) {
        return actual.readsInPlace(server);
    }

    @Override
    public int landingBytes() {
        return actual.landingBytes();
    }

    @Override
    public long landed() {
        return actual.landed();
    }

    @Override
    protected void forgetViews(long mark) {
        actual.giveUpViews(mark);
    }

    @Override
    public long localMemory(long bytes) {
        return actual.localMemory(bytes);
    }

    @Override
    public void disconnect() {
        actual.disconnect();
    }

    @Override
    public void close() {
        actual.close();
    }

    @Override
    protected long postRead(long address, int bytes) {
        pause.run();
        return actual.read(address, bytes);
    }

    @Override
    protected void postWrite(long address, long source, int bytes) {
        actual.write(address, source, bytes);
    }

    @Override
    protected void postWriteWord(long address, long value) {
        actual.writeWord(address, value);
    }

    @Override
    protected long postCompareAndSwap(long address, long expected, long desired) {
        return actual.compareAndSwap(address, expected, desired);
    }

    @Override
    protected long postFetchAndAdd(long address, long delta) {
        return actual.fetchAndAdd(address, delta);
    }

    @Override
    protected void awaitCompletions() {
        actual.await();
        pause.run();
    }

    @Override
    protected byte[] exchange(int server, byte[] request) {
        return actual.call(server, request);
    }
}
