package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.BumpAllocator;
import org.namdb.mvcc.CrashingQueuePair;
import org.namdb.mvcc.index.IndexContext;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.IntentList;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.recovery.DeadSlotRecovery;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Projection;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.snapshot.Snapshot;

/// A table of small buckets that are split at rest, and clients that have older or newer pictures
/// of it. The rows of a group have one hash; a row's value follows from its key.
final class SplitFixture implements AutoCloseable {
    static final int ROOTS = 3;
    private static final int RECORDS = 4;
    private static final int REGION_BYTES = 16 << 20;

    /// Taken for each of thousands of clients: not much more than they need.
    private static final int LANDING_BYTES = 1 << 15;

    private static final long HEAD = RemoteAddress.of(0, 1 << 16);

    /// The last timestamp, as a split sees it, of the slot that all versions are of.
    private static final long PUBLISHED = RemoteAddress.of(0, 1 << 15);

    private static final IntentLayout INTENTS = new IntentLayout(RemoteAddress.of(0, 1 << 18));
    private static final RecordSchema SCHEMA =
            new RecordSchema(
                    TableDefinition.named("t")
                            .column("g", ColumnType.INT64)
                            .column("n", ColumnType.INT64)
                            .column("v", ColumnType.INT64)
                            .primaryKey("g", "n")
                            .neighbours(1)
                            .build());

    final BumpAllocator memory = new BumpAllocator(1, 1 << 20, REGION_BYTES);
    private final BucketLayout layout;
    private final ShmFabric fabric;
    private final Region region;
    private final RestSplitter splitter;
    private final HashTable splitted;
    private final List<QueuePair> queuePairs = new ArrayList<>();
    private final List<Long> children = new ArrayList<>();
    private int slots;
    private long commits;
    private long forgotten = RemoteAddress.NULL;
    private long forgottenAddress;

    /// Of records.
    SplitFixture(boolean inPlace, boolean isInlined) {
        this(inPlace, layout(RECORDS, SCHEMA.payloadBytes(), isInlined));
    }

    /// Of records, with so many in a bucket.
    SplitFixture(boolean inPlace, int records) {
        this(inPlace, layout(records, SCHEMA.payloadBytes(), true));
    }

    /// Of a hashed index.
    SplitFixture(boolean inPlace) {
        this(inPlace, layout(RECORDS, 0, true));
    }

    private static BucketLayout layout(int records, int payloadBytes, boolean isInlined) {
        return new BucketLayout(records, SCHEMA.key().words(), payloadBytes, isInlined);
    }

    private SplitFixture(boolean inPlace, BucketLayout layout) {
        this.layout = layout;
        fabric = new ShmFabric(new ShmFabric.Options(inPlace, LANDING_BYTES, null));
        region = fabric.register(0, REGION_BYTES);
        splitted = newTable();
        splitter = new RestSplitter(connect(), memory, splitted);
    }

    QueuePair connect() {
        QueuePair queuePair = fabric.connect(List.of(region));
        queuePairs.add(queuePair);
        return queuePair;
    }

    @Override
    public void close() {
        queuePairs.forEach(QueuePair::close);
        fabric.close();
    }

    /// The table, as this process has cached it: never split.
    private HashTable newTable() {
        return new HashTable(1, SCHEMA.key(), 1, layout, 2, new long[] {HEAD}, ROOTS);
    }

    /// Splits the home bucket of a group.
    void split(long group) {
        split(group, false);
    }

    /// @param leavesLocked whether rows that are locked stay where they are
    void split(long group, boolean leavesLocked) {
        long hash = splitted.hash(key(group, 0));
        children.add(splitter.split(hash, leavesLocked));
    }

    /// All home buckets.
    Set<Long> homes() {
        Set<Long> all = new HashSet<>(children);
        HomeBuckets homes = new HomeBuckets(queuePairs.getFirst());
        homes.start(splitted);
        while (homes.next()) {
            all.add(homes.address());
        }
        return all;
    }

    /// The home buckets in which rows of a group are, or in whose areas.
    Set<Long> homes(long group) {
        Set<Long> homes = new HashSet<>();
        QueuePair queuePair = queuePairs.getFirst();
        BucketEntries entries = new BucketEntries(queuePair);
        for (long home : homes()) {
            entries.start(splitted, home);
            while (entries.next()) {
                long key = queuePair.readWord(entries.headerAddress() + BucketLayout.KEY_OFFSET);
                if (key == key(group, 0)[0]) {
                    homes.add(home);
                }
            }
        }
        return homes;
    }

    /// The records that a client's intents list.
    Set<Long> listedRecords(Client client) {
        IntentList list = new IntentList(client.queuePair, INTENTS);
        list.read(0, client.slot);
        Set<Long> listed = new HashSet<>();
        for (int entry = 0; entry < list.count(); entry++) {
            if (list.isRecord(entry)) {
                listed.add(list.address(entry));
            }
        }
        return listed;
    }

    /// The home buckets that a client's intents list.
    Set<Long> listed(Client client) {
        IntentList list = new IntentList(client.queuePair, INTENTS);
        list.read(0, client.slot);
        Set<Long> listed = new HashSet<>();
        for (int entry = 0; entry < list.count(); entry++) {
            if (list.isBucket(entry) && !list.isOfIndex(entry)) {
                listed.add(list.address(entry));
            }
        }
        return listed;
    }

    /// Takes the last split's word out of the directory, if it moved the group from `old`.
    void forget(long group, long old) {
        long home = home(group);
        if (home != old) {
            long growth = queuePairs.getFirst().readWord(home + BucketLayout.GROWTH_OFFSET);
            long number = BucketLayout.number(growth);
            long level = HEAD + TableHead.levelOffset(TableHead.level(number));
            long hash = splitted.hash(key(group, 0));
            forgotten =
                    queuePairs.getFirst().readWord(level)
                            + Long.BYTES * TableHead.word(number, splitted.root(hash), ROOTS);
            forgottenAddress = home;
            write(forgotten, RemoteAddress.NULL);
        }
    }

    /// Restores it.
    void remember() {
        if (!RemoteAddress.isNull(forgotten)) {
            write(forgotten, forgottenAddress);
            forgotten = RemoteAddress.NULL;
        }
    }

    /// Has the home bucket of a group point to the child of its next split, which is empty and
    /// complete, and not yet committed.
    void announceChild(long group) {
        long home = home(group);
        QueuePair queuePair = queuePairs.getFirst();
        long growth = queuePair.readWord(home + BucketLayout.GROWTH_OFFSET);
        int depth = BucketLayout.depth(growth);
        long child = memory.allocate(0, layout.bucketBytes());
        write(
                child + BucketLayout.GROWTH_OFFSET,
                BucketLayout.growth(depth + 1, BucketLayout.number(growth) | 1L << depth));
        write(home + BucketLayout.CHILD_OFFSET, child);
    }

    private void write(long address, long word) {
        queuePairs.getFirst().writeWord(address, word);
        queuePairs.getFirst().await();
    }

    boolean insert(HashIndex index, long group, long number) {
        boolean isNew = index.insert(key(group, number), Snapshot.EVERYTHING);
        queuePairs.forEach(QueuePair::await);
        return isNew;
    }

    /// The numbers of a group's entries.
    List<Long> lookUp(HashIndex index, long group) {
        List<Long> numbers = new ArrayList<>();
        index.lookup(key(group, 0), words -> numbers.add(SCHEMA.key().decode(words, 1)));
        return numbers;
    }

    /// The home bucket of a group as it is now.
    long home(long group) {
        long hash = splitted.hash(key(group, 0));
        return splitter.find(hash);
    }

    private long hash(long group) {
        return splitted.hash(key(group, 0));
    }

    /// The growth word of a group's home bucket.
    long growth(long group) {
        return queuePairs.getFirst().readWord(home(group) + BucketLayout.GROWTH_OFFSET);
    }

    /// The word at an address.
    long readWord(long address) {
        return queuePairs.getFirst().readWord(address);
    }

    /// A word of a group's home bucket.
    long word(long group, int offset) {
        return queuePairs.getFirst().readWord(home(group) + offset);
    }

    /// Groups of one root, so many on each side of its first split.
    List<Long> groups(int ofEachSide) {
        List<Long> groups = new ArrayList<>();
        int[] sides = new int[2];
        for (long group = 0; groups.size() < 2 * ofEachSide; group++) {
            int side = (int) hash(group) & 1;
            if (splitted.root(hash(group)) == 0 && sides[side] < ofEachSide) {
                sides[side]++;
                groups.add(group);
            }
        }
        return groups;
    }

    static long[] key(long group, long number) {
        long[] words = new long[SCHEMA.key().words()];
        SCHEMA.key().encode(words, 0, group);
        SCHEMA.key().encode(words, 1, number);
        return words;
    }

    static long value(long group, long number) {
        return 1000 * group + number;
    }

    /// A process with a session.
    final class Client {
        final HashTable table = newTable();
        private final CrashingQueuePair crashing = new CrashingQueuePair(connect(), 1);
        private final InterruptedQueuePair interrupted = new InterruptedQueuePair(crashing);
        final QueuePair queuePair = interrupted;
        final int slot = slots++;
        private final LatchOwner owner =
                new LatchOwner(
                        slot,
                        Host.MACHINE,
                        Duration.ofSeconds(10).toNanos(),
                        LatchOwner.Cancellation.NEVER);
        final Intents intents = new Intents(queuePair, INTENTS, slot, 1, memory);
        final InsertClaims claims;
        private final BucketSplit splits =
                new BucketSplit(queuePair, memory, owner, intents, any -> PUBLISHED);
        final DueSplits due = new DueSplits(splits);
        private final List<RecordWrite> writes = new ArrayList<>();
        private final long body = queuePair.localMemory(table.layout().bodyBytes());

        Client() {
            this(Long.MAX_VALUE);
        }

        /// @param atOnceBytes how many bytes of overflow areas are linked at once
        Client(long atOnceBytes) {
            claims =
                    new InsertClaims(
                            queuePair,
                            memory,
                            owner,
                            intents,
                            due,
                            queuePair::localMemory,
                            atOnceBytes);
        }

        /// Runs another session before READ `read` from now on, counted from 1.
        void before(int read, Runnable other) {
            interrupted.left = read;
            interrupted.other = other;
        }

        /// How many READs there were since [#before].
        int reads(int read) {
            return read - interrupted.left;
        }

        /// Runs another session before verb `verb` from now on, counted from 0.
        void beforeVerb(int verb, Runnable other) {
            interrupted.verbsLeft = verb + 1;
            interrupted.other = other;
        }

        /// Splits a group's home bucket, and dies at that.
        BucketSplit.Outcome split(long group, int batch, int[] cut) {
            long growth = growth(group);
            arm(batch, cut);
            return split(group, Snapshot.EVERYTHING, growth);
        }

        /// Locks those of some rows that it can.
        List<RecordWrite> lockAll(List<RecordRead> rows) {
            List<RecordWrite> tried = new ArrayList<>();
            intents.start();
            for (RecordRead row : rows) {
                RecordWrite write = new RecordWrite(table);
                write.prepareUpdate(row);
                write.addIntent(intents);
                tried.add(write);
            }
            intents.post();
            tried.forEach(write -> write.postLock(queuePair));
            queuePair.await();
            tried.forEach(RecordWrite::settle);
            tried.removeIf(write -> !write.isLocked());
            return tried;
        }

        /// Dies in a batch from now on; see [CrashingQueuePair#arm].
        void arm(int batch, int[] cut) {
            crashing.arm(batch, cut);
        }

        /// How many verbs it has posted since, batch by batch.
        List<int[]> batches() {
            return crashing.batches();
        }

        /// Splits the home bucket of a group while others use the table.
        BucketSplit.Outcome split(long group) {
            return split(group, Snapshot.EVERYTHING);
        }

        BucketSplit.Outcome split(long group, Snapshot published) {
            return split(group, published, growth(group));
        }

        BucketSplit.Outcome split(long group, Snapshot published, long growth) {
            splits.clear();
            splits.add(table, layout.payloadBytes() == 0, hash(group), home(group), growth, false);
            int split = splits.run(published);
            assertThat(split).isEqualTo(splits.outcome(0) == BucketSplit.Outcome.SPLIT ? 1 : 0);
            return splits.outcome(0);
        }

        /// Updates a row.
        ///
        /// @return false if it is locked
        boolean update(long group, long number, long value) {
            RecordRead found = find(group, number);
            assertThat(found.isPresent()).isTrue();
            RecordWrite write = new RecordWrite(table);
            if (!lock(write, found) && !(write.mayHaveMoved() && lockAgain(write, found))) {
                intents.postEnd();
                queuePair.await();
                return false;
            }
            commits++;
            long header = RecordHeader.installed(CommitTimestamp.of(0, commits));
            int bytes = SCHEMA.payloadBytes();
            long scratch = queuePair.localMemory(RecordWrite.scratchBytes(table));
            long payload = queuePair.localMemory(bytes);
            LocalMemory.putLong(payload + bytes - Long.BYTES, value);
            write.prepare(queuePair, memory, new Snapshot());
            write.postKeepOldVersion(queuePair, header, scratch);
            write.postPayload(queuePair, 0, payload, bytes);
            write.postHeader(queuePair, header);
            queuePair.await();
            intents.postEnd();
            queuePair.await();
            return true;
        }

        /// Recovers another one that has died.
        ///
        /// @param others dead as well
        /// @return whether all is done
        boolean recover(Client dead, Client... others) {
            return DeadSlotRecovery.recover(
                    queuePair,
                    INTENTS,
                    table,
                    layout.payloadBytes() == 0,
                    dead.slot,
                    slots,
                    number ->
                            number == dead.slot
                                    || Stream.of(others).anyMatch(each -> each.slot == number),
                    1_000_000);
        }

        /// Claims entries for rows, given as pairs of group and number.
        boolean claim(long... rows) {
            claims.clear();
            writes.clear();
            intents.start();
            for (int i = 0; i < rows.length; i += 2) {
                RecordRead row = new RecordRead(table, SCHEMA.nothing());
                row.prepare(table, key(rows[i], rows[i + 1]), SCHEMA.nothing(), 0);
                RecordWrite write = new RecordWrite(table);
                write.prepareInsert(table);
                writes.add(write);
                claims.add(row, write);
            }
            claims.addIntents();
            intents.post();
            return claims.claimAll(Snapshot.EVERYTHING);
        }

        /// Inserts rows.
        void insert(long... rows) {
            assertThat(claim(rows)).isTrue();
            commits++;
            for (int i = 0; i < writes.size(); i++) {
                LocalMemory.zero(body, table.layout().bodyBytes());
                LocalMemory.putLong(
                        body + table.layout().bodyBytes() - Long.BYTES,
                        value(rows[2 * i], rows[2 * i + 1]));
                writes.get(i).postBody(queuePair, body);
                writes.get(i)
                        .postHeader(
                                queuePair, RecordHeader.installed(CommitTimestamp.of(0, commits)));
                queuePair.await();
            }
            intents.postEnd();
            queuePair.await();
        }

        /// A lookup that has found a row, and nothing of it.
        RecordRead find(long group, long number) {
            RecordRead read = new RecordRead(table, SCHEMA.nothing());
            read.prepare(table, key(group, number), SCHEMA.nothing(), 0);
            return read.again(queuePair, Snapshot.EVERYTHING);
        }

        /// Locks a row that was found.
        ///
        /// @return whether it is locked
        boolean lock(RecordWrite write, RecordRead found) {
            intents.start();
            write.prepareUpdate(found);
            write.addIntent(intents);
            intents.post();
            write.postLock(queuePair);
            queuePair.await();
            write.settle();
            return write.isLocked();
        }

        boolean lockAgain(RecordWrite write, RecordRead found) {
            return write.lockAgain(
                    queuePair, found, Snapshot.EVERYTHING, intents, queuePair::localMemory);
        }

        /// The value of a row; null if it is not there.
        Long read(long group, long number) {
            return readAll(group, number).getFirst();
        }

        /// The values of rows that are read together.
        List<Long> readAll(long... rows) {
            int bytes = SCHEMA.payloadBytes();
            List<RecordRead> reads = new ArrayList<>();
            long target = queuePair.localMemory((long) rows.length / 2 * bytes);
            for (int i = 0; i < rows.length; i += 2) {
                RecordRead read = new RecordRead(table, SCHEMA.all());
                read.prepare(
                        table,
                        key(rows[i], rows[i + 1]),
                        SCHEMA.all(),
                        target + (long) i / 2 * bytes);
                read.post(queuePair);
                reads.add(read);
            }
            finish(reads);
            List<Long> values = new ArrayList<>();
            for (int i = 0; i < reads.size(); i++) {
                long value = LocalMemory.longAt(target + (long) (i + 1) * bytes - Long.BYTES);
                values.add(reads.get(i).isPresent() ? value : null);
            }
            return values;
        }

        private void finish(List<RecordRead> reads) {
            boolean isWaiting = true;
            while (isWaiting) {
                queuePair.await();
                isWaiting = false;
                for (RecordRead read : reads) {
                    isWaiting |= !read.isDone() && !read.advance(queuePair, Snapshot.EVERYTHING);
                }
            }
        }

        /// The numbers of a group's rows, as they were found.
        List<Long> neighbours(long group) {
            Found found = new Found();
            NeighbourRead read = new NeighbourRead(table, found);
            read.prepare(table, key(group, 0), found);
            do {
                read.post(queuePair);
                queuePair.await();
            } while (!read.take(queuePair, Snapshot.EVERYTHING));
            finish(found.reads);
            List<Long> numbers = new ArrayList<>();
            for (RecordRead each : found.reads) {
                assertThat(each.isPresent()).isTrue();
                numbers.add(SCHEMA.key().decode(each.key(), 1));
            }
            return numbers;
        }

        /// Scans the table.
        ///
        /// @param most how many buckets are read at a time
        /// @param between is done between two of those
        /// @return the rows' groups and numbers, as they were found
        List<List<Long>> scan(int most, Runnable between) {
            BucketRead scan = new BucketRead(table);
            List<List<Long>> rows = new ArrayList<>();
            double progress = 0;
            scan.start();
            while (!scan.isDone()) {
                readMore(scan, TablePart.ALL, most, rows);
                assertThat(scan.progress()).isGreaterThan(progress).isLessThanOrEqualTo(1);
                progress = scan.progress();
                between.run();
            }
            assertThat(progress).isEqualTo(1);
            return rows;
        }

        /// Scans the table, one part after the other.
        ///
        /// @param parts how many at least
        List<List<Long>> scanInParts(int parts, int most, Runnable between) {
            BucketRead scan = new BucketRead(table);
            List<List<Long>> rows = new ArrayList<>();
            for (TablePart part : TablePart.of(table).divide(parts)) {
                scan.start(part);
                while (!scan.isDone()) {
                    readMore(scan, part, most, rows);
                    between.run();
                }
            }
            return rows;
        }

        private void readMore(BucketRead scan, TablePart part, int most, List<List<Long>> rows) {
            Found found = new Found();
            scan.readMore(queuePair, Snapshot.EVERYTHING, most, found);
            finish(found.reads);
            for (RecordRead each : found.reads) {
                assertThat(each.isPresent()).isTrue();
                if (part.has(table.hash(each.key()))) {
                    rows.add(
                            List.of(
                                    SCHEMA.key().decode(each.key(), 0),
                                    SCHEMA.key().decode(each.key(), 1)));
                }
            }
        }

        /// The table as a hashed index, whose entries are keys.
        HashIndex index() {
            return new HashIndex(
                    table,
                    new IndexContext(queuePair, memory, owner, intents),
                    due,
                    Projection.NOTHING);
        }
    }

    private static final class InterruptedQueuePair extends ForwardingQueuePair {
        private int left;
        private int verbsLeft;
        private Runnable other = () -> {};

        InterruptedQueuePair(QueuePair actual) {
            super(actual);
        }

        @Override
        protected long postRead(long address, int bytes) {
            left--;
            if (left == 0) {
                other.run();
            }
            countVerb();
            return super.postRead(address, bytes);
        }

        private void countVerb() {
            verbsLeft--;
            if (verbsLeft == 0) {
                other.run();
            }
        }

        @Override
        protected void postWrite(long address, long source, int bytes) {
            countVerb();
            super.postWrite(address, source, bytes);
        }

        @Override
        protected void postWriteWord(long address, long value) {
            countVerb();
            super.postWriteWord(address, value);
        }

        @Override
        protected long postCompareAndSwap(long address, long expected, long desired) {
            countVerb();
            return super.postCompareAndSwap(address, expected, desired);
        }
    }

    private static final class Found implements RecordSink {
        private final List<RecordRead> reads = new ArrayList<>();

        @Override
        public RecordRead next(HashTable table, long[] key) {
            RecordRead read = new RecordRead(table, SCHEMA.nothing());
            read.prepare(table, key, SCHEMA.nothing(), 0);
            reads.add(read);
            return read;
        }

        @Override
        public int provided() {
            return reads.size();
        }

        @Override
        public void rollBack(int count) {
            reads.subList(count, reads.size()).clear();
        }
    }
}
