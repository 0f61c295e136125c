package org.namdb.timestamp;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.namdb.fabric.QueuePair;

/// One slot for all transaction execution threads of a compute server, which makes the vector
/// short: the paper's *compressed* vector. `V[slot]` = t promises that **all** of the slot's
/// transactions up to t are installed, so they are published in order:
/// ```
///   A  next() = 5, installs ..                                                V[3] = 4
///   B  next() = 6, installs, publishes V[3] := 6     ..and with it A's half   V[3] = 6
/// ```
/// Instead, B [completes][#complete] 6, and goes on; nothing is published. A completes 5, and
/// thereby publishes 6. B acknowledges its transaction once [#isPublished] is true.
///
/// One thread at a time publishes; those that come meanwhile leave theirs to it. So publications
/// are not reordered between queue pairs, and no thread waits. Thread-safe; nothing is allocated.
///
/// Source: NAM-DB, section 4.2; design decision on ordered publication: this project's.
public final class SharedSlot {
    /// Instead of a commit timestamp: none can be handed out now.
    public static final long NONE = 0;

    private final TimestampSlot slot;
    private final int capacity;

    /// The last timestamp that was handed out.
    private final AtomicLong last;

    /// At t modulo the capacity: t, once the transaction t is complete.
    private final AtomicLongArray completed;

    private final AtomicBoolean publishing = new AtomicBoolean();

    private volatile long published;
    private volatile long reserved;

    /// Shares a slot that its holder doesn't use itself any more.
    ///
    /// @param capacity how many transactions may have a commit timestamp and not be published yet:
    ///     a power of two, and no less than the threads' number
    public SharedSlot(TimestampSlot slot, int capacity) {
        if (Integer.bitCount(capacity) != 1) {
            throw new IllegalArgumentException(
                    "the capacity of a shared slot is a power of two, not " + capacity);
        }
        this.slot = slot;
        this.capacity = capacity;
        this.last = new AtomicLong(slot.last());
        this.completed = new AtomicLongArray(capacity);
        this.published = slot.last();
        this.reserved = slot.reserved();
    }

    /// Which slot it is.
    public int number() {
        return slot.number();
    }

    /// The next commit timestamp, as a word. Without communication. It must be
    /// [completed][#complete], or nothing after it is ever published: also if its transaction
    /// aborts, or installs nothing.
    ///
    /// @return [#NONE] if too many transactions are not published yet: retry later
    public long next() {
        while (true) {
            long before = last.get();
            if (before - published >= capacity || before >= reserved) {
                return NONE;
            }
            if (last.compareAndSet(before, before + 1)) {
                return CommitTimestamp.of(slot.number(), before + 1);
            }
        }
    }

    /// The transaction with this commit timestamp, a word, is installed everywhere, awaited, or
    /// aborted. Publishes it and those that have waited for it, unless others are before it; a
    /// round trip if so.
    public void complete(long commitTimestamp, QueuePair queuePair) {
        assert CommitTimestamp.slot(commitTimestamp) == slot.number() : "another slot's";
        long timestamp = CommitTimestamp.timestamp(commitTimestamp);
        completed.set(place(timestamp), timestamp);
        publish(queuePair);
    }

    /// Whether the transaction with this commit timestamp is published, and may be acknowledged. It
    /// stays false only while a transaction before it is not complete, or a thread is publishing.
    public boolean isPublished(long commitTimestamp) {
        return CommitTimestamp.timestamp(commitTimestamp) <= published;
    }

    /// Waits, giving the processor away, until the transaction with this commit timestamp is
    /// published: for the completion of those before it.
    @SuppressWarnings("ThreadPriorityCheck") // the thread it waits for may need this processor
    public void awaitPublished(long commitTimestamp, QueuePair queuePair) {
        while (!isPublished(commitTimestamp)) {
            publish(queuePair);
            Thread.yield();
        }
    }

    /// Publishes what is complete and has none before it that is not, unless another thread is at
    /// it.
    public void publish(QueuePair queuePair) {
        // After the latch is released, completions are checked for again: a thread that found it
        // taken has left its completion before.
        while (isComplete(published + 1) && publishing.compareAndSet(false, true)) {
            try {
                publishLatched(queuePair);
            } finally {
                publishing.set(false);
            }
        }
    }

    private void publishLatched(QueuePair queuePair) {
        long timestamp = published;
        while (isComplete(timestamp + 1)) {
            timestamp++;
        }
        if (timestamp == published) {
            return;
        }
        long reserving = reserved;
        queuePair.writeWord(slot.layout().slot(slot.number()), timestamp);
        if (timestamp > reserved - TimestampSlot.RESERVED_BLOCK / 2) {
            reserving =
                    Math.min(
                            reserved + TimestampSlot.RESERVED_BLOCK, CommitTimestamp.MAX_TIMESTAMP);
            queuePair.writeWord(slot.layout().reservation(slot.number()), reserving);
        }
        queuePair.await();
        reserved = reserving;
        published = timestamp;
    }

    /// Releases the slot. Everything is published, and no thread uses it.
    public void release() {
        assert last.get() == published : "a transaction is under way";
        slot.continueAfter(published);
        slot.release();
    }

    private boolean isComplete(long timestamp) {
        return completed.get(place(timestamp)) == timestamp;
    }

    private int place(long timestamp) {
        return (int) timestamp & capacity - 1;
    }
}
