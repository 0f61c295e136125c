package org.namdb.compute.journal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Host;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskException;
import org.namdb.fabric.disk.DiskFile;
import org.namdb.mvcc.hash.TablePart;

/// The files of a database: which one it is, its checkpoint and its journal. In use by one process.
///
/// Nothing is changed before all files were read and found whole.
public final class DataDirectory implements AutoCloseable {
    private static final String IDENTITY = "namdb";
    private static final String FIRST_LINE = "NamDB data directory";
    private static final int FORMAT = 1;

    private final Disk disk;
    private final String place;
    private final Disk.Lock lock;
    private final long database;
    private final JournalContents contents = new JournalContents();
    private @Nullable Integer checkpoint;
    private int firstSegment = 1;
    private int firstGeneration;
    private JournalReader.@Nullable End end;

    private DataDirectory(Disk disk, String place, Disk.Lock lock, long database) {
        this.disk = disk;
        this.place = place;
        this.lock = lock;
        this.database = database;
    }

    /// Opens one, or makes one of an empty directory.
    ///
    /// @param newDatabase the number of the database, should it be new
    /// @throws JournalException if it is not to be had: in use, of a newer version, something else
    public static DataDirectory open(JournalOptions options, long newDatabase) {
        Disk.Lock lock = null;
        DataDirectory opened = null;
        try {
            Disk disk = options.disk().get();
            requireOurs(disk, options.place());
            lock = disk.lock();
            long database = identify(disk, options.place(), newDatabase);
            opened = new DataDirectory(disk, options.place(), lock, database);
            return opened;
        } catch (DiskException e) {
            throw new JournalException(
                    JournalException.Kind.FAILED, String.valueOf(e.getMessage()), e);
        } finally {
            if (lock != null && opened == null) {
                lock.close();
            }
        }
    }

    /// Before anything is made in it.
    private static List<String> requireOurs(Disk disk, String place) {
        List<String> names = new ArrayList<>(disk.list());
        names.remove(Disk.LOCK_FILE);
        if (!names.isEmpty() && !names.contains(IDENTITY)) {
            throw new JournalException(
                    JournalException.Kind.DAMAGED,
                    "%s is no data directory of NamDB: there are other files in it, as %s; name an"
                                    .formatted(place, names.getFirst())
                            + " empty or a new directory",
                    null);
        }
        return names;
    }

    private static long identify(Disk disk, String place, long newDatabase) {
        List<String> names = requireOurs(disk, place);
        if (names.isEmpty()) {
            writeIdentity(disk, newDatabase);
            return newDatabase;
        }
        byte[] bytes = new byte[1 << 10];
        int length;
        try (DiskFile file = disk.open(IDENTITY)) {
            length = file.read(0, ByteBuffer.wrap(bytes));
        }
        List<String> lines = new String(bytes, 0, length, StandardCharsets.UTF_8).lines().toList();
        boolean isWhole =
                lines.size() == 3
                        && lines.get(0).equals(FIRST_LINE)
                        && lines.get(1).matches("format [0-9]{1,9}")
                        && lines.get(2).matches("database [0-9a-f]{16}");
        if (!lines.isEmpty() && lines.getFirst().equals(MemoryJournal.FIRST_LINE)) {
            throw new JournalException(
                    JournalException.Kind.DAMAGED,
                    place
                            + " is the data directory of a cluster's memory server: start the cluster",
                    null);
        }
        if (!isWhole && names.size() == 1) {
            writeIdentity(disk, newDatabase); // its maker has died before anything else
            return newDatabase;
        }
        if (!isWhole) {
            throw new JournalException(
                    JournalException.Kind.DAMAGED, place + "/" + IDENTITY + " is damaged", null);
        }
        int format = Integer.parseInt(lines.get(1).substring("format ".length()));
        if (format > FORMAT) {
            throw new JournalException(
                    JournalException.Kind.DAMAGED,
                    "%s has format %d, and this version of NamDB knows format %d only: open it with"
                                    .formatted(place, format, FORMAT)
                            + " the newer version of NamDB that has written it",
                    null);
        }
        return Long.parseUnsignedLong(lines.get(2).substring("database ".length()), 16);
    }

    static void writeIdentity(Disk disk, long database) {
        String text = "%s\nformat %d\ndatabase %016x\n".formatted(FIRST_LINE, FORMAT, database);
        try (DiskFile file = disk.open(IDENTITY)) {
            file.write(0, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
            file.force();
        }
        disk.forceNames();
    }

    /// Reads all that there is, and finds out what there will be.
    ///
    /// @return the tables
    /// @throws JournalException if anything is not as it was written
    public List<TableWrites> examine(RecoveryProgress progress) {
        Integer newest = CheckpointFile.newest(disk);
        checkpoint = newest;
        if (newest != null) {
            CheckpointFile.Head head = CheckpointFile.head(disk, newest);
            if (head.database() != database) {
                throw new JournalException(
                        JournalException.Kind.DAMAGED,
                        CheckpointFile.name(newest) + " is of another database",
                        null);
            }
            firstSegment = head.firstSegment();
            firstGeneration = head.generation();
            contents.checkpointOf(firstGeneration);
        }
        try (JournalReader reader = new JournalReader(disk, database)) {
            long all = reader.writtenBytes(firstSegment) + (newest == null ? 0 : bytesOf(newest));
            if (newest != null) {
                long _ =
                        CheckpointFile.read(
                                disk,
                                newest,
                                new Counting(),
                                done -> progress.at(RecoveryProgress.Step.CHECK, done, all));
            }
            long before = newest == null ? 0 : bytesOf(newest);
            end =
                    reader.read(
                            firstSegment,
                            firstGeneration,
                            contents,
                            done -> progress.at(RecoveryProgress.Step.CHECK, before + done, all));
        }
        return contents.tables();
    }

    private long bytesOf(int newest) {
        return CheckpointFile.bytes(disk, newest);
    }

    /// Gets the tables of a checkpoint, and how many rows they have.
    private final class Counting implements CheckpointFile.Visitor {
        @Override
        public void table(
                CheckpointFile.Head head, DefinedTable table, TablePart part, long[] seen) {
            TableWrites _ = contents.checkpointed(head.generation(), table, part, seen);
        }

        @Override
        public void rows(CheckpointFile.Head head, int number, long rows, long memory) {
            contents.counted(head.generation(), number, rows);
        }
    }

    /// The rows of the checkpoint; null if there is none.
    public @Nullable CheckpointLoad load(Host host, LongConsumer progress) {
        Integer newest = checkpoint;
        return newest == null ? null : new CheckpointLoad(host, disk, newest, contents, progress);
    }

    /// Hands over what commits have made of the records of one part, in their order, which the
    /// checkpoint doesn't have.
    ///
    /// @param progress gets how many more of the [bytes of commits][#commitBytes] were taken apart
    public void replay(ReplayVisitor visitor, int part, int parts, LongConsumer progress) {
        try (JournalReader reader = new JournalReader(disk, database)) {
            JournalReader.End _ =
                    reader.read(
                            firstSegment,
                            firstGeneration,
                            new CommitWrites(contents, visitor, part, parts, progress),
                            _ -> {});
        }
    }

    /// How many commits are in the journal.
    public long commits() {
        return contents.commits();
    }

    /// How many bytes the images of these commits have.
    public long commitBytes() {
        return contents.commitBytes();
    }

    /// How many bytes are read from the journal.
    public long journalBytes() {
        try (JournalReader reader = new JournalReader(disk, database)) {
            return reader.bytes(firstSegment);
        }
    }

    public long checkpointBytes() {
        Integer newest = checkpoint;
        return newest == null ? 0 : bytesOf(newest);
    }

    /// Whether there is nothing: no table was ever made.
    public boolean isNew() {
        return found().generation() == 0;
    }

    /// Whether the last process that used it has shut down cleanly.
    public boolean wasCleanShutdown() {
        return found().endedCleanly();
    }

    /// How many bytes at the end were never finished, and don't count.
    public long tornBytes() {
        return found().tornBytes();
    }

    private JournalReader.End found() {
        JournalReader.End found = end;
        if (found == null) {
            throw new IllegalStateException("it was not examined");
        }
        return found;
    }

    /// Begins the next generation: all is there again.
    ///
    /// @return its journal, in which nothing is yet
    public DiskJournal begin(Host host, JournalOptions options) {
        JournalReader.End last = found();
        forceAll();
        int segment =
                last.generation() == 0 && checkpoint == null
                        ? firstSegment
                        : JournalSegments.number(last.position()) + 1;
        for (String name : disk.list()) {
            int number = JournalSegments.number(name);
            if (number >= segment || number >= 0 && number < firstSegment) {
                disk.remove(name); // made for what never came, or not needed any more
            }
        }
        for (int each : CheckpointFile.all(disk)) {
            if (checkpoint == null || each != checkpoint) {
                disk.remove(CheckpointFile.name(each)); // incomplete, or replaced by this one
            }
        }
        disk.forceNames();
        return new DiskJournal(host, disk, options, segment, last.generation() + 1);
    }

    /// What was read may be in the operating system's memory only, if the process before was
    /// killed: it is relied on from now on.
    private void forceAll() {
        for (String name : disk.list()) {
            if (!name.equals(Disk.LOCK_FILE)) {
                try (DiskFile file = disk.open(name)) {
                    file.force();
                }
            }
        }
        disk.forceNames();
    }

    /// The first entry of the next generation.
    public long[] start() {
        JournalReader.End last = found();
        return new long[] {database, last.generation() == 0 ? 0 : last.position()};
    }

    /// Begins a checkpoint.
    ///
    /// @param from how many bytes of entries this process had appended when all commits before
    ///     were published
    public CheckpointWriter beginCheckpoint(DiskJournal journal, long from) {
        return beginCheckpoint(disk, journal, from);
    }

    private CheckpointWriter beginCheckpoint(Disk into, DiskJournal journal, long from) {
        CheckpointFile.Head head =
                new CheckpointFile.Head(
                        database, journal.segmentOf(from), found().generation() + 1);
        return new CheckpointWriter(
                journal, new CheckpointFile.Writer(into, head), head.firstSegment());
    }

    /// Begins a backup while the database is in use: a checkpoint in another directory.
    ///
    /// @param whileCopying called repeatedly; what it throws ends the backup
    /// @throws JournalException if that directory is not empty, in use, or can't be written
    public Backup beginBackup(JournalOptions target, Runnable whileCopying) {
        return Backup.begin(target, database, whileCopying);
    }

    /// The checkpoint of a backup.
    ///
    /// @param from as for [#beginCheckpoint]
    public CheckpointWriter beginCheckpoint(Backup backup, DiskJournal journal, long from) {
        return beginCheckpoint(backup.into(), journal, from);
    }

    /// Completes a backup whose checkpoint is complete: all that is committed until now is in it.
    /// Meanwhile no other checkpoint may replace the journal.
    ///
    /// @return how many bytes it has
    public long complete(Backup backup, CheckpointWriter checkpoint, DiskJournal journal) {
        journal.force();
        backup.copyJournal(
                disk, checkpoint.firstSegment(), journal.generation(), journal.forcedPosition());
        return backup.complete(checkpoint.bytes());
    }

    /// Copies a data directory that is not in use, when all of it was found whole.
    ///
    /// @param whileCopying called repeatedly; what it throws ends the copy
    /// @return how many bytes it has
    /// @throws JournalException if one of the directories is in use, the source is damaged, or the
    ///     target is not empty
    public static long copy(JournalOptions source, JournalOptions target, Runnable whileCopying) {
        if (source.disk().get().list().isEmpty()) {
            throw new JournalException(
                    JournalException.Kind.FAILED,
                    source.place() + " is no data directory of NamDB: it is empty",
                    null);
        }
        try (DataDirectory directory = open(source, 0);
                Backup backup = Backup.begin(target, directory.database, whileCopying)) {
            List<TableWrites> _ = directory.examine(source.progress());
            for (String name : directory.disk.list()) {
                if (!name.equals(Disk.LOCK_FILE) && !name.equals(IDENTITY)) {
                    try (DiskFile file = directory.disk.open(name)) {
                        backup.copy(directory.disk, name, file.size());
                    }
                }
            }
            return backup.complete(0);
        } catch (DiskException e) {
            throw new JournalException(
                    JournalException.Kind.FAILED, String.valueOf(e.getMessage()), e);
        }
    }

    /// Removes what the newest checkpoint takes the place of.
    public void dropBefore() {
        Integer newest = CheckpointFile.newest(disk);
        if (newest == null) {
            return;
        }
        for (int each : CheckpointFile.all(disk)) {
            if (each < newest) {
                disk.remove(CheckpointFile.name(each));
            }
        }
        int first = CheckpointFile.head(disk, newest).firstSegment();
        for (String name : disk.list()) {
            int number = JournalSegments.number(name);
            if (number >= 0 && number < first) {
                disk.remove(name);
            }
        }
        disk.forceNames();
    }

    @Override
    public void close() {
        lock.close();
    }

    @Override
    public String toString() {
        return place;
    }
}
