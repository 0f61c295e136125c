package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.compute.DurableDatabases.contents;
import static org.namdb.compute.DurableDatabases.id;
import static org.namdb.compute.DurableDatabases.put;
import static org.namdb.compute.DurableDatabases.rows;
import static org.namdb.compute.DurableDatabases.things;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.journal.Durability;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.read.HashCursor;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.ForwardingHost;
import org.namdb.fabric.Host;
import org.namdb.fabric.disk.DiskFile;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;
import org.namdb.simulated.SimDisk;

/// What a restart relies on: the checkpoint, the journal behind it, and what a killed process has
/// left in the operating system's memory. `-Dnamdb.rounds=N`: N rounds of each test that has any.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CheckpointRecoveryTest {
    private static final String PREFIX = "checkpoint-";
    private static final int LARGE_SEGMENT_BYTES = 8 << 20;

    private final long seed = Long.getLong("namdb.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);
    private final SimDisk disk = new SimDisk();

    CheckpointRecoveryTest() {
        System.out.println("-Dnamdb.seed=" + seed);
    }

    private static int rounds(int usual) {
        return Integer.getInteger("namdb.rounds", usual);
    }

    /// The checkpoint knows tables by names that they got after their generation began, and the
    /// beginning of that generation is still read.
    @Test
    void tablesChangeBetweenTheirGenerationsBeginningAndItsCheckpoint()
            throws InterruptedException {
        JournalOptions journal =
                DurableDatabases.journal(disk).withBytes(LARGE_SEGMENT_BYTES, Long.MAX_VALUE);
        try (NamDb db = DurableDatabases.open(journal)) {
            put(db, db.createTable(things("things").build()), 1, 1);
            put(db, db.createTable(things("dropped").build()), 1, 1);
        }
        SimDisk left;
        String before;
        try (NamDb db = DurableDatabases.open(journal.withBytes(LARGE_SEGMENT_BYTES, 1))) {
            Table table = db.renameTable("things", "others");
            db.dropTable("dropped");
            put(db, db.createTable(things("made").build()), 2, 2);
            putUntilCheckpointed(db, table);
            before = contents(db);
            left = disk.killed();
        }
        assertThat(left.list()).as("segment with the beginning").contains("journal-00000002");
        try (NamDb db = DurableDatabases.open(journal.on(() -> left, "what is left"))) {
            assertThat(contents(db)).isEqualTo(before);
        }
    }

    /// A session may read by an old snapshot; the checkpoint's must show all commits whose journal
    /// is dropped.
    @Test
    void aCheckpointIsNotAsStaleAsSessionsMayBe() throws InterruptedException {
        JournalOptions journal =
                DurableDatabases.journal(disk).withBytes(DurableDatabases.SEGMENT_BYTES, 1);
        SimDisk left;
        String before;
        try (NamDb db =
                NamDb.embedded(
                        EmbeddedOptions.DEFAULT
                                .withMemoryBytes(64 << 20)
                                .withMaxTransactionTime(Duration.ofHours(1))
                                .withStaleness(Duration.ofMinutes(20))
                                .withJournal(journal))) {
            Table table = db.createTable(things("things").build());
            putUntilCheckpointed(db, table);
            putUntilCheckpointed(db, table);
            try (Session session = db.session()) {
                session.expireSnapshot();
                before = session.transact(tx -> rows(tx, table).toString());
            }
            left = disk.killed();
        }
        assertThat(left.list()).as("journal before").doesNotContain("journal-00000001");
        try (NamDb db = DurableDatabases.open(journal.on(() -> left, "what is left"))) {
            assertThat(rows(db, db.table("things")).toString()).isEqualTo(before);
        }
    }

    /// Puts new rows until a checkpoint is complete that has begun meanwhile. Soon it puts them one
    /// by one, as memory would be full before a checkpoint that gets no processor is complete.
    private void putUntilCheckpointed(NamDb db, Table table) throws InterruptedException {
        int first = newest() + 1; // may have begun already
        long from = 1_000L * first;
        for (long id = from; newest() <= first || checkpoints() > 1; id++) {
            put(db, table, id, id);
            if (id > from + 1_000) {
                Thread.sleep(1);
            }
        }
    }

    private int newest() {
        return newest(disk);
    }

    private static int newest(SimDisk disk) {
        return disk.list().stream()
                .filter(name -> name.startsWith(PREFIX))
                .mapToInt(name -> Integer.parseInt(name, PREFIX.length(), name.length(), 10))
                .max()
                .orElse(0);
    }

    private long checkpoints() {
        return disk.list().stream().filter(name -> name.startsWith(PREFIX)).count();
    }

    /// The first process forces nothing. The second one finds what it wrote, and acknowledges
    /// commits behind it, and reads of it.
    @Test
    void whatAKilledProcessHasWrittenIsForcedBeforeOthersBuildOnIt() throws InterruptedException {
        for (int round = 0; round < rounds(8); round++) {
            SimDisk used = new SimDisk();
            JournalOptions journal = DurableDatabases.journal(used);
            SimDisk killed;
            try (NamDb db = DurableDatabases.open(journal.withDurability(Durability.NONE))) {
                Table table = db.createTable(things("things").build());
                for (int id = 0; id < 10; id++) {
                    put(db, table, id, id);
                }
                long before = db.server().journal().journal().writtenBytes();
                put(db, table, 10, 10);
                while (db.server().journal().journal().writtenBytes() == before) {
                    Thread.sleep(1); // the test's limit ends it
                }
                killed = used.killed();
            }
            String shown;
            try (NamDb db = DurableDatabases.open(journal.on(() -> killed, "what is left"))) {
                put(db, db.table("things"), 100, round);
                shown = contents(db);
                SimDisk crashed = killed.crashed(random);
                try (NamDb again = DurableDatabases.open(journal.on(() -> crashed, "a copy"))) {
                    assertThat(contents(again)).isEqualTo(shown);
                }
            }
        }
    }

    /// Time passes for the checkpoint only when a schema change waits for it.
    private static final class SlowHost extends ForwardingHost {
        private volatile BooleanSupplier isWaitedFor = () -> true;

        @Override
        public void sleep(long nanos) {
            Host.MACHINE.sleep(nanos);
            for (int i = 0; isCheckpoint() && i < 200 && !isWaitedFor.getAsBoolean(); i++) {
                Host.MACHINE.sleep(1_000_000);
            }
        }

        private static boolean isCheckpoint() {
            return StackWalker.getInstance()
                    .walk(frames -> frames.skip(2).findFirst())
                    .map(frame -> frame.getClassName().equals(CheckpointScan.class.getName()))
                    .orElse(false);
        }
    }

    /// Time passes whenever the checkpoint looks at the clock, and then not before another
    /// transaction has ended: the table takes longer than a transaction may, and no other one does.
    static final class FastClock extends ForwardingHost {
        private final AtomicLong ahead = new AtomicLong();
        final AtomicLong ended = new AtomicLong();
        volatile long stepNanos;

        @Override
        public long nanoTime() {
            long step = stepNanos;
            if (step > 0 && SlowHost.isCheckpoint()) {
                ahead.addAndGet(step);
            }
            return Host.MACHINE.nanoTime() + ahead.get();
        }

        @Override
        public void sleep(long nanos) {
            long before = ended.get();
            boolean isStepping = stepNanos > 0 && SlowHost.isCheckpoint();
            Host.MACHINE.sleep(isStepping ? 1_000_000 : nanos);
            for (int i = 0; isStepping && i < 5_000 && ended.get() == before; i++) {
                Host.MACHINE.sleep(1_000_000);
            }
        }
    }

    /// Rows are put, changed and deleted meanwhile, before and behind the part that is written.
    @ParameterizedTest
    @ValueSource(longs = {1, 10_000})
    void aTableThatCantBeReadInOneTransactionIsWrittenInParts(long expectedRows) {
        JournalOptions journal = DurableDatabases.journal(disk);
        try (NamDb db = DurableDatabases.open(journal)) {
            Table table = db.createTable(things("things").expectedRows(expectedRows).build());
            for (int from = 0; from < 10_000; from += 500) {
                fill(db, table, from, from + 500, 1);
            }
        }
        FastClock clock = new FastClock();
        clock.stepNanos = Duration.ofSeconds(4).toNanos();
        SimDisk left;
        String before;
        try (NamDb db =
                NamDb.embedded(
                        EmbeddedOptions.DEFAULT
                                .withMemoryBytes(64 << 20)
                                .withHost(clock)
                                .withMaxTransactionTime(Duration.ofSeconds(60))
                                .withJournal(
                                        journal.withBytes(DurableDatabases.SEGMENT_BYTES, 1)))) {
            Table table = db.table("things");
            while (disk.list().contains("journal-00000001")) {
                change(db, table, random.nextInt(12_000), random.nextInt());
                long _ = clock.ended.incrementAndGet();
            }
            assertThat(partsOfTables(disk)).isGreaterThan(4); // the next one may have none
            clock.stepNanos = 0;
            for (int i = 0; i < 500; i++) {
                change(db, table, random.nextInt(12_000), random.nextInt());
            }
            before = contents(db);
            left = disk.killed();
        }
        try (NamDb db = DurableDatabases.open(journal.on(() -> left, "what is left"))) {
            assertThat(contents(db)).isEqualTo(before);
        }
    }

    private static void change(NamDb db, Table table, long id, int amount) {
        db.transact(tx -> {
            Row row = tx.read(table, id(table, id));
            if (row == null) {
                row = tx.insert(table, id(table, id));
            } else if (amount % 3 == 0) {
                tx.delete(row);
                return null;
            }
            return row.setInt64(table.column("amount"), amount)
                    .setString(table.column("text"), "thing " + id);
        });
    }

    /// How many blocks of checkpoints are of the format that parts have.
    static int partsOfTables(SimDisk disk) {
        int parts = 0;
        ByteBuffer head = ByteBuffer.allocate(4);
        for (String name : disk.list()) {
            if (name.startsWith(PREFIX)) {
                try (DiskFile file = disk.open(name)) {
                    for (long at = 0; at < file.size(); at += 4096) {
                        int _ = file.read(at, head.clear());
                        parts += head.getInt(0) == ('N' << 24 | 'A' << 16 | 'M' << 8 | 2) ? 1 : 0;
                    }
                }
            }
        }
        return parts;
    }

    /// Time passes whenever a thread that fills an index looks at the clock.
    private static final class SlowFillClock extends ForwardingHost {
        private final AtomicLong ahead = new AtomicLong();

        @Override
        public long nanoTime() {
            boolean isFilling =
                    StackWalker.getInstance()
                            .walk(frames ->
                                    frames.anyMatch(frame ->
                                            frame.getClassName()
                                                    .equals(IndexBuild.class.getName())));
            if (isFilling) {
                ahead.addAndGet(500_000_000);
                Host.MACHINE.sleep(2_000_000); // the low watermark is advanced meanwhile
            }
            return Host.MACHINE.nanoTime() + ahead.get();
        }
    }

    @Test
    void indexesAreFilledAgainOfATableThatCantBeReadInOneTransaction() {
        int rows = 20_000;
        JournalOptions journal =
                DurableDatabases.journal(disk).withBytes(LARGE_SEGMENT_BYTES, Long.MAX_VALUE);
        try (NamDb db = DurableDatabases.open(journal)) {
            Table table = db.createTable(things("things").build());
            for (int from = 0; from < rows; from += 500) {
                fill(db, table, from, from + 500, from);
            }
            db.createIndex(IndexDefinition.ordered("ordered", "things", "amount"));
            db.createIndex(IndexDefinition.hash("hashed", "things", "amount"));
        }
        SlowFillClock clock = new SlowFillClock();
        try (NamDb db =
                NamDb.embedded(
                        EmbeddedOptions.DEFAULT
                                .withMemoryBytes(64 << 20)
                                .withHost(clock)
                                .withMaxTransactionTime(Duration.ofSeconds(60))
                                .withJournal(journal))) {
            assertThat(clock.ahead.get()).isGreaterThan(Duration.ofSeconds(60).toNanos());
            Table table = db.table("things");
            db.transact(tx -> {
                Index ordered = Objects.requireNonNull(db.findIndex("ordered"));
                Index hashed = Objects.requireNonNull(db.findIndex("hashed"));
                for (long amount = 0; amount < rows; amount += 500) {
                    Key key = ordered.newKey().set(amount);
                    Projection wanted = table.project("amount");
                    RowCursor range = tx.streamAscending(ordered, table, key, key, wanted);
                    HashCursor hits =
                            tx.matching(hashed, table, hashed.newKey().set(amount), wanted);
                    for (int row = 0; row < 500; row++) {
                        assertThat(range.next()).isNotNull();
                        assertThat(hits.next()).isNotNull();
                    }
                    assertThat(range.next()).isNull();
                    assertThat(hits.next()).isNull();
                }
                return null;
            });
        }
    }

    /// While a table is read, schema changes come repeatedly.
    @Test
    void schemaChangesDontKeepACheckpointFromItsEnd() {
        JournalOptions journal =
                DurableDatabases.journal(disk).withBytes(DurableDatabases.SEGMENT_BYTES, 100_000);
        SlowHost host = new SlowHost();
        SimDisk left;
        String before;
        try (NamDb db =
                NamDb.embedded(
                        EmbeddedOptions.DEFAULT
                                .withMemoryBytes(64 << 20)
                                .withHost(host)
                                .withJournal(journal))) {
            host.isWaitedFor = () -> db.server().schemaLatch().isClosing();
            Table table = db.createTable(things("things").build());
            db.transact(tx -> {
                for (int id = 0; id < 3_000; id++) {
                    tx.insert(table, id(table, id))
                            .setInt64(table.column("amount"), id)
                            .setString(table.column("text"), "thing " + id);
                }
                return null;
            });
            for (int change = 0; disk.list().contains("journal-00000001"); change++) {
                put(db, db.createTable(things("more" + change % 7).build()), change, 1);
                if (change >= 5) {
                    db.dropTable("more" + (change - 5) % 7);
                }
            }
            before = contents(db);
            left = disk.killed();
        }
        try (NamDb db = DurableDatabases.open(journal.on(() -> left, "what is left"))) {
            assertThat(contents(db)).isEqualTo(before);
        }
    }

    /// A table that has grown grows again while it is replayed: a thread splits buckets whose rows
    /// the other one is about to change.
    @Test
    void rowsAreReplayedWhileTheirBucketsAreSplit() {
        JournalOptions journal =
                DurableDatabases.journal(disk).withBytes(LARGE_SEGMENT_BYTES, Long.MAX_VALUE);
        String before;
        try (NamDb db = DurableDatabases.open(journal)) {
            Table table = db.createTable(things("things").build());
            for (int from = 0; from < 12_000; from += 600) {
                fill(db, table, from, from + 600, 1);
                fill(db, table, 0, from + 600, 2);
            }
            before = contents(db);
        }
        for (int round = 0; round < rounds(2); round++) {
            try (NamDb db = DurableDatabases.open(journal)) {
                assertThat(contents(db)).isEqualTo(before);
            }
        }
    }

    private static void fill(NamDb db, Table table, int from, int to, long amount) {
        db.transact(tx -> {
            for (int id = from; id < to; id++) {
                Row row = tx.read(table, id(table, id));
                row = row == null ? tx.insert(table, id(table, id)) : row;
                row.setInt64(table.column("amount"), amount).setString(table.column("text"), "x");
            }
            return null;
        });
    }

    /// Checkpoint follows checkpoint while tables are created, changed and dropped, and the machine
    /// crashes at times.
    @Test
    void tablesChangeAtRandomWhileTheyAreWritten() {
        JournalOptions journal =
                DurableDatabases.journal(disk).withBytes(DurableDatabases.SEGMENT_BYTES, 1);
        int checkpoints = 0;
        try (NamDb db = DurableDatabases.open(journal)) {
            for (int round = 0; round < rounds(150) || checkpoints <= 3; round++) {
                changeAtRandom(db, round);
                if (round % 10 == 9) {
                    SimDisk left = disk.crashed(random);
                    String before = contents(db);
                    checkpoints = Math.max(checkpoints, newest(left));
                    try (NamDb again = DurableDatabases.open(journal.on(() -> left, "a copy"))) {
                        assertThat(contents(again)).as("round %d", round).isEqualTo(before);
                    }
                }
            }
        }
        assertThat(checkpoints).isGreaterThan(3);
    }

    private void changeAtRandom(NamDb db, int round) {
        String name = "table" + random.nextInt(4);
        String other = "table" + random.nextInt(4);
        Table table = db.findTable(name);
        if (table == null) {
            fill(db, db.createTable(things(name).build()), round);
            return;
        }
        switch (random.nextInt(8)) {
            case 0 -> db.dropTable(name);
            case 1 -> fill(db, db.truncate(name), round);
            case 2 -> {
                if (db.findTable(other) == null) {
                    fill(db, db.renameTable(name, other), round);
                }
            }
            case 3 -> {
                if (!name.equals(other) && db.findTable(other) != null) {
                    boolean _ = cas(db, name, other);
                }
            }
            case 4 -> {
                if (table.allIndexes().isEmpty()) {
                    db.createIndex(IndexDefinition.ordered("amount" + round, name, "amount"));
                } else {
                    db.dropIndex(table.allIndexes().iterator().next().name());
                }
            }
            default -> fill(db, table, round);
        }
    }

    /// In one schema change of several steps.
    private static boolean cas(NamDb db, String name, String other) {
        return db.changeSchema(
                Duration.ofSeconds(20),
                () -> {
                    Table _ = db.renameTable(name, "between");
                    Table two = db.renameTable(other, name);
                    put(db, two, 1, 77);
                    Table one = db.renameTable("between", other);
                    put(db, one, 1, 78);
                    return true;
                });
    }

    /// Many rows in one transaction, so that a checkpoint takes its time.
    private static void fill(NamDb db, Table table, int round) {
        fill(db, table, 0, 600, round);
    }
}
