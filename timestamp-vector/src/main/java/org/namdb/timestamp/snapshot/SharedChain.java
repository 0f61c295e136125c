package org.namdb.timestamp.snapshot;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.VerbForecast;
import org.namdb.timestamp.Announcement;
import org.namdb.timestamp.TimestampSlot;

/// The snapshot chain for all transaction execution threads of a compute server: one refresh serves
/// all that began before it did. It takes the place of the paper's dedicated fetch thread, with
/// fresh snapshots. It needs a slot whose buffers and announcement no other thread uses: one of its
/// own, where each thread commits in another, or a `SharedSlot`, which all of them commit in.
///
/// The slot's one announcement stands for two generations of transactions. It covers the older
/// generation; transactions that begin meanwhile are the newer one:
/// ```
///   A begins             older {A}    newer {}        announced: A's
///   B begins, C begins   older {A}    newer {B, C}    announced: A's
///   A ends               older {B, C} newer {}        announced: B's
///   D begins             older {B, C} newer {D}       announced: B's
/// ```
/// So no announcement stands for longer than the transactions of one generation run, however many
/// overlap.
///
/// **E, the maximum transaction time.** Observers don't wait for an announcement that stands for
/// longer, and a young transaction does not check whether it was passed ([LowWatermark]). So it
/// must not begin beneath one that stands for long:
/// ```
///   A begins, and stays open       announced: A's
///   B begins, when that has stood for almost E
///   O  does not wait any more: the low watermark passes S_B; B misses a version, and is young
/// ```
/// A begin renews what has stood for an eighth of E, with the same member. When the older
/// generation is older than E, it is not waited for: its transactions check for themselves.
///
/// Source: NAM-DB, section 4.2.
public final class SharedChain {
    private static final long NONE = -1;

    /// How often an announcement is renewed within E.
    private static final int RENEWALS = 8;

    private final Lock latch;
    private final SnapshotChain chain;
    private final QueuePair queuePair;
    private final Announcement announcement;
    private final long maxTransactionNanos;
    private final LongSupplier nanoTime;
    private final Snapshot newest = new Snapshot();

    /// How many refreshes have begun.
    private volatile long refreshes;

    /// Which of them brought [#newest], or [#NONE].
    private long newestRefresh;

    /// The number of the older generation; that of the newer one follows it.
    private long generation;

    private int older;
    private int newer;
    private long newerSequence;

    /// When the older generation became that: none of its transactions has begun later.
    private long generationNanos;

    /// What is announced, and since when.
    private long announcedSequence;

    private long announcedNanos;

    /// @param slot a slot whose queue pair and announcement no other thread uses
    /// @param maxTransactionNanos E
    /// @param nanoTime the clock
    public SharedChain(TimestampSlot slot, long maxTransactionNanos, LongSupplier nanoTime) {
        this(slot, maxTransactionNanos, nanoTime, new ReentrantLock());
    }

    SharedChain(TimestampSlot slot, long maxTransactionNanos, LongSupplier nanoTime, Lock latch) {
        this.latch = latch;
        this.maxTransactionNanos = maxTransactionNanos;
        this.nanoTime = nanoTime;
        this.chain = new SnapshotChain(slot);
        this.queuePair = slot.queuePair();
        this.announcement = slot.announcement();
        chain.refresh(newest);
    }

    /// An oracle for one of the threads.
    public SnapshotOracle session() {
        return new Session();
    }

    /// Whether the last transaction could not begin: the connection is lost, or was.
    public boolean isFailed() {
        latch.lock();
        try {
            return newestRefresh == NONE;
        } finally {
            latch.unlock();
        }
    }

    /// Runs `end`, which disconnects the queue pair, if no transaction needs what is announced. One
    /// that begins later fails.
    ///
    /// @return whether it has run
    public boolean endIfIdle(Runnable end) {
        latch.lock();
        try {
            if (older > 0) {
                return false;
            }
            end.run();
            return true;
        } finally {
            latch.unlock();
        }
    }

    private final class Session implements SnapshotOracle {
        private boolean running;
        private boolean isExpired;
        private long schemaEpoch;
        private long recovery;
        private long ownGeneration;

        @Override
        public void acquire(Snapshot into) {
            long begun = refreshes;
            boolean isChosen = false;
            latch.lock();
            long now = nanoTime.getAsLong();
            try {
                end(now);
                boolean covered = !renew(now) && announcement.covers(newest.sequence());
                ownGeneration = begin(now);
                running = true;
                // A refresh that began later than this transaction serves, if what it chose has
                // been announced ever since.
                if (!covered || newestRefresh <= begun || isExpired) {
                    refresh();
                }
                isExpired = false;
                schemaEpoch = chain.schemaEpoch();
                recovery = chain.recovery();
                into.copyFrom(newest);
                isChosen = true;
            } finally {
                try {
                    if (!isChosen) {
                        newestRefresh = NONE; // whatever it was that failed
                        end(now); // no transaction runs that would be waited for
                    }
                } finally {
                    latch.unlock();
                }
            }
        }

        /// Where no other transaction runs, it takes effect at once: otherwise no thread may await
        /// the shared queue pair for long, and the low watermark would stand still.
        @Override
        public void release() {
            latch.lock();
            try {
                end(nanoTime.getAsLong());
                if (older == 0) {
                    queuePair.await();
                }
            } finally {
                latch.unlock();
            }
        }

        @Override
        public void expire() {
            isExpired = true;
        }

        @Override
        public long schemaEpoch() {
            return schemaEpoch;
        }

        @Override
        public long recovery() {
            return recovery;
        }

        /// As if no other thread shared the cost.
        @Override
        public void forecast(VerbForecast acquiring, VerbForecast releasing) {
            latch.lock();
            try {
                chain.forecast(acquiring, releasing);
            } finally {
                latch.unlock();
            }
        }

        private void end(long now) {
            if (running) {
                running = false;
                SharedChain.this.end(ownGeneration, now);
            }
        }
    }

    private void refresh() {
        long refresh = refreshes + 1;
        refreshes = refresh;
        newestRefresh = NONE; // should it fail
        chain.refresh(newest);
        newestRefresh = refresh;
    }

    /// Makes the announcement cover a transaction that begins now.
    ///
    /// @return whether it is another one now: it takes effect with the next await
    private boolean renew(long now) {
        if (older == 0 || now - announcedNanos < maxTransactionNanos / RENEWALS) {
            return false;
        }
        if (now - generationNanos < maxTransactionNanos) {
            announce(announcedSequence, now);
        } else {
            nextGeneration(now);
        }
        return true;
    }

    private void announce(long sequence, long now) {
        announcedNanos = now;
        announcedSequence = sequence;
        announcement.announce(sequence);
    }

    private long begin(long now) {
        if (older == 0) {
            generationNanos = now;
            announce(newest.sequence(), now);
            older = 1;
            return generation;
        }
        if (newer == 0) {
            newerSequence = newest.sequence();
        }
        newer++;
        return generation + 1;
    }

    private void end(long ended, long now) {
        if (ended > generation) {
            newer--;
        } else if (ended == generation) {
            older--;
            if (older == 0) {
                nextGeneration(now);
            }
        }
    }

    private void nextGeneration(long now) {
        generation++;
        older = newer;
        newer = 0;
        generationNanos = now;
        if (older == 0) {
            announcement.withdraw();
        } else {
            announce(newerSequence, now);
        }
    }
}
