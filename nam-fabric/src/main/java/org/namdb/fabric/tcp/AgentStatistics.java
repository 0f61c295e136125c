package org.namdb.fabric.tcp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;

/// What an agent has done since it was started. Written by its thread, but for the calls; read by
/// anyone.
final class AgentStatistics {
    private final AtomicLong verbs = new AtomicLong();
    private final AtomicLong frames = new AtomicLong();
    private final AtomicLong receivedBytes = new AtomicLong();
    private final AtomicLong sentBytes = new AtomicLong();
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong malformed = new AtomicLong();

    /// Only the agent's thread writes these, so no read-modify-write is needed.
    void frame(int verbCount, int requestBytes, int replyBytes) {
        verbs.setOpaque(verbs.getPlain() + verbCount);
        frames.setOpaque(frames.getPlain() + 1);
        receivedBytes.setOpaque(receivedBytes.getPlain() + requestBytes);
        sentBytes.setOpaque(sentBytes.getPlain() + replyBytes);
    }

    void called() {
        calls.incrementAndGet();
    }

    void refused() {
        refused.incrementAndGet();
    }

    void malformed() {
        malformed.incrementAndGet();
    }

    TcpStatistics now(long mappedVerbs, int clients) {
        return new TcpStatistics(
                verbs.getOpaque(),
                frames.getOpaque(),
                receivedBytes.getOpaque(),
                sentBytes.getOpaque(),
                calls.get(),
                refused.get(),
                malformed.get(),
                mappedVerbs,
                clients);
    }

    static byte[] bytes(TcpStatistics statistics) {
        return ByteBuffer.allocate(9 * Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(statistics.verbs())
                .putLong(statistics.frames())
                .putLong(statistics.receivedBytes())
                .putLong(statistics.sentBytes())
                .putLong(statistics.calls())
                .putLong(statistics.refused())
                .putLong(statistics.malformed())
                .putLong(statistics.mappedVerbs())
                .putLong(statistics.clients())
                .array();
    }

    static TcpStatistics read(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        return new TcpStatistics(
                in.getLong(),
                in.getLong(),
                in.getLong(),
                in.getLong(),
                in.getLong(),
                in.getLong(),
                in.getLong(),
                in.getLong(),
                in.getLong());
    }
}
