package org.namdb.compute.journal;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.JournalFullException;
import org.namdb.compute.schema.SchemaJournal;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.snapshot.DurableCommits;
import org.namdb.timestamp.snapshot.Snapshot;

/// What a database keeps beyond its process: nothing, until it has a journal. Safe for use by many
/// threads.
public final class DatabaseJournal implements SchemaJournal {
    /// Beyond the tables that a change concerns, of which names may become longer.
    private static final int ENTRY_BYTES = 4096;

    private static final int LONGER = 4;

    private final @Nullable DurableCommits durable;
    private volatile @Nullable DiskJournal journal;
    private volatile @Nullable Cuts cuts;

    /// Where the entry of the last schema change ends.
    private volatile long lastDefinition;

    private @Nullable DataDirectory directory;

    /// The thread that runs a schema change of several steps.
    private volatile @Nullable Thread stepper;

    /// By slot. A slot has one session at a time.
    private final Map<Integer, SessionJournal> sessions = new ConcurrentHashMap<>();

    /// That of a database.
    ///
    /// @param options null if it has no data directory
    /// @param slots how many slots there are at most
    public static DatabaseJournal of(@Nullable JournalOptions options, int slots) {
        boolean isAwaited = options != null && options.durability() == Durability.SYNC;
        return new DatabaseJournal(isAwaited ? new DurableCommits(slots) : null);
    }

    /// @param durable tracks the durable commits; null where answers don't wait for them, or there
    ///     is no journal
    private DatabaseJournal(@Nullable DurableCommits durable) {
        this.durable = durable;
    }

    /// The durable commits; null if they are not known.
    public @Nullable DurableCommits durable() {
        return durable;
    }

    /// What a reader has seen of tables and indexes is durable when this is.
    long lastDefinition() {
        return lastDefinition;
    }

    /// From now on, all is kept.
    ///
    /// @param opened a new generation's journal
    /// @param of where it is; closed with this
    /// @param tables those that there are
    public void begin(DiskJournal opened, DataDirectory of, List<Table> tables) {
        long[] start = of.start();
        byte[] defined =
                DefinedTable.encode(tables.stream().map(DefinedTable::of).toList(), List.of());
        byte[] body = new byte[Long.BYTES * start.length + defined.length];
        ByteBuffer into = ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN);
        for (long word : start) {
            into.putLong(word);
        }
        into.put(defined);
        opened.reserve(body.length);
        append(opened, JournalEntry.Kind.START, body);
        opened.await(opened.appended(), opened.durability(), new DiskJournal.Waiter());
        directory = of;
        journal = opened;
    }

    /// From now on, memory servers keep commits; null for none.
    public void keepBy(@Nullable Cuts taken) {
        cuts = taken;
    }

    /// What memory servers promise; nothing if they keep no commits.
    public Durability keptDurability() {
        Cuts taken = cuts;
        return taken == null ? Durability.NONE : taken.durability();
    }

    /// The journal; null if there is none, or not yet.
    public @Nullable DiskJournal journal() {
        return journal;
    }

    /// How many processes have used the data directory, this one included; 0 if there is none.
    public int generation() {
        DiskJournal opened = journal;
        return opened == null ? 0 : opened.generation();
    }

    /// A session's side of it.
    ///
    /// @param slot the session's
    /// @param taken what makes durable what it commits; null if memory servers keep no commits
    /// @param snapshot what it reads by
    public SessionJournal session(int slot, @Nullable Cuts taken, Snapshot snapshot) {
        SessionJournal made = new SessionJournal(this, taken, snapshot);
        sessions.put(slot, made);
        return made;
    }

    /// No commit that lies before and is not published yet is in the journal.
    ///
    /// @param end what was appended when the caller had not begun
    public long underWayFrom(long end) {
        long from = end;
        if (PlantedFault.UNDER_WAY_IGNORED.isPlanted()) {
            return from;
        }
        for (SessionJournal session : sessions.values()) {
            from = Math.min(from, session.underWayFrom());
        }
        return from;
    }

    /// Runs a schema change of several steps, of which a crash leaves all or none. No other session
    /// changes existing tables meanwhile; others may create tables.
    public <T extends @Nullable Object> T inSteps(Supplier<T> definition) {
        DiskJournal opened = journal;
        if (opened == null || Thread.currentThread().equals(stepper)) {
            return definition.get();
        }
        opened.reserve(0);
        boolean isBegun = false;
        try {
            opened.reserve(0);
            isBegun = true;
        } finally {
            if (!isBegun) {
                opened.release(0);
            }
        }
        append(opened, JournalEntry.Kind.STEPS_BEGIN, new byte[0]);
        stepper = Thread.currentThread();
        try {
            return definition.get();
        } finally {
            stepper = null;
            append(opened, JournalEntry.Kind.STEPS_END, new byte[0]);
            lastDefinition = opened.appended();
        }
    }

    @Override
    public void withCommit(
            Entry reserved, List<Table> tables, List<Integer> gone, BooleanSupplier commit) {
        DiskJournal opened = journal;
        if (opened == null || Thread.currentThread().equals(stepper)) {
            if (commit.getAsBoolean()) { // a crash leaves all of the steps or none
                reserved.append(tables, gone);
            }
            return;
        }
        int entries = 0;
        boolean isBegun = false;
        try {
            for (; entries < 3; entries++) {
                opened.reserve(Long.BYTES);
            }
            isBegun = true;
        } finally {
            for (; !isBegun && entries > 0; entries--) {
                opened.release(Long.BYTES);
            }
        }
        append(opened, JournalEntry.Kind.STEPS_BEGIN, new byte[Long.BYTES]);
        stepper = Thread.currentThread();
        boolean isCommitted = false;
        try {
            reserved.append(tables, gone);
            isCommitted = commit.getAsBoolean();
        } finally {
            stepper = null;
            if (isCommitted) {
                opened.release(Long.BYTES);
            } else { // the step does not count
                opened.shrink(Long.BYTES, 0);
                append(opened, JournalEntry.Kind.STEPS_BEGIN, new byte[0]);
            }
            opened.shrink(Long.BYTES, 0);
            append(opened, JournalEntry.Kind.STEPS_END, new byte[0]);
            lastDefinition = opened.appended();
        }
    }

    @Override
    public Entry reserve(List<Table> tables, List<TableDefinition> definitions) {
        DiskJournal opened = journal;
        if (opened == null) {
            return NONE.reserve(tables, definitions);
        }
        List<DefinedTable> known = new ArrayList<>();
        tables.forEach(table -> known.add(DefinedTable.withAllIndexes(table)));
        definitions.forEach(each -> known.add(new DefinedTable(0, each, List.of())));
        long bytes = ENTRY_BYTES + LONGER * (long) DefinedTable.encode(known, List.of()).length;
        opened.reserve(bytes);
        return new Reserved(opened, bytes);
    }

    /// Space for an entry.
    private final class Reserved implements Entry {
        private final DiskJournal opened;
        private final long bytes;
        private boolean isUsed;

        Reserved(DiskJournal opened, long bytes) {
            this.opened = opened;
            this.bytes = bytes;
        }

        @Override
        public void append(List<Table> tables, List<Integer> gone) {
            List<DefinedTable> defined = new ArrayList<>();
            tables.forEach(table -> defined.add(DefinedTable.of(table)));
            boolean isStep = Thread.currentThread().equals(stepper);
            byte[] body = DefinedTable.encode(new DefinedTable.Change(defined, gone, isStep));
            opened.shrink(bytes, body.length);
            isUsed = true;
            DatabaseJournal.append(opened, JournalEntry.Kind.SCHEMA_CHANGE, body);
            lastDefinition = opened.appended();
        }

        @Override
        public void close() {
            if (!isUsed) {
                opened.release(bytes);
            }
        }
    }

    @Override
    public void await() {
        await(cuts);
    }

    /// Waits until schema changes are as durable as what is committed.
    ///
    /// @param taken the cuts of the memory that they were made in, which may be lost; null if
    ///     memory servers keep no commits
    /// @throws org.namdb.fabric.FabricException if that memory is lost
    public void await(@Nullable Cuts taken) {
        if (taken != null) {
            taken.awaitAll();
        }
        DiskJournal opened = journal;
        if (opened != null && !Thread.currentThread().equals(stepper)) {
            opened.await(opened.appended(), opened.durability(), new DiskJournal.Waiter());
        }
    }

    /// Ends it: all is written, and forced.
    ///
    /// @throws JournalException if that can't be done
    public void close() {
        DiskJournal opened = journal;
        if (opened == null) {
            return;
        }
        try {
            opened.force(); // so that the end is in a block of its own
            opened.reserve(0);
            append(opened, JournalEntry.Kind.END, new byte[0]);
        } catch (JournalFullException e) {
            // It ends without saying so.
        } finally {
            try {
                opened.close();
            } finally {
                if (directory != null) {
                    directory.close();
                }
            }
        }
    }

    /// Appends an entry for which there is space.
    private static void append(DiskJournal opened, JournalEntry.Kind kind, byte[] body) {
        try (Arena arena = Arena.ofConfined()) {
            long memory = arena.allocate(Math.max(8, body.length), 8).address();
            LocalMemory.copyFrom(body, 0, memory, body.length);
            long _ = opened.append(kind, memory, body.length);
        }
    }
}
