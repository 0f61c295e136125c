package org.namdb.compute.journal;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.CommitImage;
import org.namdb.fabric.Host;
import org.namdb.fabric.disk.Disk;
import org.namdb.mvcc.hash.TablePart;
import org.namdb.timestamp.CommitTimestamp;

/// What is in the checkpoint and the journals of a generation on all memory servers, and where it
/// ends: at the last cut that all of them have. Of each slot, the images on one server are read.
public final class JournalScan {
    private final int generation;
    private final int servers;
    private final int missing;
    private final JournalContents contents = new JournalContents();
    private final Map<Long, byte[]> catalogs = new HashMap<>();
    private final @Nullable Cut[] last;
    private final int[] cuts;
    private boolean isBeginMissing;
    private @Nullable Integer checkpoint;
    private int[] needed = {};
    private final Set<Integer> checkpointed = new HashSet<>();
    private long checkpointBytes;
    private long bytes;
    private long tornBytes;
    private boolean endedCleanly = true;

    /// @param servers how many there are
    /// @param missing the one whose journal is lost: that of its successor has the second copies;
    ///     -1 for none
    public JournalScan(int generation, int servers, int missing) {
        this.generation = generation;
        this.servers = servers;
        this.missing = missing;
        this.last = new @Nullable Cut[servers];
        this.cuts = new int[servers];
    }

    public int generation() {
        return generation;
    }

    /// The memory server whose copy of the checkpoint is read.
    public int checkpointServer() {
        return missing == 0 ? 1 : 0;
    }

    /// Reads the newest checkpoint that is complete, if there is one. Before the journals.
    ///
    /// @param disk of the [memory server][#checkpointServer] that has it
    /// @throws JournalException if it is damaged
    public void addCheckpoint(Disk disk, long database) {
        Integer newest = CheckpointFile.newest(disk);
        checkpoint = newest;
        if (newest == null) {
            return;
        }
        if (CheckpointFile.head(disk, newest).database() != database) {
            throw new JournalException(
                    JournalException.Kind.DAMAGED,
                    CheckpointFile.name(newest) + " is of another database",
                    null);
        }
        contents.checkpointOf(generation);
        checkpointBytes = CheckpointFile.bytes(disk, newest);
        long _ = CheckpointFile.read(disk, newest, new Counting(), done -> {});
    }

    private final class Counting implements CheckpointFile.Visitor {
        @Override
        public void table(
                CheckpointFile.Head head, DefinedTable table, TablePart part, long[] seen) {
            TableWrites _ = contents.checkpointed(generation, table, part, seen);
            checkpointed.add(table.number());
        }

        @Override
        public void rows(CheckpointFile.Head head, int number, long rows, long memory) {
            contents.counted(generation, number, rows);
        }

        @Override
        public void needed(int[] first) {
            needed = first;
        }
    }

    /// The rows of the checkpoint; null if there is none.
    ///
    /// @param disk of the [memory server][#checkpointServer] that has it
    /// @param progress gets how many bytes were read
    public @Nullable CheckpointLoad load(Host host, Disk disk, LongConsumer progress) {
        Integer newest = checkpoint;
        return newest == null ? null : new CheckpointLoad(host, disk, newest, contents, progress);
    }

    /// How long the checkpoint is; 0 if there is none.
    public long checkpointBytes() {
        return checkpointBytes;
    }

    /// Reads what is needed of one journal.
    ///
    /// @throws JournalException if it is damaged
    JournalReader.End read(
            JournalReader reader, int server, JournalVisitor visitor, LongConsumer progress) {
        int first = firstSegment(server);
        return reader.read(first, first == 1 ? 0 : generation, visitor, progress);
    }

    private int firstSegment(int server) {
        return server < needed.length ? needed[server] : 1;
    }

    /// Reads one journal.
    ///
    /// @throws JournalException if it is damaged
    public void add(int server, Disk disk, long database) {
        try (JournalReader reader = new JournalReader(disk, database)) {
            int first = firstSegment(server);
            if (checkpoint == null && reader.firstSegment() > first) {
                isBeginMissing = true;
                cuts[server] = 2; // the first one, and that of the checkpoint which has replaced it
                return;
            }
            long all = reader.bytes(first);
            if (all == 0) {
                return;
            }
            bytes += all;
            JournalReader.End end =
                    read(
                            reader,
                            server,
                            new Entries() {
                                @Override
                                public void commit(int of, long memory, int length) {
                                    if (isRead(memory, server)) {
                                        contents.commit(of, memory, length);
                                    }
                                }

                                @Override
                                public void cut(Cut cut) {
                                    cuts[server]++;
                                    byte[] catalog = cut.catalog();
                                    if (catalog != null) {
                                        byte[] _ = catalogs.put(cut.hash(), catalog);
                                    }
                                    Cut before = last[server];
                                    if (before == null || cut.sequence() >= before.sequence()) {
                                        last[server] = cut;
                                    }
                                }
                            },
                            done -> {});
            tornBytes += end.tornBytes();
            endedCleanly &= end.endedCleanly();
        }
    }

    /// The entries of a memory server's journal that matter.
    abstract static class Entries implements JournalVisitor {
        @Override
        public void start(int generation, List<DefinedTable> tables) {
            // There are none.
        }

        @Override
        public void definition(int generation, DefinedTable.Change change) {
            // Definitions are in cuts.
        }

        @Override
        public void ddlBegins(boolean endsWithCommit) {
            // Definitions are in cuts.
        }

        @Override
        public void ddlEnds(int generation) {
            // Definitions are in cuts.
        }
    }

    /// Whether an image is read in this journal, of the two that have it.
    boolean isRead(long image, int server) {
        int first = CommitTimestamp.slot(CommitImage.commitTimestamp(image)) % servers;
        return (first == missing ? (first + 1) % servers : first) == server;
    }

    /// Whether there is a journal of this server.
    boolean isThere(int server) {
        return server != missing;
    }

    /// The last cut that all journals have; null if there is none.
    public @Nullable Cut end() {
        Cut least = null;
        for (int server = 0; server < servers; server++) {
            Cut each = last[server];
            if (!isThere(server)) {
                continue;
            }
            if (each == null) {
                return null;
            }
            if (least == null || each.sequence() < least.sequence()) {
                least = each;
            }
        }
        return least;
    }

    /// The first memory server whose journal has so many cuts. With two, the first one was on all
    /// disks before: so it was with a checkpoint, which takes one.
    ///
    /// @return -1 if there is none
    public int firstWithCuts(int least) {
        if (checkpoint != null) {
            return checkpointServer();
        }
        for (int server = 0; server < servers; server++) {
            if (cuts[server] >= least) {
                return server;
            }
        }
        return -1;
    }

    /// Whether a memory server's journal has a cut.
    public boolean hasCut(int server) {
        return cuts[server] > 0;
    }

    /// Whether any journal has data that a cut has.
    public boolean hasData() {
        if (isBeginMissing) {
            return true;
        }
        for (Cut each : last) {
            if (each != null && (each.vector().length > 0 || !tables(each).isEmpty())) {
                return true;
            }
        }
        return false;
    }

    private List<DefinedTable> tables(Cut cut) {
        byte[] catalog = catalogs.get(cut.hash());
        if (catalog == null) {
            throw new JournalException(
                    JournalException.Kind.DAMAGED,
                    "generation %d of the journals has a cut %d whose schema is missing"
                            .formatted(generation, cut.sequence()),
                    null);
        }
        return DefinedTable.decode(catalog, 0).defined();
    }

    /// Fixes the end: the tables that there are then.
    public List<TableWrites> tablesAt(Cut end) {
        List<DefinedTable> there = tables(end);
        Set<Integer> gone = new TreeSet<>(checkpointed);
        there.forEach(each -> gone.remove(each.number()));
        contents.definition(generation, new DefinedTable.Change(there, List.copyOf(gone), false));
        return contents.tables();
    }

    /// Takes commits apart.
    @FunctionalInterface
    public interface Replay {
        /// Takes one apart.
        ///
        /// @param image its native address
        void commit(long image, int length);
    }

    /// Hands over what commits have done to the records of one part.
    public Replay replay(ReplayVisitor visitor, int part, int parts) {
        CommitWrites writes = new CommitWrites(contents, visitor, part, parts, _ -> {});
        return (image, length) -> writes.commit(generation, image, length);
    }

    /// How many bytes the journals have.
    public long bytes() {
        return bytes;
    }

    /// How many bytes at their ends were never finished.
    public long tornBytes() {
        return tornBytes;
    }

    /// Whether all memory servers have shut down cleanly.
    public boolean endedCleanly() {
        return endedCleanly;
    }
}
