package org.namdb.fabric;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Mistakes that tests can plant in the database, to see that they are found: each takes one of its
/// safeguards away. A JVM has at most one at a time, named by the system property `namdb.planted`
/// when it starts, or by [#plant]; without the property, the checks below are constants, and cost
/// nothing.
public enum PlantedFault {
    /// A commit overwrites what was changed since it was read.
    SKIP_VALIDATION,
    /// The slot is published before the versions are installed.
    PUBLISH_EARLY,
    /// The slot is published together with the install, not after it: on another memory server it
    /// may come first.
    PUBLISH_UNAWAITED,
    /// A stale snapshot is used with the session's own slot raised to its last commit.
    OWN_SLOT_RAISED,
    /// A record's header isn't checked again after its payload was read.
    NO_HEADER_RECHECK,
    /// An old version's place isn't checked again after its payload was read.
    NO_PLACE_RECHECK,
    /// A snapshot's buffer isn't checked again after it was read.
    NO_CHAIN_RECHECK,
    /// What was read together with the CAS of the chain's head is used though the CAS failed, and
    /// another member is chosen.
    READ_BEFORE_CHOSEN,
    /// A session whose CAS of the chain's head failed uses the next member.
    CHAIN_NOT_FRESH,
    /// Slots on other servers than the chain's head may be read before it.
    PARTS_NOT_ORDERED,
    /// A session that takes a slot starts its counter again.
    COUNTER_RESET,
    /// Inserts don't take the bucket's latch.
    DUPLICATE_INSERT,
    /// The low watermark ignores announcements.
    EARLY_COLLECTION,
    /// A snapshot is chosen first, and announced then.
    ANNOUNCED_LATE,
    /// A writer drops the old version in whose place its own goes.
    VERSION_DROPPED,
    /// The version mover gives a place free before the version's copy can be found.
    MOVER_FREES_FIRST,
    /// A transaction that is older than the maximum transaction time goes on.
    AGE_UNCHECKED,
    /// A writer unlocks a record before it writes the payload.
    UNLOCK_EARLY,
    /// A commit's garbage is collected before the commit is durable. Of databases with a data
    /// directory.
    COLLECTED_BEFORE_DURABLE,
    /// A commit is answered when it is written to the journal, and not forced.
    ANSWERED_UNFORCED,
    /// A commit is published first, and appended to the journal then.
    APPENDED_LATE,
    /// A reader waits for what had been appended before its snapshot was chosen.
    TAIL_READ_FIRST,
    /// A checkpoint replaces journal that has commits which were under way when it began.
    UNDER_WAY_IGNORED,
    /// A checkpoint counts before the commits that it shows are on the disk.
    CHECKPOINT_BEFORE_JOURNAL,
    /// A restart repeats commits that the checkpoint has.
    CHECKPOINTED_REPLAYED,
    /// A reader of a locked record reads its payload, though it may be being overwritten.
    MOVED_BIT_IGNORED,
    /// An update of an indexed column adds no entry for the new value.
    INDEX_ENTRY_FORGOTTEN,
    /// A hit in an index is not checked against the record's visible version.
    INDEX_HIT_UNCHECKED,
    /// An index entry is removed though its record has come back to that value.
    INDEX_ENTRY_REMOVED_EARLY,
    /// The records that a commit requires are checked before its own locks and index entries are in
    /// place.
    REQUIRED_EARLY,
    /// A leaf that a dead session has left latched is unlatched with the count in its header.
    REPAIR_TRUSTS_COUNT,
    /// A schema change doesn't wait until the other compute servers have made way.
    EPOCH_NOT_AWAITED,
    /// A dead process is recovered before it is fenced.
    RECOVERED_BEFORE_FENCE,
    /// A fence is confirmed when the first memory server has confirmed it. In the simulator's
    /// network.
    FENCE_CONFIRMED_EARLY,
    /// A fence is confirmed while requests of the process may still be handled.
    FENCE_BEFORE_REQUESTS,
    /// A leaf that was read together with others is taken for the next one whatever its range is.
    FENCE_NOT_COMPARED,
    /// A memory server's worker latches as slot 0, and not as its client's.
    WORKER_LATCHES_AS_ITSELF,
    /// The check for dead compute servers reads the leases first, and then what is held in memory.
    LEASES_READ_FIRST,
    /// A compute server that has lost its lease takes it again under its old number. In the
    /// simulator's ensemble.
    LEASE_TAKEN_AGAIN,
    /// Intents are not written.
    INTENTS_UNWRITTEN,
    /// Latches of dead sessions are not released.
    LATCHES_UNREPAIRED,
    /// What a dead session has installed and not published stays, and its slot is free.
    UNDO_OMITTED,
    /// A lock is released if any session lists it, living or dead.
    LOCKS_NOT_AWAITED,
    /// A record's old-version buffer is freed while snapshots need it.
    RING_FREED_EARLY,
    /// What a dead session's schema change was creating or dropping is not freed.
    UNNAMED_STORAGE_KEPT,
    /// A queue pair that has thrown an unexpected exception stays in use.
    DOUBT_IGNORED,
    /// What goes wrong with a commit before its install leaves its locks and claims where they are.
    FAILURE_NOT_ROLLED_BACK,
    /// The connection of a failed session is never closed.
    FAILED_STAYS_CONNECTED,
    /// A failed session keeps its slot, and what it holds, while its process lives.
    FAILED_NOT_HANDED_OVER,
    /// No maintenance round sweeps the records for garbage that sessions have lost.
    SWEEP_OMITTED,
    /// The snapshot chain does not grow while no transaction begins, whatever waits for that.
    CHAIN_AT_REST,
    /// A process goes by the maximum transaction time of its own options.
    OWN_TRANSACTION_TIME,
    /// An index is used before it is filled.
    UNFILLED_INDEX_USED,
    /// An index is filled by a snapshot from before it was made.
    INDEX_SNAPSHOT_STALE,
    /// Rows of a bucket that was split off are unlocked before their former entries are free.
    SPLIT_UNLOCKED,
    /// Rows that were moved are taken out of their bucket before its growth word shows the split.
    SPLIT_FREED_EARLY,
    /// A row is moved whose version is not published yet.
    SPLIT_UNPUBLISHED,
    /// Rows that a dead session was moving are unlocked without a wait for the others.
    SPLIT_UNLOCKED_BLINDLY,
    /// A bucket's latch is released before what its dead holder was splitting is finished.
    SPLIT_UNREPAIRED,
    /// A recovery releases locks without waiting for living sessions that split buckets.
    SPLIT_NOT_AWAITED,
    /// Behind overflow areas, the growth word of the home bucket is not read again.
    GROWTH_NOT_READ_AGAIN,
    /// A removal frees an entry under the latch of the bucket that was its home before a split.
    REMOVAL_HOME_STALE,
    /// An insert that is sent on to the bucket that was split off doesn't list it.
    SENT_ON_UNLISTED,
    /// A link that takes the place of one that is gone counts its batches from 1 again.
    LINK_COUNTS_ANEW,
    /// A line is read before its latch is taken.
    LINE_READ_FIRST,
    /// A reader that is announced while there is a writer does not wait for it.
    LINE_WRITER_IGNORED,
    /// A shared line is made exclusive although others share it.
    LINE_UPGRADE_UNCHECKED,
    /// A line that was changed is released without being written.
    LINE_UNFLUSHED,
    /// The last word that was changed in a line is not written.
    LINE_DIRTY_BOUND_SMALL,
    /// A line is unlatched on its compute server before what was changed is written.
    LINE_FLUSHED_UNLATCHED,
    /// A line's copy is used while it is being released.
    LINE_USED_WHILE_RELEASED,
    /// A line is granted before it is written and released.
    LINE_ANSWERED_EARLY,
    /// A copy is taken though the reader's bit was removed meanwhile.
    LINE_BIT_NOT_CHECKED,
    /// What a dead compute server holds of lines is swept though others may still grant it some.
    LINE_FORGET_SKIPPED,
    /// A copy of a page is used after its end was confirmed.
    PAGE_COPY_KEPT,
    /// A request of an older grant waits for the page that this node waits for.
    PAGE_GRANTS_UNORDERED,
    /// A page that was changed is evicted without its content.
    PAGE_UNSAVED_DROPPED,
    /// A reader whose grant has ended gets what the disk has.
    PAGE_ENDED_READER_SERVED,
    /// The guard lines of what a commit writes are taken when it is installed.
    GUARD_TAKEN_LATE,
    /// They are released before it is installed.
    GUARD_RELEASED_EARLY,
    /// A copy of a row is used though its guard line was lost meanwhile.
    COPY_OUTLIVES_GUARD,
    /// A commit is published when one copy of its image is awaited.
    ONE_COPY_AWAITED,
    /// A dead session's last commit is undone though its image is whole.
    WHOLE_IMAGE_UNDONE,
    /// A memory server says that a cut is on its disk before that is forced.
    CUT_UNFORCED,
    /// A compute server's cut has a snapshot that was chosen before the commits were published that
    /// wait for it.
    CUT_TOO_EARLY,
    /// A cluster's journals are replayed in the order in which images lie in them.
    REPLAY_UNORDERED,
    /// A cut is taken before a recovery has written all that there was.
    CUT_WHILE_RECOVERING;

    /// In place of a name: the JVM may plant one after the other.
    private static final String SEVERAL = "several";

    private static final String PROPERTY = System.getProperty("namdb.planted", "");
    private static final boolean IS_SWITCHED = PROPERTY.equals(SEVERAL);
    private static final @Nullable PlantedFault PLANTED = IS_SWITCHED ? null : named(PROPERTY);
    private static volatile @Nullable PlantedFault now;

    /// Whether it is planted in this JVM now.
    public boolean isPlanted() {
        return this == PLANTED || IS_SWITCHED && this == now;
    }

    /// Plants a fault in place of the one before, in a JVM that has been started with
    /// `-Dnamdb.planted=several`, while no database is open.
    ///
    /// @param label a fault's; empty for none
    public static void plant(String label) {
        if (!IS_SWITCHED) {
            throw new IllegalStateException(
                    "start the JVM with -Dnamdb.planted=%s to plant faults".formatted(SEVERAL));
        }
        now = named(label);
    }

    /// Its name as a value of the property.
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static @Nullable PlantedFault named(String label) {
        return label.isEmpty() ? null : valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
