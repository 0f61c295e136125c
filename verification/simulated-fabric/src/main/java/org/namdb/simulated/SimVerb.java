package org.namdb.simulated;

import java.util.SplittableRandom;
import java.util.function.LongFunction;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;

/// A verb on its way.
final class SimVerb {
    enum Kind {
        READ,
        WRITE,
        WRITE_WORD,
        COMPARE_AND_SWAP,
        FETCH_AND_ADD,

        /// From the poster's memory at `operand`; its reply is `desired` bytes at the most.
        REQUEST
    }

    private static final int WORD_BYTES = 8;

    final Kind kind;
    final long address;
    final int bytes;

    /// The native address of the memory server's bytes.
    final long remote;

    /// The native address of the poster's bytes: a view, or what is written.
    final long local;

    final long operand;
    final long desired;

    SimVerb(
            Kind kind,
            long address,
            int bytes,
            long remote,
            long local,
            long operand,
            long desired) {
        this.kind = kind;
        this.address = address;
        this.bytes = bytes;
        this.remote = remote;
        this.local = local;
        this.operand = operand;
        this.desired = desired;
    }

    int requestBytes() {
        return switch (kind) {
            case READ -> 0;
            case WRITE, REQUEST -> bytes;
            case WRITE_WORD, FETCH_AND_ADD -> WORD_BYTES;
            case COMPARE_AND_SWAP -> 2 * WORD_BYTES;
        };
    }

    int replyBytes() {
        return switch (kind) {
            case READ -> bytes;
            case WRITE, WRITE_WORD -> 0;
            case COMPARE_AND_SWAP, FETCH_AND_ADD -> WORD_BYTES;
            case REQUEST -> QueuePair.replyLength(local);
        };
    }

    boolean isAtomic() {
        return kind == Kind.COMPARE_AND_SWAP || kind == Kind.FETCH_AND_ADD;
    }

    /// Whether it moves more than `pieceBytes`, so that it may be torn.
    boolean canTear(int pieceBytes) {
        return (kind == Kind.READ || kind == Kind.WRITE)
                && bytes > pieceBytes - (int) (remote & (pieceBytes - 1));
    }

    /// Which of `moments` each piece is moved at. Pieces begin at multiples of their size in the
    /// memory server's region.
    byte[] tear(int pieceBytes, int moments, SplittableRandom random) {
        int skew = (int) (remote & (pieceBytes - 1));
        byte[] momentOf = new byte[(skew + bytes + pieceBytes - 1) / pieceBytes];
        for (int piece = 0; piece < momentOf.length; piece++) {
            momentOf[piece] = (byte) random.nextInt(moments);
        }
        return momentOf;
    }

    /// Moves the pieces whose moment it is.
    void takeEffect(byte[] momentOf, int moment, int pieceBytes) {
        int skew = (int) (remote & (pieceBytes - 1));
        for (int piece = 0; piece < momentOf.length; piece++) {
            if (momentOf[piece] == moment) {
                int begin = Math.max(piece * pieceBytes - skew, 0);
                int end = Math.min((piece + 1) * pieceBytes - skew, bytes);
                move(begin, end - begin);
            }
        }
    }

    /// Takes effect as a whole.
    ///
    /// @return what it found or left, as a word for the trace
    long takeEffect() {
        return switch (kind) {
            case READ, WRITE -> {
                move(0, bytes);
                yield LocalMemory.longAt(remote);
            }
            case WRITE_WORD -> {
                LocalMemory.putLong(remote, operand);
                yield operand;
            }
            case COMPARE_AND_SWAP -> {
                long found = LocalMemory.longAt(remote);
                if (found == operand) {
                    LocalMemory.putLong(remote, desired);
                }
                LocalMemory.putLong(local, found);
                yield found;
            }
            case FETCH_AND_ADD -> {
                long found = LocalMemory.longAt(remote);
                LocalMemory.putLong(remote, found + operand);
                LocalMemory.putLong(local, found);
                yield found;
            }
            case REQUEST -> throw new IllegalStateException("a handler answers it");
        };
    }

    private void move(int offset, int length) {
        if (kind == Kind.READ) {
            LocalMemory.copy(remote + offset, local + offset, length);
        } else {
            LocalMemory.copy(local + offset, remote + offset, length);
        }
    }

    String describe(LongFunction<String> names) {
        String where = names.apply(address);
        return switch (kind) {
            case READ -> "READ  %s, %d bytes".formatted(where, bytes);
            case WRITE -> "WRITE %s, %d bytes".formatted(where, bytes);
            case WRITE_WORD -> "WRITE %s = %#x".formatted(where, operand);
            case COMPARE_AND_SWAP -> "CAS   %s, %#x -> %#x".formatted(where, operand, desired);
            case FETCH_AND_ADD -> "FAA   %s, + %d".formatted(where, operand);
            case REQUEST -> "SEND  %s, %d bytes".formatted(where, bytes);
        };
    }
}
