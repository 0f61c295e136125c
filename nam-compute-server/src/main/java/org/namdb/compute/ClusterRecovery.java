package org.namdb.compute;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.journal.CheckpointLoad;
import org.namdb.compute.journal.Cut;
import org.namdb.compute.journal.JournalClient;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.journal.JournalMerge;
import org.namdb.compute.journal.JournalScan;
import org.namdb.compute.journal.RecoveryProgress;
import org.namdb.compute.journal.RecoveryReport;
import org.namdb.compute.journal.TableWrites;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.Host;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.disk.Disk;
import org.namdb.memory.client.DatabaseFinding;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.RegionLayout;
import org.slf4j.Logger;

/// Recovers a cluster whose memory servers have all been started again, or have restarted with
/// empty memory after the death of one, from their data directories: to the last cut that all of
/// them have. It is a compute server, the only one: others wait until it has ended.
/// ```
/// 1  reads all journals to their ends          a damaged one is refused; nothing was changed
/// 2  has all servers begin a generation
/// 3  brings all rows back by transactions, whose images go to the new journals
/// 4  makes the indexes
/// 5  takes the first cut of the generation     from now on, it is the one that counts
/// 6  has the generations before removed
/// 7  lets compute servers in
/// ```
/// If anything dies before 5, no journal of the new generation has a cut: the next recovery begins
/// again with the one before. Between 5 and 6 both are whole, and the newer one is taken. So a
/// restart is a checkpoint, too: the new journals have each row once.
public final class ClusterRecovery {
    private static final int MIN_PARTS = 4;

    /// Compute servers that outlive their memory servers have tables and numbers of the former
    /// memory. None of these is given again: as many are left out as may have been given since the
    /// last cut, which each second takes that gives any.
    private static final int NUMBERS_LEFT_OUT = 1024;

    private final EmbeddedOptions options;
    private final ComputeFabric fabric;
    private final List<Region> regions;
    private final RecoveryProgress progress;
    private final Host host;
    private final Logger log;
    private final QueuePair queuePair;
    private final List<JournalClient> journals = new ArrayList<>();

    private ClusterRecovery(
            EmbeddedOptions options,
            ComputeFabric fabric,
            List<Region> regions,
            RecoveryProgress progress,
            QueuePair queuePair) {
        this.options = options;
        this.fabric = fabric;
        this.regions = regions;
        this.progress = progress;
        this.host = options.host();
        this.log = host.logger(ClusterRecovery.class);
        this.queuePair = queuePair;
        for (Region each : regions) {
            journals.add(new JournalClient(queuePair, each.server()));
        }
    }

    /// Recovers the database, or makes an empty one where all directories are new.
    ///
    /// @param regions those found, by number, each just formatted
    /// @param servers how many memory servers there are
    /// @throws FabricException if a memory server can't be reached, or was started again meanwhile:
    ///     the next attempt may succeed
    /// @throws JournalException if directories don't belong together, or are damaged; nothing was
    ///     changed then
    public static void run(
            EmbeddedOptions options,
            ComputeFabric fabric,
            List<Region> regions,
            int servers,
            RecoveryProgress progress) {
        if (regions.size() != servers) { // a fabric leaves out what it can't reach
            throw new FabricException(
                    FabricException.Kind.PEER_GONE,
                    "%d of %d memory servers can be reached".formatted(regions.size(), servers));
        }
        try (QueuePair queuePair = fabric.connect(regions)) {
            int slots = DatabaseLayout.openVector(queuePair).maxSlots();
            new ClusterRecovery(
                            options.withLearnt(regions, slots),
                            fabric,
                            regions,
                            progress,
                            queuePair)
                    .run();
        }
    }

    private void run() {
        long start = host.nanoTime();
        List<JournalClient.Contents> contents =
                journals.stream().map(JournalClient::contents).toList();
        long database = database(contents);
        JournalScan found = newest(contents, database);
        int generation = 1;
        for (JournalClient.Contents each : contents) {
            for (int known : each.generations()) {
                generation = Math.max(generation, known + 1);
            }
        }
        for (JournalClient each : journals) {
            each.begin(generation, found == null ? 0 : found.generation(), database);
        }
        Cut end = found == null ? null : Objects.requireNonNull(found.end());
        if (end != null) {
            queuePair.writeWord(
                    RegionLayout.address(0, RegionLayout.CATALOG_NUMBER_OFFSET),
                    end.catalogNumbers() + NUMBERS_LEFT_OUT);
            queuePair.await();
        }
        RecoveryReport report = null;
        try (NamDb db = AttachedDatabase.open(options, fabric, regions)) {
            if (found != null && end != null) {
                report = restore(db, found, database, end, start);
            }
            db.server().replication().cut();
        }
        for (JournalClient each : journals) {
            each.keepOnly(generation);
        }
        String foreign = DatabaseFinding.join(queuePair, regions);
        if (foreign != null) {
            throw new FabricException(FabricException.Kind.PEER_GONE, foreign);
        }
        DatabaseLayout.recovered(queuePair);
        if (report != null) {
            progress.ended(report);
        }
    }

    /// The number of the database, of which all directories must be.
    private long database(List<JournalClient.Contents> contents) {
        Long known = null;
        int first = -1;
        for (int server = 0; server < contents.size(); server++) {
            JournalClient.Contents each = contents.get(server);
            if (each.begun() != 0) {
                throw new FabricException(
                        FabricException.Kind.PEER_GONE,
                        "memory server %d has not restarted with empty memory yet"
                                .formatted(server));
            }
            Long number = each.database();
            if (number != null && known != null && !number.equals(known)) {
                throw refused(
                        "%s is of another database than %s: give each memory server the directory that it has written"
                                .formatted(place(server), place(first)));
            }
            if (number != null && known == null) {
                known = number;
                first = server;
            }
        }
        return known == null ? host.instant().toEpochMilli() << 20 ^ host.nanoTime() : known;
    }

    private String place(int server) {
        return "the data directory of memory server %d, %s,"
                .formatted(server, journals.get(server).status().place());
    }

    private static JournalException refused(String message) {
        return new JournalException(JournalException.Kind.DAMAGED, message, null);
    }

    /// The newest generation of which all servers have a cut; or all but one, as its disk was
    /// lost. Null if there is none, and nothing was ever acknowledged.
    ///
    /// A newer one, of which not all have a cut, was begun by a recovery that has died. If it was
    /// not, directories of different times were mixed up, and what was acknowledged since would be
    /// lost.
    /// ```
    /// a journal of the newer one has       all have had         refused
    /// no cut                                                    never
    /// one                                  its first segment    if one with a disk has not
    /// another one, or a checkpoint         the first cut        if one has not
    /// ```
    private @Nullable JournalScan newest(List<JournalClient.Contents> contents, long database) {
        NavigableSet<Integer> generations = new TreeSet<>();
        contents.forEach(each -> generations.addAll(each.generations()));
        List<JournalScan> newer = new ArrayList<>();
        for (int generation : generations.descendingSet()) {
            int missing = lost(contents, generation);
            JournalScan scan = scan(generation, missing, database);
            if (scan.end() != null) {
                for (JournalScan each : newer) {
                    requireIncomplete(each, contents, generation, missing);
                }
                if (missing >= 0) {
                    log.warn(
                            "{} has nothing of the database: the second copies are read",
                            place(missing));
                }
                return scan;
            }
            newer.add(scan);
        }
        if (newer.stream().noneMatch(JournalScan::hasData)) {
            return null;
        }
        List<String> places = new ArrayList<>();
        for (int server = 0; server < contents.size(); server++) {
            places.add(place(server));
        }
        throw refused(
                "data of the database are missing: check "
                        + String.join(" ", places)
                        + " and restore what each memory server has written");
    }

    /// @param older the generation that would be recovered
    /// @param missing the memory server whose disk was lost; -1 for none
    private void requireIncomplete(
            JournalScan newer, List<JournalClient.Contents> contents, int older, int missing) {
        for (int server = 0; server < contents.size(); server++) {
            // Where a still newer one was begun, this one was removed.
            boolean hasBegun =
                    contents.get(server).generations().stream()
                            .anyMatch(each -> each >= newer.generation());
            int other = newer.firstWithCuts(server == missing || hasBegun ? 2 : 1);
            if (!newer.hasCut(server) && other >= 0) {
                throw refused(
                        "%s has commits of generation %d, and %s has none: the database would be recovered to generation %d, without them. Give each memory server the directory that it has written last"
                                .formatted(place(other), newer.generation(), place(server), older));
            }
        }
    }

    private JournalScan scan(int generation, int missing, long database) {
        JournalScan scan = new JournalScan(generation, regions.size(), missing);
        scan.addCheckpoint(journals.get(scan.checkpointServer()).generation(generation), database);
        for (int server = 0; server < regions.size(); server++) {
            scan.add(server, journals.get(server).generation(generation), database);
            progress.at(RecoveryProgress.Step.CHECK, server + 1, regions.size());
        }
        return scan;
    }

    /// The memory server whose disk was lost: the only one with nothing of a generation. It may
    /// have begun a later one, in a recovery that has died.
    ///
    /// @return -1 if there is none, or there are several
    private static int lost(List<JournalClient.Contents> contents, int generation) {
        int found = -1;
        for (int server = 0; server < contents.size(); server++) {
            if (!contents.get(server).generations().contains(generation)) {
                if (found >= 0) {
                    return -1;
                }
                found = server;
            }
        }
        return found;
    }

    private RecoveryReport restore(
            NamDb db, JournalScan found, long database, Cut end, long start) {
        TableRestore restore = new TableRestore(db, progress);
        restore.create(found.tablesAt(end));
        int parts =
                Math.min(
                        Math.max(MIN_PARTS, 2 * Runtime.getRuntime().availableProcessors()),
                        db.options().slots() / 2);
        Replayed replayed = replay(db, found, restore, database, end, parts);
        if (PlantedFault.CUT_WHILE_RECOVERING.isPlanted()) {
            db.server().replication().cut();
        }
        restore.makeIndexes(parts);
        return new RecoveryReport(
                restore.tables().size(),
                replayed.rows,
                found.checkpointBytes(),
                found.bytes(),
                replayed.commits,
                found.tornBytes() + replayed.leftBytes,
                found.endedCleanly(),
                Duration.ofNanos(host.nanoTime() - start));
    }

    /// What a replay has done, and left out.
    private record Replayed(long rows, long commits, long leftBytes) {}

    private Replayed replay(
            NamDb db, JournalScan found, TableRestore restore, long database, Cut end, int parts) {
        Map<TableWrites, Table> tables = restore.tables();
        long latchNanos = db.options().latchWait().toNanos();
        List<ReplayWriter> writers = new ArrayList<>();
        List<JournalScan.Replay> replays = new ArrayList<>();
        List<QueuePair> readers = new ArrayList<>();
        long commits = 0;
        try {
            for (int part = 0; part < parts; part++) {
                ReplayWriter writer = new ReplayWriter(db.session(), tables, latchNanos);
                writers.add(writer);
                replays.add(found.replay(writer, part, parts));
            }
            for (Region _ : regions) {
                readers.add(fabric.connect(regions));
            }
            load(found, restore, writers, readers.getFirst());
            try (JournalMerge merge =
                    new JournalMerge(
                            host,
                            regions.size(),
                            server -> disk(readers.get(server), server, found.generation()),
                            database,
                            found,
                            end)) {
                for (var batch = merge.next(); batch != null; batch = merge.next()) {
                    JournalMerge.Batch now = batch;
                    long done = Math.min(merge.bytesRead(), found.bytes());
                    try (now) {
                        restore.inThreads(
                                parts,
                                part -> {
                                    now.replay(replays.get(part));
                                    writers.get(part).commit();
                                },
                                () ->
                                        restore.report(
                                                RecoveryProgress.Step.REPLAY, done, found.bytes()));
                    }
                    commits += now.commits();
                }
                restore.report(RecoveryProgress.Step.REPLAY, found.bytes(), found.bytes());
                return new Replayed(
                        writers.stream().mapToLong(ReplayWriter::rows).sum(),
                        commits,
                        merge.leftBytes());
            }
        } finally {
            FirstFailure ignored = new FirstFailure();
            writers.forEach(each -> ignored.attempt(each::close));
            readers.forEach(each -> ignored.attempt(each::disconnect));
        }
    }

    private void load(
            JournalScan found, TableRestore restore, List<ReplayWriter> writers, QueuePair reader) {
        AtomicLong done = new AtomicLong();
        Disk disk = disk(reader, found.checkpointServer(), found.generation());
        try (CheckpointLoad load = found.load(host, disk, done::set)) {
            if (load == null) {
                return;
            }
            long bytes = found.checkpointBytes();
            restore.inThreads(
                    writers.size(),
                    part -> {
                        load.run(writers.get(part));
                        writers.get(part).commit();
                    },
                    () -> restore.report(RecoveryProgress.Step.LOAD, done.get(), bytes));
            restore.report(RecoveryProgress.Step.LOAD, bytes, bytes);
        }
    }

    private static Disk disk(QueuePair reader, int server, int generation) {
        return new JournalClient(reader, server).generation(generation);
    }
}
