package org.namdb.fabric.tcp;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A compute server's state in an agent, over any number of connections, one after the other. For
/// the agent's thread alone.
final class ServedClient {
    /// Of a process that is not enrolled.
    static final int NO_PROCESS = -1;

    private final UUID id;
    private final Map<Integer, ServedQueuePair> queuePairs = new HashMap<>();

    /// The queue pair that was used last, and its number.
    private int lastNumber = -1;

    private @Nullable ServedQueuePair last;

    private @Nullable ServedConnection connection;
    private int process = NO_PROCESS;
    private long goneSinceNanos;

    ServedClient(UUID id) {
        this.id = id;
    }

    UUID id() {
        return id;
    }

    int process() {
        return process;
    }

    void enroll(int number) {
        process = number;
    }

    @Nullable ServedConnection connection() {
        return connection;
    }

    /// From now on, answers go there.
    void connect(ServedConnection to) {
        connection = to;
    }

    /// Its connection is gone; it may come back.
    void disconnect(long nowNanos) {
        connection = null;
        goneSinceNanos = nowNanos;
    }

    boolean isGoneFor(long nanos, long nowNanos) {
        return connection == null && nowNanos - goneSinceNanos > nanos;
    }

    ServedQueuePair queuePair(int number) {
        ServedQueuePair found = last;
        if (number != lastNumber || found == null) {
            found = queuePairs.computeIfAbsent(number, _ -> new ServedQueuePair());
            last = found;
            lastNumber = number;
        }
        return found;
    }
}
