package org.namdb.compute.journal;

import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.admission.Admission;
import org.namdb.compute.commit.CommitImage;
import org.namdb.compute.commit.CommitJournal;
import org.namdb.compute.commit.JournalFullException;
import org.namdb.compute.commit.WriteSet;
import org.namdb.fabric.PlantedFault;
import org.namdb.timestamp.snapshot.DurableCommits;
import org.namdb.timestamp.snapshot.Snapshot;

/// A session's side of the journal. Does nothing where there is none. Belongs to one thread.
public final class SessionJournal implements CommitJournal {
    private static final int FIRST_BYTES = 1 << 12;
    private static final int KEPT_BYTES = 1 << 20;
    private static final long NOTHING = Long.MAX_VALUE;

    private final DatabaseJournal database;
    private final Snapshot snapshot;

    /// Those of the memory that the session commits to; null if no memory server keeps commits. A
    /// later memory's cuts, which the database has after a recovery, don't have these commits.
    private final @Nullable Cuts cuts;

    private final DiskJournal.Waiter waiter = new DiskJournal.Waiter();
    private Arena arena = Arena.ofAuto();
    private long memory;
    private int capacity;
    private @Nullable CommitImage image;
    private long reserved;

    /// Where the entry of the transaction ends that runs, or was the last one; 0 if it has none.
    private long own;

    /// Where the journal ended when the transaction began: for a planted fault.
    private long tailAtBegin;

    /// Where memory servers keep the images: the cut that has the last commit; 0 if there is none.
    private long ownCut;

    /// No entry of a commit in progress lies before.
    private volatile long underWayFrom = NOTHING;

    /// What this session is promised; null for what the process promises.
    private @Nullable Durability chosen;

    SessionJournal(DatabaseJournal database, @Nullable Cuts cuts, Snapshot snapshot) {
        this.database = database;
        this.cuts = cuts;
        this.snapshot = snapshot;
        DurableCommits durable = database.durable();
        if (durable != null) {
            snapshot.watch(durable);
        }
    }

    @Override
    public void begin() {
        own = 0;
        ownCut = 0;
        DiskJournal journal = PlantedFault.TAIL_READ_FIRST.isPlanted() ? database.journal() : null;
        tailAtBegin = journal == null ? 0 : journal.appended();
        snapshot.forgetShown();
    }

    @Override
    public void reserve(WriteSet writes) {
        if (cuts != null) {
            cuts.requireWorking();
        }
        DiskJournal journal = database.journal();
        if (journal == null) {
            return;
        }
        release(journal);
        long bytes = image(FIRST_BYTES).bytes(writes);
        if (bytes > Integer.MAX_VALUE - (1 << 20)) {
            throw new JournalFullException(
                    "the transaction changes too much: %,d bytes in the journal".formatted(bytes),
                    null);
        }
        CommitImage _ = image((int) bytes);
        journal.reserve(bytes);
        reserved = bytes;
    }

    @Override
    public void append(WriteSet writes, long commitTimestamp, long snapshot) {
        DiskJournal journal = database.journal();
        CommitImage made = image;
        if (journal == null || made == null || reserved == 0) {
            return;
        }
        int bytes = made.encode(writes, commitTimestamp, snapshot);
        underWayFrom = journal.appended();
        own = journal.append(JournalEntry.Kind.COMMIT, memory, bytes);
        reserved = 0;
    }

    @Override
    public void published() {
        if (cuts != null) {
            ownCut = cuts.committed();
        }
        underWayFrom = NOTHING;
        if (capacity > KEPT_BYTES) {
            image = null;
            capacity = 0;
        }
    }

    private CommitImage image(int bytes) {
        CommitImage made = image;
        if (made == null || capacity < bytes) {
            arena = Arena.ofAuto();
            capacity = Math.max(bytes, Math.min(2 * capacity, KEPT_BYTES));
            memory = arena.allocate(capacity, 8).address();
            made = new CommitImage(memory, capacity);
            image = made;
        }
        return made;
    }

    @Override
    public void release() {
        DiskJournal journal = database.journal();
        if (journal != null) {
            release(journal);
        }
    }

    private void release(DiskJournal journal) {
        if (reserved > 0) {
            journal.release(reserved);
            reserved = 0;
        }
    }

    /// Ends its use: another user of the session begins afresh.
    public void close() {
        release();
    }

    long underWayFrom() {
        return underWayFrom;
    }

    /// What was appended can't be rolled back, and was not done: only a restart does it. So nothing
    /// is acknowledged that was appended behind it, and nothing more is appended.
    @Override
    public void failed(Throwable cause) {
        DiskJournal journal = database.journal();
        if (journal != null) {
            journal.stop(cause);
        }
    }

    /// Whether the transaction that runs, or was the last one, has appended an entry.
    public boolean hasAppended() {
        return own > 0 || ownCut > 0;
    }

    private Durability durability(DiskJournal journal) {
        return durability(journal.durability());
    }

    private Durability durability(Durability ofProcess) {
        Durability own = chosen;
        return own == null ? ofProcess : own;
    }

    /// The cut to wait for; null if there is none.
    private @Nullable Cuts cutsToAwait() {
        return cuts != null
                        && ownCut > 0
                        && durability(cuts.durability()) == Durability.SYNC
                        && !cuts.isDone(ownCut)
                ? cuts
                : null;
    }

    /// Chooses what the session is promised from now on.
    ///
    /// @param durability null for what the process promises
    public void setDurability(@Nullable Durability durability) {
        chosen = durability;
    }

    /// Whether [#await] would wait.
    public boolean wouldWait() {
        DiskJournal journal = database.journal();
        return cutsToAwait() != null
                || journal != null && journal.wouldWait(seen(journal), durability(journal));
    }

    /// Waits until all is durable that the transaction has read until now, and committed.
    ///
    /// @throws JournalException if it never will be
    public void await() {
        awaitCut();
        DiskJournal journal = database.journal();
        if (journal != null) {
            journal.await(seen(journal), durability(journal), waiter);
        }
    }

    private void awaitCut() {
        Cuts cuts = cutsToAwait();
        if (cuts != null) {
            cuts.await(ownCut);
        }
    }

    /// Waits as [#await], but if the transaction has committed no change, only for what it has seen
    /// of others that was not durable yet.
    ///
    /// @throws JournalException if it never will be
    public void awaitSeen() {
        awaitCut();
        DiskJournal journal = database.journal();
        if (journal != null) {
            boolean isAllSeen = database.durable() == null || snapshot.hasShownUndurable();
            long seen = own > 0 || isAllSeen ? seen(journal) : database.lastDefinition();
            journal.await(seen, durability(journal), waiter);
        }
    }

    /// Waits until all that was appended is durable, if garbage collection does.
    ///
    /// @throws JournalException if it never will be
    public void force() {
        DiskJournal journal = database.journal();
        if (journal != null && database.durable() != null) {
            journal.force();
        }
    }

    /// As [#await], without a permit to run, which others use meanwhile.
    ///
    /// @throws JournalException if it never will be
    public void await(Admission.Participant admission) {
        if (wouldWait()) {
            admission.stepAside();
            try {
                await();
            } finally {
                admission.stepBack();
            }
        }
    }

    /// Its own entry, as it has read nothing that is not before; else all that is there.
    private long seen(DiskJournal journal) {
        if (PlantedFault.TAIL_READ_FIRST.isPlanted()) {
            return own > 0 ? own : tailAtBegin;
        }
        return own > 0 ? own : journal.appended();
    }
}
