package org.namdb.fabric.rdma;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// How RDMA is done.
///
/// @param device the device's name, as `rdma link` shows it; null for the first that will do
/// @param port the device's port, from 1; 0 for any
/// @param gid the number of the port's address (GID) to use; negative for any that is IPv4
/// @param token the token of the other side, too; empty for none
/// @param landingBytes how much a queue pair can land before it overwrites
/// @param sendDepth how many verbs one connection may have under way
/// @param pieceBytes how much of a region is registered at a time: a power of two, at most 1 GiB
/// @param timeoutNanos after this time without a reply a connection has failed
public record RdmaOptions(
        @Nullable String device,
        int port,
        int gid,
        String token,
        int landingBytes,
        int sendDepth,
        long pieceBytes,
        long timeoutNanos) {
    /// Any device, no token, 1 MiB of landing buffer, 128 verbs under way, pieces of 1 GiB, 10
    /// seconds.
    public static final RdmaOptions DEFAULT =
            new RdmaOptions(null, 0, -1, "", 1 << 20, 128, 1L << 30, TimeUnit.SECONDS.toNanos(10));

    private static final long LARGEST_PIECE = 1L << 30;
    private static final int MAX_VERBS = 1 << 14;
    private static final int SMALLEST_PIECE = 4096;

    public RdmaOptions {
        require(sendDepth >= 1 && sendDepth <= MAX_VERBS, "a send depth is 1 to " + MAX_VERBS);
        require(
                Long.bitCount(pieceBytes) == 1
                        && pieceBytes >= SMALLEST_PIECE
                        && pieceBytes <= LARGEST_PIECE,
                "a piece is a power of two from " + SMALLEST_PIECE + " to 2^30 bytes");
        require(
                landingBytes >= Long.BYTES && landingBytes <= LARGEST_PIECE / 4,
                "a landing buffer is at most 2^28 bytes");
        require(timeoutNanos > 0, "a timeout is more than nothing");
        require(port >= 0, "a port is 1 or more, or 0 for any");
    }

    private static void require(boolean holds, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(rule);
        }
    }

    /// The same on a device of this name, on this port of it, with this of its addresses.
    public RdmaOptions withDevice(@Nullable String name, int itsPort, int itsGid) {
        return new RdmaOptions(
                name, itsPort, itsGid, token, landingBytes, sendDepth, pieceBytes, timeoutNanos);
    }

    /// The same with another token.
    public RdmaOptions withToken(String other) {
        return new RdmaOptions(
                device, port, gid, other, landingBytes, sendDepth, pieceBytes, timeoutNanos);
    }

    /// The same with landing buffers of so many bytes.
    public RdmaOptions withLandingBytes(int bytes) {
        return new RdmaOptions(
                device, port, gid, token, bytes, sendDepth, pieceBytes, timeoutNanos);
    }

    /// The same with so many verbs under way.
    public RdmaOptions withSendDepth(int verbs) {
        return new RdmaOptions(
                device, port, gid, token, landingBytes, verbs, pieceBytes, timeoutNanos);
    }

    /// The same with pieces of so many bytes.
    public RdmaOptions withPieceBytes(long bytes) {
        return new RdmaOptions(
                device, port, gid, token, landingBytes, sendDepth, bytes, timeoutNanos);
    }

    /// The same with another limit for silence.
    public RdmaOptions withTimeoutNanos(long nanos) {
        return new RdmaOptions(
                device, port, gid, token, landingBytes, sendDepth, pieceBytes, nanos);
    }

    @Override
    public String toString() {
        return "device %s, port %d, GID %d, %s token, %d bytes landed, %d verbs, %d ns"
                .formatted(
                        device == null ? "any" : device,
                        port,
                        gid,
                        token.isEmpty() ? "no" : "a",
                        landingBytes,
                        sendDepth,
                        timeoutNanos);
    }
}
