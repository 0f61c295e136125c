package org.namdb.timestamp;

import org.namdb.fabric.QueuePair;

/// A slot's announcement to the low watermark: the transaction that runs in it has a snapshot that
/// dominates a member of the chain.
/// ```
///  63                                 15 14            0
/// |           sequence number           |   counter     |     0: no transaction runs
/// ```
/// The counter, 1 to 32767, makes it another word for each transaction, so that an observer can
/// distinguish one long transaction from many short ones.
///
/// Announce first, then choose: the WRITE is posted before the READ of the chain's head, to the
/// same server, so it takes effect before. What is announced is therefore a member that was the
/// head at some time before. Oracles of snapshots do all that. Belongs to the slot's thread.
public final class Announcement {
    /// The word of a slot in which no transaction runs.
    public static final long IDLE = 0;

    private static final int SEQUENCE_SHIFT = ChainHead.SEQUENCE_SHIFT;
    private static final int COUNTER_MASK = (1 << SEQUENCE_SHIFT) - 1;

    private final QueuePair queuePair;
    private final long address;
    private long announced = IDLE;
    private int counter;

    Announcement(QueuePair queuePair, long address) {
        this.queuePair = queuePair;
        this.address = address;
    }

    static long of(long sequence, int counter) {
        assert sequence >= 0 && sequence <= ChainHead.MAX_SEQUENCE : "sequence number " + sequence;
        assert counter > 0 && counter <= COUNTER_MASK : "counter " + counter;
        return sequence << SEQUENCE_SHIFT | counter;
    }

    /// The member that an announcement names.
    public static long sequence(long announcement) {
        return announcement >>> SEQUENCE_SHIFT;
    }

    static int counter(long announcement) {
        return (int) announcement & COUNTER_MASK;
    }

    /// Posts that a transaction is about to choose a snapshot which dominates member `sequence`. It
    /// replaces the announcement before.
    public void announce(long sequence) {
        counter = counter == COUNTER_MASK ? 1 : counter + 1;
        long word = of(sequence, counter);
        queuePair.writeWord(address, word);
        announced = word;
    }

    /// Posts that no transaction runs.
    public void withdraw() {
        if (announced != IDLE) {
            announced = IDLE;
            queuePair.writeWord(address, IDLE);
        }
    }

    /// Whether what was announced last, and not withdrawn, keeps the low watermark from passing
    /// member `sequence`.
    public boolean covers(long sequence) {
        return announced != IDLE && sequence(announced) <= sequence;
    }
}
