package org.namdb.compute.maintenance;

import java.util.Arrays;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.CommitContext;
import org.namdb.compute.commit.CommitGuards;
import org.namdb.compute.commit.CommitImageReader;
import org.namdb.compute.commit.IndexWriter;
import org.namdb.compute.commit.RecordChange;
import org.namdb.compute.schema.Catalog;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.client.ThreadExtents;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.hash.BucketEntries;
import org.namdb.mvcc.hash.DueSplits;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.RecordWrite;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.owner.LatchTimeoutException;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.ring.ImageRingReader;
import org.namdb.mvcc.ring.ImageRings;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.snapshot.Snapshot;

/// Finishes the last commits of dead slots by their images. A dead session d had awaited all its
/// locks and claims before it posted an image, and nothing of it was released since. So whatever of
/// the image's records is not `<d,t>` is still as d has left it:
/// ```
/// whole in one ring alone        WRITE it to the other one
/// h|L, or h|M: a suspect         old version, WRITE header h|L|M, payload, header <d,t>
/// h|L|M                          payload, header <d,t>: the old version is there
/// claimed by d                   body, header <d,t>
/// <d,t>                          nothing
/// all records                    index entries that are not there
/// at the end, all is awaited     WRITE V[d] = t
/// ```
/// **Why `V[d]` does not decide.** Before any install there would be nothing to undo, the locks
/// would go back to h, and the image would stay:
/// ```
/// d  posts its image <d,t>, dies                         V[d] = t - 1, r = h|L
/// X  undoes nothing, releases r and the slot             r = h
/// e  takes the slot, overwrites r, publishes t + 1       V[d] = t + 1, <d,t> has an image
/// ```
/// A recovery that reads the images later would take `<d,t>` for committed, though another session
/// has overwritten h.
///
/// **Large images**, of which the ring has but the head: that is written when all is installed,
/// with the index entries, and only published. No guard lines of cached tables are taken for that:
/// ```
/// d   has the guard line, installs, dies           no compute server has a copy of the row
/// R   gets the line, reads the row                 <d,t> is current, and no snapshot shows it:
///                                                  nothing is copied
/// X   publishes                                    there is no copy of a former version
/// ```
/// A record that is still locked is what R may copy: so to install one, the lines are taken.
///
/// **Why it may stop anywhere.** The image stays, `V[d]` is below t until all is installed, and
/// each step leaves one of the states above: the next recovery goes on. Two copies of h among the
/// old versions do no harm.
///
/// **Index entries.** Their last WRITEs share the install's round trip, so any of them may be
/// missing. They lock nothing against other sessions; an entry that is there is not added again.
///
/// Belongs to one thread.
public final class CommitFinish {
    private final QueuePair queuePair;
    private final IntentLayout intents;
    private final Catalog catalog;
    private final Host host;
    private final CommitGuards guards;
    private final LongSupplier owners;
    private final long timeoutNanos;
    private final ImageRingReader[] copies;
    private final ThreadExtents data;
    private final ThreadExtents oldVersions;
    private final BucketEntries entries;
    private final CommitImageReader image = new CommitImageReader();
    private final Snapshot nothing = new Snapshot();
    private final long[] key = new long[KeyLayout.MAX_WORDS];
    private long scratch;
    private int scratchBytes;

    /// @param intents where slots write down what they lock
    /// @param guards takes guard lines for what is written to cached tables
    /// @param owners numbers for those who write intents, each another one
    /// @param timeoutNanos the timeout of a wait for another session
    public CommitFinish(
            QueuePair queuePair,
            ImageRings rings,
            IntentLayout intents,
            Catalog catalog,
            Host host,
            CommitGuards guards,
            LongSupplier owners,
            long timeoutNanos) {
        this.queuePair = queuePair;
        this.intents = intents;
        this.catalog = catalog;
        this.host = host;
        this.guards = guards;
        this.owners = owners;
        this.timeoutNanos = timeoutNanos;
        MemoryClient client = new MemoryClient(queuePair, intents.servers());
        this.data = new ThreadExtents(client);
        this.oldVersions = new ThreadExtents(client);
        this.entries = new BucketEntries(queuePair);
        this.copies = new ImageRingReader[ImageRings.COPIES];
        Arrays.setAll(copies, copy -> new ImageRingReader(queuePair, rings));
    }

    /// Finishes and publishes the last commit of a dead slot, if its image is whole and it is not
    /// published. Nothing that the slot, or any other dead one, has locked was released.
    ///
    /// @param slot was taken over
    /// @return whether nothing is left to finish; if not, the slot's locks must stay
    /// @throws org.namdb.fabric.FabricException if a memory server can't be reached; another run
    ///     goes on
    public boolean finish(TimestampSlot slot) {
        ImageRingReader last = last(slot);
        if (last == null || PlantedFault.WHOLE_IMAGE_UNDONE.isPlanted()) {
            return true;
        }
        try {
            return finish(slot, last);
        } catch (MemoryFullException | LatchTimeoutException e) {
            return false; // the slot keeps its locks until there is memory, or the latch is free
        } finally {
            guards.release();
            data.releaseUnused();
            oldVersions.releaseUnused();
        }
    }

    /// The last image of the slot, if it is whole in any ring and not published; it is in both
    /// then.
    private @Nullable ImageRingReader last(TimestampSlot slot) {
        long[] timestamps = new long[ImageRings.COPIES];
        for (int copy = 0; copy < timestamps.length; copy++) {
            timestamps[copy] =
                    copies[copy].readLast(slot.number(), copy)
                            ? CommitTimestamp.timestamp(copies[copy].commitTimestamp())
                            : 0;
        }
        int newer = timestamps[1] > timestamps[0] ? 1 : 0;
        if (timestamps[newer] <= slot.published()) {
            return null;
        }
        if (timestamps[1 - newer] != timestamps[newer]) {
            copies[newer].postTo(slot.number(), 1 - newer);
            queuePair.await();
        }
        return copies[newer];
    }

    private boolean finish(TimestampSlot slot, ImageRingReader last) {
        if (last.isInstalled()) {
            slot.publishLeft(last.commitTimestamp());
            queuePair.await();
            return true;
        }
        CatalogTables tables = new CatalogTables(catalog);
        if (!takeGuards(tables, last)) {
            return false;
        }
        long commitTimestamp = last.commitTimestamp();
        open(last);
        while (image.nextWrite()) {
            Table table = nextTable(tables);
            if (table != null) {
                install(table.records(), commitTimestamp);
            }
        }
        addEntries(slot, tables, last);
        slot.publishLeft(commitTimestamp);
        queuePair.await();
        return true;
    }

    private void open(ImageRingReader last) {
        if (!image.open(last.contents(), last.contentBytes())) {
            throw new IllegalStateException(
                    "the last image of slot %s is whole and can't be read"
                            .formatted(CommitTimestamp.describe(last.commitTimestamp())));
        }
    }

    /// The table of the write that is current, whose key is in [#key]; null if it was dropped.
    private @Nullable Table nextTable(CatalogTables tables) {
        for (int word = 0; word < image.keyWords(); word++) {
            key[word] = image.keyWord(word);
        }
        return tables.table(image.table());
    }

    private boolean takeGuards(CatalogTables tables, ImageRingReader last) {
        SortedSet<Long> lines = new TreeSet<>();
        Table guarded = null;
        open(last);
        while (image.nextWrite()) {
            Table table = nextTable(tables);
            long line = table == null ? 0 : guards.line(table, key);
            if (line != 0) {
                lines.add(line);
                guarded = table;
            }
        }
        return guarded == null || guards.take(lines, guarded);
    }

    private void install(HashTable table, long commitTimestamp) {
        long after =
                image.kind() == RecordChange.Kind.DELETE
                        ? RecordHeader.deleted(commitTimestamp)
                        : RecordHeader.installed(commitTimestamp);
        boolean isFound = entries.find(table, key);
        long header = isFound ? entries.header() : RecordHeader.FREE;
        if (isFound && RecordHeader.isClaimed(header)) {
            requireClaimed(header, commitTimestamp);
            fill(table, after);
        } else if (isFound
                && RecordHeader.isLocked(header)
                && RecordHeader.unlocked(header) == image.headerBefore()) {
            overwrite(table, header, after);
        } else if (!isFound || RecordHeader.unlocked(header) != after) {
            throw lost(header, commitTimestamp);
        }
    }

    private void requireClaimed(long header, long commitTimestamp) {
        boolean isOwn = CommitTimestamp.slot(header) == CommitTimestamp.slot(commitTimestamp);
        if (!isOwn || image.headerBefore() != RecordHeader.FREE) {
            throw lost(header, commitTimestamp);
        }
    }

    private IllegalStateException lost(long header, long commitTimestamp) {
        return new IllegalStateException(
                "%s has locked a record of table %d with header %s, which is now %s"
                        .formatted(
                                CommitTimestamp.describe(commitTimestamp),
                                image.table(),
                                RecordHeader.describe(image.headerBefore()),
                                RecordHeader.describe(header)));
    }

    /// A claimed entry. Its body is in the bucket, or in memory that is allocated now.
    private void fill(HashTable table, long after) {
        int bytes = table.layout().bodyBytes();
        long address = entries.headerAddress();
        long body =
                table.layout().inlined()
                        ? entries.bodyAddress()
                        : data.allocate(RemoteAddress.server(address), bytes);
        long made = scratch(bytes);
        LocalMemory.zero(made, bytes);
        while (image.nextRun()) {
            LocalMemory.copy(
                    image.runAddress(),
                    made + RecordBody.PAYLOAD_OFFSET + image.runOffset(),
                    image.runBytes());
        }
        RecordWrite write = write(table, RecordHeader.FREE, address, body, true);
        write.postBody(queuePair, made);
        write.postHeader(queuePair, after);
        queuePair.await();
    }

    private void overwrite(HashTable table, long header, long after) {
        RecordWrite write =
                write(
                        table,
                        image.headerBefore(),
                        entries.headerAddress(),
                        entries.bodyAddress(),
                        false);
        try (ViewScope _ = queuePair.openViews()) {
            if (!RecordHeader.isUnderOverwrite(header)) {
                write.postBodyView(queuePair);
                queuePair.await();
                write.postHeadView(queuePair);
                queuePair.await();
                write.prepare(queuePair, oldVersions, nothing);
                write.postKeepOldVersion(
                        queuePair, after, scratch(RecordWrite.scratchBytes(table)));
            }
            while (image.nextRun()) {
                write.postPayload(
                        queuePair, image.runOffset(), image.runAddress(), image.runBytes());
            }
            write.postHeader(queuePair, after);
            queuePair.await();
        }
    }

    private static RecordWrite write(
            HashTable table, long header, long address, long body, boolean isClaimed) {
        RecordWrite write = new RecordWrite(table);
        write.resume(
                table,
                header,
                address,
                body,
                RemoteAddress.NULL,
                isClaimed,
                !isClaimed,
                false,
                RemoteAddress.NULL,
                RemoteAddress.NULL);
        return write;
    }

    /// All WRITEs of the memory have been awaited.
    private long scratch(int bytes) {
        if (bytes > scratchBytes) {
            scratch = queuePair.localMemory(bytes);
            scratchBytes = bytes;
        }
        return scratch;
    }

    /// Adds the index entries of what was installed, in the name of the dead slot: should this
    /// recovery die, the next one finds a dead slot's latches. What the slot had listed before is
    /// installed.
    private void addEntries(TimestampSlot slot, CatalogTables tables, ImageRingReader last) {
        LatchOwner owner =
                new LatchOwner(slot.number(), host, timeoutNanos, LatchOwner.Cancellation.NEVER);
        Intents own = new Intents(queuePair, intents, slot.number(), owners.getAsLong(), data);
        own.start();
        CommitContext context =
                new CommitContext(
                        queuePair,
                        slot,
                        owner,
                        own,
                        data,
                        oldVersions,
                        queuePair::localMemory,
                        new DueSplits(null));
        open(last);
        while (image.nextWrite()) {
            Table table = nextTable(tables);
            if (table != null && image.kind() != RecordChange.Kind.DELETE) {
                for (Index index : table.indexArray()) {
                    addEntry(context, table, index);
                }
            }
        }
        own.postEnd();
        queuePair.await();
    }

    private void addEntry(CommitContext context, Table table, Index index) {
        long[] entry = new long[KeyLayout.MAX_WORDS];
        boolean isEntry;
        boolean isFound = entries.find(table.records(), key);
        assert isFound : "it was installed";
        try (ViewScope _ = queuePair.openViews()) {
            long body = queuePair.read(entries.bodyAddress(), table.records().layout().bodyBytes());
            queuePair.await();
            long payload = body + RecordBody.PAYLOAD_OFFSET;
            byte[] text = new byte[index.scratchBytes()];
            isEntry = index.encode(entry, key, payload, payload, 0, text);
        }
        if (isEntry) {
            IndexWriter writer = new IndexWriter(context, table, index);
            try {
                boolean _ = writer.insert(entry, Snapshot.EVERYTHING);
            } finally {
                writer.close();
            }
        }
    }
}
