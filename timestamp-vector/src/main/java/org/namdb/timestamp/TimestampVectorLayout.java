package org.namdb.timestamp;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;

/// Where the timestamp vector and the snapshot chain lie in a memory server's region: n slots, from
/// `address` on, which is a multiple of 64.
/// ```
///    0  identity        word 0: MAGIC, word 1: n, word 2: E, the maximum transaction time, in ns,
///                       word 3: p, how many servers the slots lie on
///   64  chain           word 0: the ChainHead; word 1: the schema epoch; word 2: the recovery
///                       flag. Every begin reads the three of them by one READ
///  128  low watermark   word 0: a sequence number of the chain
///  192  slots           word 0: how many slots are in use, from 0 on; then
///                       n words: V[i], the last published timestamp of slot i, if i mod p = 0;
///                       V[i] is word i / p of them
///    +  owners          n words: the owner of slot i, 0 for none
///    +  reservations    n words: no timestamp of slot i beyond this one was ever used
///    +  announcements   n lines of 64 bytes, word 0: the Announcement of slot i
///    +  chain buffers   2n ChainBuffers, two for each slot
/// ```
/// All arrays start at a multiple of 64. Zeroed memory reads as: slots free, nothing committed,
/// member 0 of the chain. The number of slots in use only rises, so a reader of that many misses
/// none. Head, schema epoch, recovery flag, number in use, owners and low watermark are changed by
/// atomic verbs, and so by verbs only.
///
/// A *partitioned* vector has p > 1: on the k-th of the p - 1 memory servers that follow, at the
/// same offset, is an array whose word i / p is `V[i]`, for all i with i mod p = k. So the slots in
/// use, which are the first ones, are spread evenly, whatever their number. Everything else is on
/// the first server: a chain has one head.
///
/// The chain buffers are 16 n² bytes, which take memory when they are first used: 17 MB for 1,024
/// slots, 4.3 GB for 16,384.
///
/// Source: NAM-DB, sections 4 and 4.2 (partitioning); the layout is this project's.
///
/// @param address the remote address of the first byte
/// @param maxSlots n, 1 to 16,384
/// @param servers p, 1 for a vector that is not partitioned
public record TimestampVectorLayout(long address, int maxSlots, int servers) {
    private static final long MAGIC = 0x3254_5642_444d_414eL; // "NAMDBVT2"
    private static final int LINE = 64;
    private static final int MAX_SLOTS_OFFSET = 8;
    private static final int MAX_TRANSACTION_OFFSET = 16;
    private static final int SERVERS_OFFSET = 24;
    private static final int CHAIN_OFFSET = 64;
    private static final int WATERMARK_OFFSET = 128;

    /// What a begin reads of the chain's line: its words don't depend on each other.
    public static final int CHAIN_BYTES = 24;

    /// Where the schema epoch is, after the chain's head.
    public static final int SCHEMA_EPOCH_OFFSET = 8;

    /// Where the recovery flag is, after the chain's head.
    public static final int RECOVERY_OFFSET = 16;

    private static final int SLOTS_OFFSET = 192;
    private static final int ZEROED_PER_WRITE = 1 << 14;

    /// Where the first slot is, after the number of slots in use.
    public static final int FIRST_SLOT_OFFSET = 8;

    /// The buffers that each slot has for members of the chain.
    public static final int BUFFERS_PER_SLOT = 2;

    public TimestampVectorLayout {
        if (maxSlots < 1 || maxSlots > CommitTimestamp.MAX_SLOTS) {
            throw new IllegalArgumentException(
                    "a timestamp vector has 1 to "
                            + CommitTimestamp.MAX_SLOTS
                            + " slots, not "
                            + maxSlots);
        }
        if (RemoteAddress.isNull(address) || RemoteAddress.offset(address) % LINE != 0) {
            throw new IllegalArgumentException(
                    "a timestamp vector starts at a multiple of 64, not at "
                            + RemoteAddress.describe(address));
        }
        int most = RemoteAddress.MAX_SERVERS - RemoteAddress.server(address);
        if (servers < 1 || servers > most) {
            throw new IllegalArgumentException(
                    "the slots lie on 1 to " + most + " servers, not " + servers);
        }
    }

    /// A vector that is not partitioned.
    public TimestampVectorLayout(long address, int maxSlots) {
        this(address, maxSlots, 1);
    }

    /// The bytes that a vector of `maxSlots` slots and its snapshot chain need on the first server.
    public static long bytes(int maxSlots) {
        return chainBuffersOffset(maxSlots)
                + (long) BUFFERS_PER_SLOT * maxSlots * chainBufferBytes(maxSlots);
    }

    /// The bytes that are needed on a memory server.
    ///
    /// @param server its number
    public long bytesOn(int server) {
        int part = server - RemoteAddress.server(address);
        return part == 0 ? bytes(maxSlots) : isPart(part) ? aligned(8L * count(part, maxSlots)) : 0;
    }

    private boolean isPart(int part) {
        return part > 0 && part < servers;
    }

    /// Whether the slots lie on several servers.
    public boolean isPartitioned() {
        return servers > 1;
    }

    /// How many of the first `slots` slots lie in a part of the vector.
    ///
    /// @param part 0 for the first server, to p - 1
    public int count(int part, int slots) {
        return (Math.max(slots, part) - part + servers - 1) / servers;
    }

    /// The first slot of a part of the vector, if it has one; the others follow.
    ///
    /// @param part 0 for the first server, to p - 1
    public long firstOf(int part) {
        return part == 0
                ? slotsInUse() + FIRST_SLOT_OFFSET
                : RemoteAddress.of(
                        RemoteAddress.server(address) + part, RemoteAddress.offset(address));
    }

    /// The layout of the vector that was formatted at `address`.
    ///
    /// @throws IllegalStateException if there is none
    public static TimestampVectorLayout open(QueuePair queuePair, long address) {
        if (queuePair.readWord(address) != MAGIC) {
            throw new IllegalStateException(
                    "there is no timestamp vector at " + RemoteAddress.describe(address));
        }
        // Not along with the magic, which is written last: a READ may fetch its words in any order.
        long view = queuePair.read(address, LINE);
        queuePair.await();
        return new TimestampVectorLayout(
                address,
                (int) LocalMemory.longAt(view + MAX_SLOTS_OFFSET),
                (int) LocalMemory.longAt(view + SERVERS_OFFSET));
    }

    /// E, the maximum transaction time of all users of this vector; 0 if it was formatted without
    /// one.
    public long maxTransactionNanos(QueuePair queuePair) {
        long view = queuePair.read(address + MAX_TRANSACTION_OFFSET, Long.BYTES);
        queuePair.await();
        return LocalMemory.longAcquire(view);
    }

    /// Writes an empty vector without a maximum transaction time. It must not be in use yet.
    public void format(QueuePair queuePair) {
        format(queuePair, 0);
    }

    /// Writes an empty vector. It must not be in use yet.
    ///
    /// @param maxTransactionNanos E
    public void format(QueuePair queuePair, long maxTransactionNanos) {
        long zeroes = queuePair.localMemory(ZEROED_PER_WRITE);
        int first = RemoteAddress.server(address);
        for (int server = first + 1; server < first + servers; server++) {
            clear(queuePair, firstOf(server - first), bytesOn(server), zeroes);
        }
        // With the guard of member 0.
        clear(queuePair, address, chainBuffersOffset(maxSlots) + LINE, zeroes);
        queuePair.writeWord(address + MAX_SLOTS_OFFSET, maxSlots);
        queuePair.writeWord(address + SERVERS_OFFSET, servers);
        queuePair.writeWord(address + MAX_TRANSACTION_OFFSET, maxTransactionNanos);
        queuePair.await();
        queuePair.writeWord(address, MAGIC);
        queuePair.await();
    }

    private static void clear(QueuePair queuePair, long first, long bytes, long zeroes) {
        for (long offset = 0; offset < bytes; offset += ZEROED_PER_WRITE) {
            int step = (int) Math.min(ZEROED_PER_WRITE, bytes - offset);
            queuePair.write(first + offset, zeroes, step);
        }
    }

    /// Writes an empty vector to memory of this process that holds nothing but zeroes. Its parts on
    /// other servers are zeroes, too.
    ///
    /// @param memory the native address of where the vector lies
    /// @param maxTransactionNanos E
    public void formatZeroes(long memory, long maxTransactionNanos) {
        LocalMemory.putLong(memory + MAX_SLOTS_OFFSET, maxSlots);
        LocalMemory.putLong(memory + MAX_TRANSACTION_OFFSET, maxTransactionNanos);
        LocalMemory.putLong(memory + SERVERS_OFFSET, servers);
        LocalMemory.putLongRelease(memory, MAGIC);
    }

    /// What lies at a remote address, in a few words; empty if it is outside of the vector.
    public String describe(long remote) {
        int part = RemoteAddress.server(remote) - RemoteAddress.server(address);
        if (isPart(part)) {
            long word = (remote - firstOf(part)) / 8;
            return remote < firstOf(part) || word >= count(part, maxSlots)
                    ? ""
                    : "V[%d]".formatted(word * servers + part);
        }
        long offset = remote - address;
        if (offset < 0 || offset >= bytes(maxSlots)) {
            return "";
        }
        if (offset < SLOTS_OFFSET) {
            return offset < CHAIN_OFFSET
                    ? "vector's identity"
                    : offset < WATERMARK_OFFSET
                            ? chainWord((int) offset - CHAIN_OFFSET)
                            : "low watermark";
        }
        if (offset < announcementsOffset(maxSlots)) {
            long array = (offset - SLOTS_OFFSET) / arrayBytes(maxSlots);
            long index = (offset - SLOTS_OFFSET) % arrayBytes(maxSlots) / 8;
            if (array == 0) {
                return index == 0 ? "slots in use" : "V[%d]".formatted((index - 1) * servers);
            }
            return (array == 1 ? "owner of slot %d" : "reservation of slot %d").formatted(index);
        }
        if (offset < chainBuffersOffset(maxSlots)) {
            return "announcement of slot %d"
                    .formatted((offset - announcementsOffset(maxSlots)) / LINE);
        }
        long buffer = (offset - chainBuffersOffset(maxSlots)) / chainBufferBytes(maxSlots);
        return "chain buffer %d of slot %d"
                .formatted(buffer % BUFFERS_PER_SLOT, buffer / BUFFERS_PER_SLOT);
    }

    private static String chainWord(int offset) {
        return switch (offset) {
            case SCHEMA_EPOCH_OFFSET -> "schema epoch";
            case RECOVERY_OFFSET -> "recovery flag";
            default -> "chain head";
        };
    }

    /// The schema epoch: the number of the last schema change, and whether it is still running. It
    /// only rises. Each begin reads it.
    public long schemaEpoch() {
        return chain() + SCHEMA_EPOCH_OFFSET;
    }

    /// The word that counts the requests for recovery: each begin checks whether it has risen.
    public long recovery() {
        return chain() + RECOVERY_OFFSET;
    }

    /// `V[slot]`.
    public long slot(int slot) {
        assert slot >= 0 && slot < maxSlots : "slot " + slot;
        return firstOf(slot % servers) + 8L * (slot / servers);
    }

    /// The number of slots in use; those of the first part follow.
    public long slotsInUse() {
        return address + SLOTS_OFFSET;
    }

    /// The chain's head; the schema epoch and the recovery flag follow.
    public long chain() {
        return address + CHAIN_OFFSET;
    }

    /// The low watermark: the newest member that is one.
    public long watermark() {
        return address + WATERMARK_OFFSET;
    }

    long owner(int slot) {
        return wordOf(1, slot);
    }

    long reservation(int slot) {
        return wordOf(2, slot);
    }

    /// The announcement of a slot.
    public long announcement(int slot) {
        assert slot >= 0 && slot < maxSlots : "slot " + slot;
        return address + announcementsOffset(maxSlots) + (long) slot * LINE;
    }

    /// A buffer of a slot for members of the chain.
    public long chainBuffer(int slot, int buffer) {
        assert slot >= 0 && slot < maxSlots : "slot " + slot;
        assert buffer >= 0 && buffer < BUFFERS_PER_SLOT : "buffer " + buffer;
        long index = (long) slot * BUFFERS_PER_SLOT + buffer;
        return address + chainBuffersOffset(maxSlots) + index * chainBufferBytes(maxSlots);
    }

    private long wordOf(int array, int slot) {
        assert slot >= 0 && slot < maxSlots : "slot " + slot;
        return address + SLOTS_OFFSET + array * arrayBytes(maxSlots) + 8L * slot;
    }

    private static long arrayBytes(int maxSlots) {
        return aligned(FIRST_SLOT_OFFSET + 8L * maxSlots);
    }

    private static long announcementsOffset(int maxSlots) {
        return SLOTS_OFFSET + 3 * arrayBytes(maxSlots);
    }

    private static long chainBuffersOffset(int maxSlots) {
        return announcementsOffset(maxSlots) + (long) LINE * maxSlots;
    }

    private static long chainBufferBytes(int maxSlots) {
        return aligned(ChainBuffer.bytes(maxSlots));
    }

    private static long aligned(long bytes) {
        return bytes + LINE - 1 & -LINE;
    }
}
