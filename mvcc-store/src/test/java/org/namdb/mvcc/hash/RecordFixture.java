package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.BumpAllocator;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.TimestampVectorLayout;
import org.namdb.timestamp.snapshot.Snapshot;
import org.namdb.timestamp.snapshot.SnapshotChain;

/// One record that a session writes as a commit does, and may stop writing after any verb, and a
/// reader whose READs the session gets in between. READs land in buffers, so that each of a batch
/// finds the memory as it is when the READ is posted. All words of a version's payload are the
/// same, so a torn one shows.
final class RecordFixture implements AutoCloseable {
    /// The places of the record's ring.
    static final int PLACES = 2;

    /// The record's key.
    static final long KEY = 5;

    private static final int REGION_BYTES = 4 << 20;
    private static final int LANDING_BYTES = 1 << 16;
    private static final RecordSchema SCHEMA =
            new RecordSchema(
                    TableDefinition.named("t")
                            .column("id", ColumnType.INT64)
                            .column("a", ColumnType.INT64)
                            .column("b", ColumnType.INT64)
                            .column("c", ColumnType.INT64)
                            .primaryKey("id")
                            .build());
    private static final int BYTES = SCHEMA.payloadBytes();
    private static final int HALF = BYTES / 16 * 8;

    final HashTable table;
    final QueuePair queuePair;
    private final PostponingQueuePair writerQueuePair;
    private final ShmFabric fabric;
    private final BumpAllocator memory = new BumpAllocator(1, 2 << 20, REGION_BYTES);
    private final TimestampSlot slot;
    private final SnapshotChain chain;
    private final RecordRead newest;
    private final RecordWrite write;
    private final InsertClaims claims;
    private final long body;
    private final long scratch;
    private final InterruptedQueuePair readerQueuePair;
    private final RecordRead reader;
    private final long target;

    /// The writer's low watermark.
    final Snapshot lowWatermark = new Snapshot();

    private long commit;
    private long newHeader;
    private long roundTrips;

    RecordFixture(boolean inlined) {
        fabric = new ShmFabric(new ShmFabric.Options(false, LANDING_BYTES, null));
        Region region = fabric.register(0, REGION_BYTES);
        writerQueuePair = new PostponingQueuePair(fabric.connect(List.of(region)));
        queuePair = writerQueuePair;
        TimestampVectorLayout vector = new TimestampVectorLayout(RemoteAddress.of(0, 4096), 4);
        vector.format(queuePair);
        slot = TimestampSlot.take(vector, queuePair, 1);
        chain = new SnapshotChain(slot);
        table =
                new HashTable(
                        1,
                        SCHEMA.key(),
                        1,
                        new BucketLayout(2, 1, BYTES, inlined),
                        PLACES,
                        new long[] {RemoteAddress.of(0, 1 << 20)},
                        1);
        LatchOwner owner =
                new LatchOwner(
                        slot.number(),
                        Host.MACHINE,
                        Duration.ofSeconds(10).toNanos(),
                        LatchOwner.Cancellation.NEVER);
        IntentLayout intents = new IntentLayout(RemoteAddress.of(0, 1 << 19));
        claims =
                new InsertClaims(
                        queuePair,
                        memory,
                        owner,
                        new Intents(queuePair, intents, slot.number(), 1, memory),
                        new DueSplits(null),
                        queuePair::localMemory,
                        Long.MAX_VALUE);
        newest = new RecordRead(table, SCHEMA.all());
        write = new RecordWrite(table);
        body = queuePair.localMemory(table.layout().bodyBytes());
        scratch = queuePair.localMemory(RecordWrite.scratchBytes(table));
        readerQueuePair = new InterruptedQueuePair(fabric.connect(List.of(region)));
        reader = new RecordRead(table, SCHEMA.all());
        target = readerQueuePair.localMemory(BYTES);
    }

    @Override
    public void close() {
        readerQueuePair.close();
        queuePair.close();
        fabric.close();
    }

    /// A queue pair that runs another session before some of its READs, also within a batch.
    private static final class InterruptedQueuePair extends ForwardingQueuePair {
        private final Map<Integer, Runnable> others = new HashMap<>();
        private int reads;

        InterruptedQueuePair(QueuePair actual) {
            super(actual);
        }

        @Override
        protected long postRead(long address, int bytes) {
            reads++;
            Runnable other = others.remove(reads);
            if (other != null) {
                other.run();
            }
            return super.postRead(address, bytes);
        }
    }

    /// A queue pair whose WRITEs may be kept back, to be done one by one.
    private static final class PostponingQueuePair extends ForwardingQueuePair {
        private final List<Runnable> postponed = new ArrayList<>();
        private boolean postpones;

        PostponingQueuePair(QueuePair actual) {
            super(actual);
        }

        QueuePair actual() {
            return actual;
        }

        @Override
        protected void postWrite(long address, long source, int bytes) {
            if (!postpones) {
                super.postWrite(address, source, bytes);
                return;
            }
            long copy = actual.localMemory(bytes);
            LocalMemory.copy(source, copy, bytes);
            postponed.add(() -> actual.write(address, copy, bytes));
        }

        @Override
        protected void postWriteWord(long address, long value) {
            if (postpones) {
                postponed.add(() -> actual.writeWord(address, value));
            } else {
                super.postWriteWord(address, value);
            }
        }
    }

    /// A snapshot that sees all that is published.
    Snapshot snapshot() {
        Snapshot snapshot = new Snapshot();
        chain.acquire(snapshot);
        queuePair.await();
        chain.release();
        queuePair.await();
        return snapshot;
    }

    /// Claims an entry for the record, and installs nothing.
    void claim() {
        newest.prepare(table, new long[] {KEY}, SCHEMA.nothing(), 0);
        write.prepareInsert(table);
        claims.clear();
        claims.add(newest, write);
        assertThat(claims.claimAll(Snapshot.EVERYTHING)).isTrue();
        queuePair.await();
    }

    /// Commits the record as a new one.
    void insert(long value) {
        claim();
        commit = slot.next();
        newHeader = RecordHeader.installed(commit);
        LocalMemory.zero(body, table.layout().bodyBytes());
        fillBody(value);
        write.postBody(queuePair, body);
        write.postHeader(queuePair, newHeader);
        publish();
    }

    /// Locks the record: its header is h|L.
    void lock() {
        newest.prepare(table, new long[] {KEY}, SCHEMA.nothing(), 0);
        newest.post(queuePair);
        do {
            queuePair.await();
        } while (!newest.advance(queuePair, Snapshot.EVERYTHING));
        write.prepareUpdate(newest);
        write.postLock(queuePair);
        queuePair.await();
        write.settle();
        assertThat(write.isLocked()).isTrue();
        write.prepare(queuePair, memory, lowWatermark);
    }

    /// Keeps the old version, and writes a part of the new one: the record's header is h|L|M.
    void beginToOverwrite(long value) {
        beginToOverwrite(value, false);
    }

    private void beginToOverwrite(long value, boolean deletes) {
        commit = slot.next();
        newHeader = deletes ? RecordHeader.deleted(commit) : RecordHeader.installed(commit);
        write.postKeepOldVersion(queuePair, newHeader, scratch);
        fillBody(value);
        write.postPayload(queuePair, 0, payload(), HALF);
        queuePair.await();
    }

    /// Writes the remainder and the new header, and publishes it.
    void install() {
        write.postPayload(queuePair, HALF, payload() + HALF, BYTES - HALF);
        write.postHeader(queuePair, newHeader);
        publish();
    }

    /// Commits another version of the record, also of one that is deleted.
    void update(long value) {
        lock();
        beginToOverwrite(value);
        install();
    }

    /// Locks the record, and keeps back all WRITEs that install another version.
    ///
    /// @return the WRITEs, to be done in this order
    List<Runnable> installVerbs(long value) {
        lock();
        writerQueuePair.postpones = true;
        beginToOverwrite(value);
        write.postPayload(queuePair, HALF, payload() + HALF, BYTES - HALF);
        write.postHeader(queuePair, newHeader);
        writerQueuePair.postpones = false;
        queuePair.await();
        return List.copyOf(writerQueuePair.postponed);
    }

    /// Does the WRITEs from `first` to `end`.
    void doVerbs(List<Runnable> verbs, int first, int end) {
        verbs.subList(first, end).forEach(Runnable::run);
        writerQueuePair.actual().await();
    }

    /// Commits the record's deletion.
    void delete() {
        lock();
        beginToOverwrite(-1, true);
        install();
    }

    private void publish() {
        queuePair.await();
        slot.publish(commit);
        queuePair.await();
    }

    private long payload() {
        return body + table.layout().bodyBytes() - BYTES;
    }

    private void fillBody(long value) {
        for (int at = 0; at < BYTES; at += 8) {
            LocalMemory.putLong(payload() + at, value);
        }
    }

    /// The header of the version that was written last.
    long header() {
        return newHeader;
    }

    /// The remote address of the record's header.
    long headerAddress() {
        return write.headerAddress();
    }

    /// The remote address of the record's body.
    long bodyAddress() {
        return write.bodyAddress();
    }

    /// Runs another session before READ `read` of the next lookup, counted from 1; after it if it
    /// has fewer.
    void before(int read, Runnable other) {
        readerQueuePair.others.put(read, other);
    }

    /// The lookup's READ of the record's body; the next one is of the header again.
    int bodyRead() {
        return table.inlined ? 2 : 4;
    }

    /// The first READ of a lookup that goes on to old versions.
    int oldHeadersRead() {
        return bodyRead() + 2;
    }

    /// Looks the record up.
    RecordRead read(Snapshot snapshot) {
        LocalMemory.zero(target, BYTES);
        readerQueuePair.reads = 0;
        long before = readerQueuePair.counters().roundTrips();
        reader.prepare(table, new long[] {KEY}, SCHEMA.all(), target);
        reader.post(readerQueuePair);
        do {
            readerQueuePair.await();
        } while (!reader.advance(readerQueuePair, snapshot));
        roundTrips = readerQueuePair.counters().roundTrips() - before;
        readerQueuePair.others.values().forEach(Runnable::run); // the lookup ended before
        readerQueuePair.others.clear();
        return reader;
    }

    /// The round trips of the last lookup.
    long roundTrips() {
        return roundTrips;
    }

    /// What the last lookup has read.
    long value() {
        long value = LocalMemory.longAt(target + SCHEMA.nullBytes());
        for (int at = SCHEMA.nullBytes(); at < BYTES; at += 8) {
            assertThat(LocalMemory.longAt(target + at)).as("torn").isEqualTo(value);
        }
        return value;
    }
}
