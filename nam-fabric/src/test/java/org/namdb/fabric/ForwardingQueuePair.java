package org.namdb.fabric;

/// A queue pair that is another one but for what a test changes about it. Views are the other's,
/// and are given up there.
public abstract class ForwardingQueuePair extends QueuePair {
    protected final QueuePair actual;

    protected ForwardingQueuePair(QueuePair actual) {
        this.actual = actual;
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
    public boolean releaseLocalMemory(long address) {
        return actual.releaseLocalMemory(address);
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
    }

    @Override
    protected long postRequest(int server, long source, int bytes, int replyBytes) {
        return actual.request(server, source, bytes, replyBytes);
    }
}
