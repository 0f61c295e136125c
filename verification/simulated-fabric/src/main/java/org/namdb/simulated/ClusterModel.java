package org.namdb.simulated;

/// How long things take in a simulated cluster: every parameter of its hardware, in this one place.
///
/// A verb takes: the poster's processor, its port, the way there, the memory server's port, the way
/// back. Ports and processors do one thing at a time, so they are where queues build up. A READ
/// fills the memory server's port with its reply, a WRITE the compute server's with its request.
///
/// @param oneWayNanos from port to port, empty network, small message
/// @param bytesPerSecond of a port, in each direction
/// @param messagesPerSecond of a port: the least time between two messages
/// @param headerBytes what a message has besides its payload
/// @param atomicNanos what an atomic takes longer than a READ of 8 bytes, at the memory
///     server's port
/// @param postNanos processor time to post a verb
/// @param completeNanos processor time to take up what an await has brought
/// @param handleNanos processor time of the memory server for a request
/// @param cores processors of a host
public record ClusterModel(
        long oneWayNanos,
        long bytesPerSecond,
        long messagesPerSecond,
        int headerBytes,
        long atomicNanos,
        long postNanos,
        long completeNanos,
        long handleNanos,
        int cores) {
    private static final double NANOS_PER_SECOND = 1e9;

    /// InfiniBand FDR 4x with Connect-IB cards, and two processors of ten cores: the cluster of
    /// NAM-DB, section 7. A small READ takes two microseconds there and back, a port moves
    /// 6.8 GB/s.
    public static final ClusterModel INFINIBAND_FDR =
            new ClusterModel(900, 6_800_000_000L, 35_000_000, 30, 100, 50, 100, 2_000, 20);

    /// The same network with processors that cost nothing: for tests, where only the order of
    /// things matters.
    public static final ClusterModel FREE_PROCESSORS =
            new ClusterModel(900, 6_800_000_000L, 35_000_000, 30, 100, 0, 0, 0, 1);

    public ClusterModel {
        if (oneWayNanos < 1 || bytesPerSecond < 1 || messagesPerSecond < 1 || cores < 1) {
            throw new IllegalArgumentException(
                    "latency, bandwidth, message rate and cores must be positive");
        }
        if (headerBytes < 0
                || atomicNanos < 0
                || postNanos < 0
                || completeNanos < 0
                || handleNanos < 0) {
            throw new IllegalArgumentException("a cost can't be negative");
        }
    }

    /// How long a port is busy with a message.
    long portNanos(long payloadBytes) {
        double transfer = (payloadBytes + headerBytes) * NANOS_PER_SECOND / bytesPerSecond;
        return (long) Math.max(transfer, NANOS_PER_SECOND / messagesPerSecond);
    }
}
