package org.namdb.timestamp.snapshot;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.VerbForecast;
import org.namdb.timestamp.Announcement;
import org.namdb.timestamp.TimestampSlot;

/// The snapshot chain for all transaction execution threads of a compute server: one refresh serves
/// all that began before it did. It takes the place of the paper's dedicated fetch thread, with
/// fresh snapshots. It needs a slot whose buffers and announcement nobody else uses: one of its
/// own, where each thread commits in another, or a `SharedSlot`, which all of them commit in.
///
/// The slot's one announcement stands for two generations of transactions. It says what the older
/// generation needs; transactions that begin meanwhile are the newer one:
/// ```
///   A begins             older {A}    newer {}        announced: A's
///   B begins, C begins   older {A}    newer {B, C}    announced: A's
///   A ends               older {B, C} newer {}        announced: B's
///   D begins             older {B, C} newer {D}       announced: B's
/// ```
/// So no announcement stands for longer than the transactions of one generation run, however many
/// overlap.
///
/// Source: NAM-DB, section 4.2.
public final class SharedChain {
    private static final long NONE = -1;

    private final Lock latch;
    private final SnapshotChain chain;
    private final QueuePair queuePair;
    private final Announcement announcement;
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

    /// @param slot a slot whose queue pair and announcement nobody else uses
    public SharedChain(TimestampSlot slot) {
        this(slot, new ReentrantLock());
    }

    SharedChain(TimestampSlot slot, Lock latch) {
        this.latch = latch;
        this.chain = new SnapshotChain(slot);
        this.queuePair = slot.queuePair();
        this.announcement = slot.announcement();
        chain.refresh(newest);
    }

    /// An oracle for one of the threads.
    public SnapshotOracle session() {
        return new Session();
    }

    /// Whether the last refresh failed: the connection is lost, or was.
    public boolean isBroken() {
        latch.lock();
        try {
            return newestRefresh == NONE;
        } finally {
            latch.unlock();
        }
    }

    private final class Session implements SnapshotOracle {
        private boolean running;
        private boolean isExpired;
        private long schemaEpoch;
        private long cleanUp;
        private long ownGeneration;

        @Override
        public void acquire(Snapshot into) {
            long begun = refreshes;
            latch.lock();
            try {
                end();
                boolean covered = announcement.covers(newest.sequence());
                ownGeneration = begin();
                running = true;
                // A refresh that began later than this transaction serves, if what it chose has
                // been announced ever since.
                if (!covered || newestRefresh <= begun || isExpired) {
                    refresh();
                }
                isExpired = false;
                schemaEpoch = chain.schemaEpoch();
                cleanUp = chain.cleanUp();
                into.copyFrom(newest);
            } finally {
                latch.unlock();
            }
        }

        /// Where no other transaction runs, it takes effect at once: nobody else may await the
        /// shared queue pair for long, and the low watermark would stand still.
        @Override
        public void release() {
            latch.lock();
            try {
                end();
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
        public long cleanUp() {
            return cleanUp;
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

        private void end() {
            if (running) {
                running = false;
                SharedChain.this.end(ownGeneration);
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

    private long begin() {
        if (older == 0) {
            announcement.announce(newest.sequence());
            older = 1;
            return generation;
        }
        if (newer == 0) {
            newerSequence = newest.sequence();
        }
        newer++;
        return generation + 1;
    }

    private void end(long ended) {
        if (ended != generation) {
            newer--;
            return;
        }
        older--;
        if (older == 0) {
            generation++;
            older = newer;
            newer = 0;
            if (older == 0) {
                announcement.withdraw();
            } else {
                announcement.announce(newerSequence);
            }
        }
    }
}
