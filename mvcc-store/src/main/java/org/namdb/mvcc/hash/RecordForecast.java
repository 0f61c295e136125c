package org.namdb.mvcc.hash;

import org.namdb.fabric.VerbForecast;
import org.namdb.mvcc.owner.IntentsForecast;
import org.namdb.mvcc.record.OldVersionBuffer;

/// Forecasts what accesses to the records of a table post, in the ordinary case: no bucket has an
/// overflow area, every record is in its current version and has no old ones, no other session
/// interferes. The caller adds the round trips, since they depend on what is posted together.
///
/// | access | verbs |
/// |---|---|
/// | lookup | READ bucket, READ directory again; not inlined: READ body, READ header |
/// | claim of an insert | CAS latch, READ directory, WRITE key, WRITE header, WRITE latch |
/// | install of it | WRITE body, WRITE header; not inlined: WRITE pointer |
/// | lock | CAS header, READ body |
/// | install over a lock | WRITE head and first place of old versions, their pointer, header, |
/// | | each run of changed words, and header again |
public final class RecordForecast {
    private final HashTable table;
    private final BucketLayout layout;
    private final VerbForecast into;

    /// How many of the accesses go to each memory server.
    private final double[] shares;

    private RecordForecast(HashTable table, VerbForecast into, double[] shares) {
        this.table = table;
        this.layout = table.layout();
        this.into = into;
        this.shares = shares;
    }

    /// For records anywhere in the table.
    ///
    /// @param into what is expected is added to this
    public static RecordForecast of(HashTable table, VerbForecast into) {
        double[] shares = new double[into.servers()];
        for (int server = 0; server < shares.length; server++) {
            shares[server] = (double) table.bucketsOn(server) / table.buckets();
        }
        return new RecordForecast(table, into, shares);
    }

    /// For the record of this key, or those that are neighbours of it.
    ///
    /// @param key a key's words
    public static RecordForecast of(HashTable table, VerbForecast into, long[] key) {
        double[] shares = new double[into.servers()];
        shares[HashTable.serverOf(table.home(table.hash(key)))] = 1;
        return new RecordForecast(table, into, shares);
    }

    /// Lookups by key.
    public void lookUp(double records) {
        forEach(
                records,
                (server, count) -> {
                    into.readValidated(server, count, layout.directoryBytes(), layout.readBytes());
                    readBodies(server, count);
                });
    }

    /// Lookups by keys that are not there.
    public void lookUpAbsent(double keys) {
        forEach(
                keys,
                (server, count) ->
                        into.readValidated(
                                server, count, layout.directoryBytes(), layout.readBytes()));
    }

    /// Reads of whole buckets, for neighbours.
    ///
    /// @param records how many records they have that are wanted
    public void readBuckets(double buckets, double records) {
        forEach(
                buckets,
                (server, count) ->
                        into.readValidated(
                                server, count, layout.directoryBytes(), layout.readBytes()));
        forEach(records, this::readBodies);
    }

    /// Lookups in a hashed index: reads of the directories of buckets.
    ///
    /// @param areas how many of the buckets are in overflow areas: with each, the growth word of
    ///     its home bucket is read
    public void readDirectories(double buckets, double areas) {
        forEach(
                buckets,
                (server, count) ->
                        into.readValidated(
                                server, count, layout.directoryBytes(), layout.directoryBytes()));
        forEach(areas, (server, count) -> into.read(server, count, Long.BYTES));
    }

    /// A scan of the home buckets, from the first on: of those that splits have made, as many as
    /// this process has cached.
    ///
    /// @param bucketsPerRead how many are read at a time, at most
    /// @param share what part of them is scanned, from 0 to 1
    /// @param records how many records there are in all of them
    /// @return how many reads it takes, one after the other
    public double scan(int bucketsPerRead, double share, double records) {
        double perRange = table.bucketsInRange(0);
        double ranges = table.buckets() / perRange;
        double readsOfRange = Math.ceil(perRange / bucketsPerRead);
        double reads = Math.ceil(readsOfRange * ranges * share);
        double bytes = perRange / readsOfRange * layout.bucketBytes();
        forEach(reads, (server, count) -> into.readValidated(server, count, bytes, bytes));
        double parts = table.parts() * share;
        int partBytes = layout.bucketBytes();
        forEach(parts, (server, count) -> into.readValidated(server, count, partBytes, partBytes));
        forEach(records * share, this::readBodies);
        return reads + Math.ceil(parts / bucketsPerRead);
    }

    /// Claims of entries for inserts, each in another bucket.
    public void claim(double records) {
        forEach(
                records,
                (server, count) -> {
                    into.cas(server, count);
                    into.read(server, count, layout.directoryBytes());
                    into.write(server, count, (double) Long.BYTES * layout.keyWords());
                    into.write(server, 2 * count, Long.BYTES);
                });
    }

    /// The commit's intents list records before it locks them.
    public void list(double records, IntentsForecast intents) {
        for (int server = 0; server < shares.length; server++) {
            intents.list(server, records, shares[server]);
        }
    }

    /// The commit's intents list buckets one by one.
    public void listLate(double buckets, IntentsForecast intents) {
        for (int server = 0; server < shares.length; server++) {
            intents.listLate(server, buckets, shares[server]);
        }
    }

    /// Installs of inserts.
    public void installNew(double records) {
        forEach(
                records,
                (server, count) -> {
                    into.write(server, count, layout.bodyBytes());
                    into.write(server, layout.inlined() ? count : 2 * count, Long.BYTES);
                });
    }

    /// The last WRITE of an index entry.
    public void installEntry(double entries) {
        forEach(entries, (server, count) -> into.write(server, count, Long.BYTES));
    }

    /// Locks of records that are to be changed or deleted.
    public void lock(double records) {
        forEach(
                records,
                (server, count) -> {
                    into.cas(server, count);
                    into.read(server, count, layout.bodyBytes());
                });
    }

    /// Installs over locked records.
    ///
    /// @param runs in how many pieces the payload is changed; 0 for a delete
    /// @param changedBytes the bytes of all of them
    public void installOver(double records, int runs, int changedBytes) {
        OldVersionBuffer buffer = table.oldVersions();
        forEach(
                records,
                (server, count) -> {
                    into.write(server, count, buffer.headBytes() + buffer.payloadBytes());
                    into.write(server, 3 * count, Long.BYTES);
                    if (runs > 0) {
                        into.write(server, count * runs, (double) changedBytes / runs);
                    }
                });
    }

    /// READs of headers again, at commit.
    public void readHeaders(double records) {
        forEach(records, (server, count) -> into.read(server, count, Long.BYTES));
    }

    private void readBodies(int server, double records) {
        if (!layout.inlined()) {
            into.read(server, records, layout.bodyBytes());
            into.read(server, records, Long.BYTES);
        }
    }

    /// Adds a number of accesses on one memory server.
    @FunctionalInterface
    private interface Share {
        void add(int server, double count);
    }

    private void forEach(double accesses, Share share) {
        for (int server = 0; server < shares.length; server++) {
            if (shares[server] > 0) {
                share.add(server, accesses * shares[server]);
            }
        }
    }
}
