package org.namdb.compute;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.IndexWriter;
import org.namdb.compute.guard.CachedTables;
import org.namdb.compute.read.RowBatch;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.read.SessionIndexes;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.VerbForecast;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.RecordForecast;
import org.namdb.mvcc.hash.RecordWrite;
import org.namdb.mvcc.index.ChangeBatch;
import org.namdb.mvcc.index.EqualityIndex;
import org.namdb.mvcc.index.OrderedForecast;
import org.namdb.mvcc.owner.IntentsForecast;
import org.namdb.mvcc.schema.ChangedRuns;
import org.namdb.mvcc.schema.Key;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.snapshot.SnapshotOracle;

/// Foresees what the next transaction of a session would cost on the fabric, without running it:
/// its begin, its reads, and the commit of what it would change.
/// ```java
/// TransactionForecast forecast = session.forecast();
/// VerbForecast reads = forecast.nothing();
/// forecast.read(reads, table, key);
/// forecast.update(table, key, 1, changedColumns);
/// VerbForecast ending = forecast.nothing();
/// forecast.end(ending);
/// ```
/// Of the ordinary case: records are in their current version, have no old ones, and lie in their
/// home buckets; no other session commits or interferes; memory is available. The garbage
/// collection that a session does after every sixteenth transaction is left out, and so are the
/// images of replicated commits. The verbs of a way down a B-link tree are those of its height as
/// this session knows it.
///
/// Belongs to the session's thread. Source of the phases: [org.namdb.compute.commit.Commit].
public final class TransactionForecast {
    /// About how many entries are a run, and how many round trips it takes, with new leaves.
    private static final double RUN_ENTRIES = 1024;

    private static final int RUN_ROUND_TRIPS = 8;

    private final SessionIndexes indexes;
    private final QueuePair queuePair;
    private final int servers;
    private final SnapshotOracle oracle;
    private final TimestampSlot slot;
    private final @Nullable CachedTables cached;
    private final ChangedRuns runs = new ChangedRuns();

    /// What the commit posts.
    private final VerbForecast changes;

    /// What the commit writes down before it locks.
    private final IntentsForecast intents;

    /// Round trips of the inserts into ordered indexes that are posted together, and the bytes that
    /// all land.
    private int sharedRoundTrips;

    private double sharedBytes;

    /// Those of runs.
    private double runRoundTrips;

    /// How many entries there are in all indexes, those of runs not counted; whether some are for
    /// changed records, and what locks land.
    private double entries;

    private boolean isEntryChanged;
    private double lockBytes;
    private boolean isChanged;
    private boolean isRequired;
    private boolean claims;

    TransactionForecast(Session session, SnapshotOracle oracle, TimestampSlot slot) {
        this.cached = session.server.cached();
        this.indexes = session.indexes;
        this.queuePair = session.queuePair;
        this.servers = session.server.options().memoryServers();
        this.oracle = oracle;
        this.slot = slot;
        this.intents = new IntentsForecast(servers);
        this.changes = nothing();
    }

    /// A forecast to add to.
    public VerbForecast nothing() {
        return new VerbForecast(queuePair, servers);
    }

    /// Adds the begin: the choice of a snapshot.
    public void begin(VerbForecast into) {
        oracle.forecast(into, nothing());
    }

    /// Adds lookups by whole keys, without their round trips.
    ///
    /// @param key the key, if it is one and known; null if records may lie anywhere
    public void read(VerbForecast into, Table table, @Nullable Key key, double records) {
        at(table.records(), key, into).lookUp(records);
    }

    /// Whether a lookup by this key would post nothing, as there is a copy of the record here.
    ///
    /// @param key null if it is not known
    public boolean isCopied(Table table, @Nullable Key key) {
        CachedTables known = cached;
        return key != null && known != null && known.hasCopy(table, key.words());
    }

    /// Adds lookups by whole keys of which there is no record, without their round trips.
    ///
    /// @param key the key, if it is one and known
    public void readAbsent(VerbForecast into, Table table, @Nullable Key key, double keys) {
        at(table.records(), key, into).lookUpAbsent(keys);
    }

    /// The round trips that lookups by keys take.
    ///
    /// @param atATime how many are posted together, if the landing buffer holds them
    public double roundTrips(Table table, double records, int atATime) {
        BucketLayout layout = table.records().layout();
        int most = Math.min(atATime, RowBatch.landingRows(queuePair, layout));
        double batches = Math.ceil(records / most);
        return layout.inlined() ? batches : 2 * batches;
    }

    /// Adds reads of neighbourhoods.
    ///
    /// @param key one of them, or its first columns; null if that is not known
    /// @param times how many neighbourhoods, one after the other
    /// @param records how many records they have, all together
    public void neighbours(
            VerbForecast into, Table table, @Nullable Key key, double times, double records) {
        at(table.records(), key, into).readBuckets(times, records);
        into.roundTrips(table.records().layout().inlined() ? times : 2 * times);
    }

    /// Adds a scan of a table.
    ///
    /// @param share what part of the table is scanned, from 0 to 1
    public void scan(VerbForecast into, Table table, double share) {
        HashTable records = table.records();
        int bucketsPerRead = TableScan.bucketsPerRead(queuePair, records.layout());
        double reads =
                RecordForecast.of(records, into)
                        .scan(bucketsPerRead, share, (double) table.estimatedRows());
        into.roundTrips(records.layout().inlined() ? reads : 2 * reads);
    }

    /// Adds lookups in an index, and of the records that it leads to: of a hashed one by whole
    /// keys, of an ordered one by ranges.
    ///
    /// @param lookups how many keys or ranges, one after the other
    /// @param records how many records they lead to, all together
    /// @param isExpected whether a cursor knows in advance how many records are wanted
    public void lookUp(
            VerbForecast into,
            Table table,
            Index index,
            double lookups,
            double records,
            boolean isExpected) {
        EqualityIndex equality = indexes.writer(table, index).equality();
        if (equality != null) {
            equality.forecast(into, intents).lookUp(lookups, records);
            into.roundTrips(lookups * roundTrips(table, records / lookups, RowBatch.CAPACITY));
        } else {
            tree(table, index, into).scan(lookups, records);
            into.roundTrips(lookups * rangeRoundTrips(table, records / lookups, isExpected));
        }
        read(into, table, null, records);
    }

    /// How many records of an index a cursor has read when so many are taken of it, and there are
    /// more: of an ordered one just these, as it knows the number in advance.
    public static double readAhead(Index index, double taken) {
        return index.isOrdered() ? taken : Math.ceil(taken / RowBatch.CAPACITY) * RowBatch.CAPACITY;
    }

    private double rangeRoundTrips(Table table, double records, boolean isExpected) {
        int landingRows = RowBatch.landingRows(queuePair, table.records().layout());
        double roundTrips = 0;
        double left = records;
        int first =
                isExpected
                        ? (int) Math.clamp(records, 1, Integer.MAX_VALUE)
                        : RowCursor.FIRST_OF_STREAM;
        for (int atATime = first;
                left > 0;
                atATime = RowCursor.moreOfStream(atATime, landingRows)) {
            roundTrips += roundTrips(table, Math.min(left, atATime), atATime);
            left -= atATime;
        }
        return roundTrips;
    }

    /// The transaction inserts records, each with an entry in every index.
    ///
    /// @param key the key, if it is one and known
    public void insert(Table table, @Nullable Key key, double records) {
        RecordForecast forecast = at(table.records(), key, changes);
        forecast.claim(records);
        forecast.list(records, intents);
        forecast.installNew(records);
        for (Index index : table.indexArray()) {
            addEntries(table, index, records);
        }
        claims = true;
        isChanged = true;
    }

    /// The transaction changes records.
    ///
    /// @param key the key, if it is one and known
    /// @param columns which columns, as a mask of [org.namdb.mvcc.schema.Column#mask]; 0 for a
    ///     lock alone
    public void update(Table table, @Nullable Key key, double records, long columns) {
        int count = 0;
        int bytes = 0;
        runs.start(table.schema(), columns);
        while (runs.next()) {
            count++;
            bytes += runs.to() - runs.from();
        }
        changeOver(table, key, records, count, bytes);
        for (Index index : table.indexArray()) {
            if ((index.columnMask() & columns) != 0) {
                addEntries(table, index, records);
                isEntryChanged |= index.isOrdered();
            }
        }
    }

    /// The transaction deletes records; their index entries go later.
    ///
    /// @param key the key, if it is one and known
    public void delete(Table table, @Nullable Key key, double records) {
        changeOver(table, key, records, 0, 0);
    }

    private void changeOver(
            Table table, @Nullable Key key, double records, int runCount, int runBytes) {
        RecordForecast forecast = at(table.records(), key, changes);
        forecast.lock(records);
        lockBytes += records * RecordWrite.viewBytes(table.records());
        forecast.list(records, intents);
        forecast.installOver(records, runCount, runBytes);
        isChanged = true;
    }

    /// The transaction requires records that it has read: [Transaction#requirePresent],
    /// [Transaction#requireUnchanged].
    public void require(Table table, double records) {
        RecordForecast.of(table.records(), changes).readHeaders(records);
        isRequired = true;
    }

    /// The transaction requires that an index has no entries for some keys:
    /// [Transaction#requireNone].
    public void requireNone(Table table, Index index, double keys) {
        lookUp(changes, table, index, keys, 0, false);
    }

    /// Adds the commit of all forecast changes, or the end of a transaction that only reads.
    public void end(VerbForecast into) {
        if (isChanged) {
            intents.addTo(into);
            into.addAll(changes);
            into.roundTrips(3); // lock, install, publish
            // Inserts into ordered indexes are posted together, as many as fit.
            into.roundTrips(sharedRoundTrips * entryBatches() + runRoundTrips);
            into.roundTrips(areLeavesReadAhead() ? -1 : 0);
            if (isRequired) {
                into.roundTrips(claims ? 2 : 1);
            }
            slot.forecastPublish(into);
            oracle.forecast(nothing(), into);
        } else {
            VerbForecast releasing = nothing();
            oracle.forecast(nothing(), releasing);
            into.addAll(releasing);
            into.roundTrips(releasing.isNothing() ? 0 : 1);
        }
    }

    /// Whether the first READs for all entries go with the locks.
    private boolean areLeavesReadAhead() {
        return sharedRoundTrips > 0
                && entryBatches() == 1
                && !isEntryChanged
                && lockBytes + sharedBytes <= queuePair.batchBytes();
    }

    private double entryBatches() {
        return Math.max(
                Math.ceil(sharedBytes / queuePair.batchBytes()),
                Math.ceil(entries / ChangeBatch.MAX_CHANGES));
    }

    private void addEntries(Table table, Index index, double count) {
        IndexWriter writer = indexes.writer(table, index);
        EqualityIndex equality = writer.equality();
        boolean isRun = count > ChangeBatch.MAX_CHANGES && writer.takesRuns();
        entries += isRun ? 0 : count;
        if (equality != null) {
            equality.forecast(changes, intents).insert(count);
            return;
        }
        OrderedForecast tree = tree(table, index, changes);
        tree.insert(count);
        if (isRun) {
            runRoundTrips += RUN_ROUND_TRIPS * Math.ceil(count / RUN_ENTRIES);
        } else {
            sharedRoundTrips = Math.max(sharedRoundTrips, tree.insertRoundTrips());
            sharedBytes += count * tree.insertBytes();
        }
    }

    private OrderedForecast tree(Table table, Index index, VerbForecast into) {
        return indexes.writer(table, index).ordered().forecast(into);
    }

    private static RecordForecast at(HashTable records, @Nullable Key key, VerbForecast into) {
        return key == null
                ? RecordForecast.of(records, into)
                : RecordForecast.of(records, into, key.words());
    }
}
