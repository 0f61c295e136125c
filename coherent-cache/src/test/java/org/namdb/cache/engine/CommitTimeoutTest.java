package org.namdb.cache.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.cache.line.LineArea;
import org.namdb.cache.selcc.LineCache;
import org.namdb.cache.selcc.LineCacheOptions;
import org.namdb.cache.selcc.LineGuard;
import org.namdb.cache.selcc.LineSession;
import org.namdb.cache.selcc.LineTimeoutException;
import org.namdb.cache.selcc.LocalCaches;
import org.namdb.cache.tree.LineTree;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.ForwardingFabric;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.mvcc.schema.TableDefinition;

/// A compute server that stops answering at each step of another one's commit.
/// ```
/// writer                                         holder
/// begins; reads and changes tuples
///                                                takes all lines away that are not latched
/// commits: needs them, one after the other
///                                                releases k lines, and is silent then
/// times out
/// ```
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CommitTimeoutTest {
    private static final int LINE_BYTES = 512;
    private static final LineCacheOptions OPTIONS =
            LineCacheOptions.DEFAULT.withLineBytes(LINE_BYTES).withFrames(400);
    private static final LineCacheOptions IMPATIENT = OPTIONS.withWaitLimit(Duration.ofMillis(20));
    private static final RecordSchema SCHEMA =
            new RecordSchema(
                    TableDefinition.named("account")
                            .column("id", ColumnType.INT64)
                            .column("balance", ColumnType.INT64)
                            .primaryKey("id")
                            .build());
    private static final Column BALANCE = SCHEMA.column("balance");

    /// As many as fill leaves of the tree: what is deleted is in another one than what is inserted.
    private static final int ACCOUNTS = 58;

    private static final int LINES = 60;

    private final AtomicInteger released = new AtomicInteger();
    private volatile CountDownLatch silence = new CountDownLatch(0);

    @ParameterizedTest
    @EnumSource
    void aCommitThatTimesOutChangesNothing(ConcurrencyControl control) {
        int failed = 0;
        boolean isCommitted = false;
        for (int step = 0; !isCommitted; step++) {
            try (LocalCaches caches = new LocalCaches(OPTIONS, 0);
                    LineCache writers = caches.join(IMPATIENT, 0);
                    LineCache holders =
                            caches.join(OPTIONS, caches.joinPeers(1), this::fallingSilent);
                    LineCache judges = caches.join(OPTIONS, 2)) {
                isCommitted = commit(control, step, writers, holders, judges);
                failed += isCommitted ? 0 : 1;
            }
        }
        assertThat(failed).as("steps at which a commit has timed out").isGreaterThan(3);
    }

    /// @return whether the transaction has committed though its peer was silent from `step` on
    private boolean commit(
            ConcurrencyControl control,
            int step,
            LineCache writers,
            LineCache holders,
            LineCache judges) {
        HeapTable accounts;
        HeapTable second;
        long ownLine;
        try (LineSession lines = judges.open()) {
            accounts = new HeapTable(0, LineTree.create(lines), SCHEMA.payloadBytes());
            second = new HeapTable(1, LineTree.create(lines), 0);
            ownLine = TupleSession.createLine(lines);
        }
        List<HeapTable> tables = List.of(accounts, second);
        boolean isCommitted = true;
        try (TupleSession judge = new TupleSession(judges.open(), control, ownLine, tables);
                TupleSession writer = new TupleSession(writers.open(), control, ownLine, tables);
                LineSession holder = holders.open()) {
            judge.begin();
            for (long id = 0; id < ACCOUNTS; id++) {
                Tuple _ = judge.insert(accounts, id).setInt64(BALANCE, id);
            }
            judge.commit();
            repeat(writer, () -> change(writer, accounts, second));
            takeAway(holder, judges);
            released.set(step);
            silence = new CountDownLatch(1);
            try {
                writer.commit();
            } catch (ConflictException | LineTimeoutException e) {
                isCommitted = false;
                writer.abort();
            }
            released.set(Integer.MAX_VALUE);
            silence.countDown();
            String what = "%s, silent after %d lines".formatted(control, step);
            assertThat(content(judge, accounts, second)).as(what).isEqualTo(expected(isCommitted));
            if (!isCommitted) {
                repeat(
                        writer,
                        () -> {
                            change(writer, accounts, second);
                            writer.commit();
                        });
                assertThat(content(judge, accounts, second)).as(what).isEqualTo(expected(true));
            }
        }
        return isCommitted;
    }

    private static void change(TupleSession writer, HeapTable accounts, HeapTable second) {
        writer.begin();
        writer.readForUpdate(accounts, 1).setInt64(BALANCE, -1);
        writer.delete(writer.readForUpdate(accounts, 2));
        writer.readForUpdate(accounts, 20).setInt64(BALANCE, -20);
        for (long id = 100; id < 103; id++) {
            Tuple inserted = writer.insert(accounts, id).setInt64(BALANCE, id);
            writer.insertEntry(second, -id, inserted);
        }
    }

    /// Runs it until it succeeds: answers may be late now and then.
    private static void repeat(TupleSession writer, Runnable body) {
        for (boolean isDone = false; !isDone; ) {
            try {
                body.run();
                isDone = true;
            } catch (ConflictException | LineTimeoutException e) {
                writer.abort();
            }
        }
    }

    private static void takeAway(LineSession holder, LineCache judges) {
        LineArea layout = new LineArea(LINE_BYTES);
        for (int number = 0; number < LINES; number++) {
            LineGuard guard = holder.tryExclusive(layout.line(judges.firstArea(), number));
            if (guard != null) {
                guard.close();
            }
        }
    }

    private static List<String> expected(boolean isCommitted) {
        List<String> expected = new ArrayList<>();
        for (long id = 0; id < ACCOUNTS; id++) {
            boolean isChanged = isCommitted && (id == 1 || id == 20);
            if (!isCommitted || id != 2) {
                expected.add(id + " has " + (isChanged ? -id : id));
            }
        }
        for (long id = 100; isCommitted && id < 103; id++) {
            expected.add(id + " has " + id);
        }
        for (long id = 102; isCommitted && id >= 100; id--) {
            expected.add(-id + " leads to " + id);
        }
        return expected;
    }

    private static List<String> content(TupleSession judge, HeapTable accounts, HeapTable second) {
        List<String> found = new ArrayList<>();
        long[] keys = new long[100];
        long[] places = new long[100];
        judge.begin();
        for (HeapTable table : List.of(accounts, second)) {
            int count = judge.range(table, Long.MIN_VALUE, Long.MAX_VALUE, keys, places);
            for (int i = 0; i < count; i++) {
                Tuple tuple = judge.at(accounts, Math.abs(keys[i]), places[i], false);
                if (tuple != null && table.equals(accounts)) {
                    found.add(keys[i] + " has " + tuple.int64(BALANCE));
                } else if (tuple != null) {
                    found.add(keys[i] + " leads to " + tuple.key());
                }
            }
        }
        judge.commit();
        return found;
    }

    /// The thread that handles requests releases some lines, and then none for a while.
    private Fabric fallingSilent(Fabric fabric) {
        return new ForwardingFabric(fabric) {
            @Override
            public QueuePair connect(List<Region> regions) {
                return new ForwardingQueuePair(actual.connect(regions)) {
                    @Override
                    protected long postFetchAndAdd(long address, long delta) {
                        if (Thread.currentThread().getName().startsWith("peers of")
                                && released.getAndDecrement() <= 0) {
                            awaitEnd();
                        }
                        return super.postFetchAndAdd(address, delta);
                    }
                };
            }
        };
    }

    private void awaitEnd() {
        try {
            silence.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
