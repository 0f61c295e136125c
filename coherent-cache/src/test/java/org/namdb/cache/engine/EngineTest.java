package org.namdb.cache.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.cache.selcc.LineCacheOptions;
import org.namdb.cache.selcc.LineSession;
import org.namdb.cache.selcc.LocalCaches;
import org.namdb.cache.tree.LineTree;
import org.namdb.fabric.Host;
import org.namdb.fabric.Threads;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.mvcc.schema.TableDefinition;

/// Transactions on lines, with each kind of concurrency control.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineTest {
    private static final LineCacheOptions OPTIONS =
            LineCacheOptions.DEFAULT.withLineBytes(512).withFrames(400);
    private static final RecordSchema SCHEMA =
            new RecordSchema(
                    TableDefinition.named("account")
                            .column("id", ColumnType.INT64)
                            .column("balance", ColumnType.INT64)
                            .nullable("note", ColumnType.varchar(30))
                            .primaryKey("id")
                            .build());
    private static final Column BALANCE = SCHEMA.column("balance");
    private static final Column NOTE = SCHEMA.column("note");
    private static final int ACCOUNTS = 24;
    private static final long MONEY = 100;

    /// Accounts, and an index that has none of its own.
    private record Bank(HeapTable accounts, HeapTable second, long ownLine) {
        static Bank create(LocalCaches caches) {
            try (LineSession lines = caches.cache(0).open()) {
                return new Bank(
                        new HeapTable(0, LineTree.create(lines), SCHEMA.payloadBytes()),
                        new HeapTable(1, LineTree.create(lines), 0),
                        TupleSession.createLine(lines));
            }
        }

        TupleSession open(LocalCaches caches, int server, ConcurrencyControl control) {
            return new TupleSession(
                    caches.cache(server).open(), control, ownLine, List.of(accounts, second));
        }

        void fill(LocalCaches caches, ConcurrencyControl control) {
            try (TupleSession session = open(caches, 0, control)) {
                session.begin();
                for (long id = 0; id < ACCOUNTS; id++) {
                    Tuple _ = session.insert(accounts, id).setInt64(BALANCE, MONEY);
                }
                session.commit();
            }
        }
    }

    private static <R> R retrying(TupleSession session, Supplier<R> body) {
        for (int tried = 0; ; tried++) {
            try {
                session.begin();
                R result = body.get();
                session.commit();
                return result;
            } catch (ConflictException e) {
                Host.MACHINE.sleep(1_000L << Math.min(tried, 9));
            }
        }
    }

    private static long sum(TupleSession session, HeapTable accounts) {
        long sum = 0;
        for (long id = 0; id < ACCOUNTS; id++) {
            sum += session.read(accounts, id).int64(BALANCE);
        }
        return sum;
    }

    @ParameterizedTest
    @EnumSource
    void noMoneyIsLostOrSeenTwice(ConcurrencyControl control) throws Exception {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 2)) {
            Bank bank = Bank.create(caches);
            bank.fill(caches, control);
            Threads.run(
                    4,
                    thread -> {
                        SplittableRandom random = new SplittableRandom(thread);
                        try (TupleSession session = bank.open(caches, thread % 2, control)) {
                            for (int i = 0; i < 300; i++) {
                                if (i % 10 == 0) {
                                    assertThat(retrying(session, () -> sum(session, bank.accounts)))
                                            .isEqualTo(ACCOUNTS * MONEY);
                                } else {
                                    transfer(session, bank.accounts, random);
                                }
                            }
                            assertThat(session.commits()).isEqualTo(300);
                        }
                    });
            try (TupleSession session = bank.open(caches, 1, control)) {
                session.begin();
                assertThat(sum(session, bank.accounts)).isEqualTo(ACCOUNTS * MONEY);
                session.commit();
            }
        }
    }

    private static void transfer(
            TupleSession session, HeapTable accounts, SplittableRandom random) {
        long from = random.nextLong(ACCOUNTS);
        long to = (from + 1 + random.nextLong(ACCOUNTS - 1)) % ACCOUNTS;
        long amount = random.nextLong(1, 10);
        boolean _ =
                retrying(
                        session,
                        () -> {
                            Tuple one = session.read(accounts, from);
                            Tuple other = session.readForUpdate(accounts, to);
                            Tuple same = session.readForUpdate(accounts, from);
                            assertThat(same).isSameAs(one);
                            one.setInt64(BALANCE, one.int64(BALANCE) - amount);
                            other.setInt64(BALANCE, other.int64(BALANCE) + amount);
                            return true;
                        });
    }

    /// Each takes from one of two accounts what both have together: under snapshot isolation both
    /// could.
    @ParameterizedTest
    @EnumSource
    void writesThatDependOnOtherReadsAreInOrder(ConcurrencyControl control) throws Exception {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 2)) {
            Bank bank = Bank.create(caches);
            bank.fill(caches, control);
            Threads.run(
                    4,
                    thread -> {
                        try (TupleSession session = bank.open(caches, thread % 2, control)) {
                            for (long pair = 0; pair < ACCOUNTS; pair += 2) {
                                withdraw(session, bank.accounts, pair, pair + thread / 2);
                            }
                        }
                    });
            try (TupleSession session = bank.open(caches, 0, control)) {
                session.begin();
                for (long pair = 0; pair < ACCOUNTS; pair += 2) {
                    long left =
                            session.read(bank.accounts, pair).int64(BALANCE)
                                    + session.read(bank.accounts, pair + 1).int64(BALANCE);
                    assertThat(left).as("pair %d", pair).isEqualTo(0);
                }
                session.commit();
            }
        }
    }

    private static void withdraw(TupleSession session, HeapTable accounts, long pair, long taken) {
        boolean _ =
                retrying(
                        session,
                        () -> {
                            long both =
                                    session.read(accounts, pair).int64(BALANCE)
                                            + session.read(accounts, pair + 1).int64(BALANCE);
                            if (both == 2 * MONEY) {
                                Tuple from = session.readForUpdate(accounts, taken);
                                from.setInt64(BALANCE, from.int64(BALANCE) - both);
                            }
                            return true;
                        });
    }

    @ParameterizedTest
    @EnumSource
    void oneThreadFindsWhatItHasCommitted(ConcurrencyControl control) {
        long seed = new SplittableRandom().nextLong();
        SplittableRandom random = new SplittableRandom(seed);
        TreeMap<Long, Long> model = new TreeMap<>();
        try (LocalCaches caches = new LocalCaches(OPTIONS, 2)) {
            Bank bank = Bank.create(caches);
            try (TupleSession one = bank.open(caches, 0, control);
                    TupleSession other = bank.open(caches, 1, control)) {
                for (int i = 0; i < 400; i++) {
                    TupleSession session = random.nextInt(10) == 0 ? other : one;
                    TreeMap<Long, Long> changed = new TreeMap<>(model);
                    Set<Long> removed = new HashSet<>();
                    session.begin();
                    for (int step = 0; step < 5; step++) {
                        step(session, bank.accounts, changed, removed, random);
                    }
                    if (random.nextInt(4) == 0) {
                        session.abort();
                    } else {
                        session.commit();
                        model = changed;
                    }
                    assertThat(content(random.nextBoolean() ? one : other, bank.accounts))
                            .as("seed %d", seed)
                            .isEqualTo(model);
                }
            }
        }
    }

    private static void step(
            TupleSession session,
            HeapTable accounts,
            Map<Long, Long> model,
            Set<Long> removed,
            SplittableRandom random) {
        long id = random.nextInt(40);
        long value = random.nextLong();
        Tuple tuple = session.readForUpdate(accounts, id);
        assertThat(tuple != null).isEqualTo(model.containsKey(id));
        if (tuple == null) {
            if (!removed.contains(id)) {
                Tuple _ = session.insert(accounts, id).setInt64(BALANCE, value).setNull(NOTE);
                model.put(id, value);
            }
        } else if (random.nextInt(3) == 0) {
            session.delete(tuple);
            model.remove(id);
            removed.add(id);
        } else {
            assertThat(tuple.int64(BALANCE)).isEqualTo(model.get(id));
            byte[] note = ("note of " + value).getBytes(java.nio.charset.StandardCharsets.UTF_8);
            tuple.setInt64(BALANCE, value).setBytes(NOTE, note, 0, note.length);
            model.put(id, value);
        }
    }

    private static Map<Long, Long> content(TupleSession session, HeapTable accounts) {
        TreeMap<Long, Long> found = new TreeMap<>();
        long[] keys = new long[100];
        long[] places = new long[100];
        session.begin();
        int count = session.range(accounts, Long.MIN_VALUE, Long.MAX_VALUE, keys, places);
        for (int i = 0; i < count; i++) {
            Tuple tuple = session.at(accounts, keys[i], places[i], false);
            if (tuple != null) {
                found.put(keys[i], tuple.int64(BALANCE));
            }
        }
        session.commit();
        return found;
    }

    @ParameterizedTest
    @EnumSource
    void aSecondIndexLeadsToTheTuple(ConcurrencyControl control) {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 1)) {
            Bank bank = Bank.create(caches);
            try (TupleSession session = bank.open(caches, 0, control)) {
                session.begin();
                Tuple inserted = session.insert(bank.accounts, 7).setInt64(BALANCE, 5);
                session.insertEntry(bank.second, 70, inserted);
                session.commit();
                long[] keys = new long[2];
                long[] places = new long[2];
                session.begin();
                assertThat(session.range(bank.second, 0, 100, keys, places)).isEqualTo(1);
                assertThat(keys[0]).isEqualTo(70);
                assertThat(session.at(bank.accounts, 7, places[0], false).int64(BALANCE))
                        .isEqualTo(5);
                session.commit();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aKeyThatIsThereIsNotInsertedAgain(ConcurrencyControl control) {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 1)) {
            Bank bank = Bank.create(caches);
            bank.fill(caches, control);
            try (TupleSession session = bank.open(caches, 0, control)) {
                session.begin();
                Tuple _ = session.insert(bank.accounts, 1_000);
                Tuple _ = session.insert(bank.accounts, 3).setInt64(BALANCE, -1);
                assertThatIllegalStateException()
                        .isThrownBy(session::commit)
                        .withMessageContaining("key 3");
                session.begin();
                assertThat(session.read(bank.accounts, 1_000)).isNull();
                assertThat(session.read(bank.accounts, 3).int64(BALANCE)).isEqualTo(MONEY);
                session.commit();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aKeyOfASecondIndexIsNotInsertedAgain(ConcurrencyControl control) {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 1)) {
            Bank bank = Bank.create(caches);
            try (TupleSession session = bank.open(caches, 0, control)) {
                session.begin();
                session.insertEntry(bank.second, 70, session.insert(bank.accounts, 7));
                session.commit();
                session.begin();
                session.insertEntry(bank.second, 70, session.insert(bank.accounts, 8));
                assertThatIllegalStateException()
                        .isThrownBy(session::commit)
                        .withMessageContaining("table 1 has an entry of the key 70");
                assertThat(content(session, bank.accounts)).containsOnlyKeys(7L);
                session.begin();
                session.delete(session.readForUpdate(bank.accounts, 7));
                session.commit();
                session.begin(); // its entry leads to no tuple any more
                session.insertEntry(bank.second, 70, session.insert(bank.accounts, 8));
                session.commit();
                long[] keys = new long[2];
                long[] places = new long[2];
                session.begin();
                assertThat(session.range(bank.second, 0, 100, keys, places)).isEqualTo(1);
                assertThat(session.at(bank.accounts, 8, places[0], false)).isNotNull();
                session.commit();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aTransactionInsertsAKeyOnce(ConcurrencyControl control) {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 1)) {
            Bank bank = Bank.create(caches);
            try (TupleSession session = bank.open(caches, 0, control)) {
                session.begin();
                Tuple _ = session.insert(bank.accounts, 7);
                Tuple _ = session.insert(bank.accounts, 7);
                assertThatIllegalStateException()
                        .isThrownBy(session::commit)
                        .withMessageContaining("key 7");
                assertThat(content(session, bank.accounts)).isEmpty();
            }
        }
    }

    /// What one has read and not committed yet.
    @Test
    void eachKindAbortsAtItsOwnMoment() {
        for (ConcurrencyControl control : ConcurrencyControl.values()) {
            try (LocalCaches caches = new LocalCaches(OPTIONS, 2)) {
                Bank bank = Bank.create(caches);
                bank.fill(caches, control);
                try (TupleSession one = bank.open(caches, 0, control);
                        TupleSession other = bank.open(caches, 1, control)) {
                    one.begin();
                    Tuple read = one.readForUpdate(bank.accounts, 1);
                    other.begin();
                    List<String> aborted = new ArrayList<>();
                    try {
                        Tuple same = other.readForUpdate(bank.accounts, 1);
                        same.setInt64(BALANCE, 2);
                        other.commit();
                    } catch (ConflictException e) {
                        aborted.add("other");
                    }
                    read.setInt64(BALANCE, 1);
                    try {
                        one.commit();
                    } catch (ConflictException e) {
                        aborted.add("one");
                    }
                    assertThat(aborted)
                            .as(control.toString())
                            .containsExactly(
                                    control == ConcurrencyControl.TWO_PHASE_LOCKING
                                            ? "other"
                                            : "one");
                    assertThat(one.conflicts() + other.conflicts()).isEqualTo(1);
                }
            }
        }
    }

    /// A copy of the aborted transaction that was one of an insert before.
    @Test
    void anAbortGivesUpNoPlaceOfAnEarlierTransaction() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 1)) {
            ConcurrencyControl control = ConcurrencyControl.TWO_PHASE_LOCKING;
            Bank bank = Bank.create(caches);
            bank.fill(caches, control);
            try (TupleSession one = bank.open(caches, 0, control);
                    TupleSession other = bank.open(caches, 0, control)) {
                one.begin();
                Tuple _ = one.insert(bank.accounts, 100).setInt64(BALANCE, 1);
                one.commit();
                other.begin();
                Tuple _ = other.readForUpdate(bank.accounts, 0);
                one.begin();
                assertThatExceptionOfType(ConflictException.class)
                        .isThrownBy(() -> one.read(bank.accounts, 0));
                one.begin();
                Tuple _ = one.insert(bank.accounts, 101).setInt64(BALANCE, 2);
                one.commit();
                other.abort();
                other.begin();
                assertThat(other.read(bank.accounts, 100).int64(BALANCE)).isEqualTo(1);
                assertThat(other.read(bank.accounts, 101).int64(BALANCE)).isEqualTo(2);
                other.commit();
            }
        }
    }

    @Test
    void aTooLateReaderIsAbortedByTimestamps() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 1)) {
            ConcurrencyControl control = ConcurrencyControl.TIMESTAMP_ORDERING;
            Bank bank = Bank.create(caches);
            bank.fill(caches, control);
            try (TupleSession one = bank.open(caches, 0, control);
                    TupleSession other = bank.open(caches, 0, control)) {
                one.begin();
                other.begin();
                other.readForUpdate(bank.accounts, 1).setInt64(BALANCE, 2);
                other.commit();
                assertThatExceptionOfType(ConflictException.class)
                        .isThrownBy(() -> one.read(bank.accounts, 1));
            }
        }
    }

    /// Versions that were counted are below the timestamps of sessions that are opened later.
    @Test
    void kindsOfControlFollowEachOther() {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 1)) {
            Bank bank = Bank.create(caches);
            long balance = 0;
            for (int round = 0; round < 2; round++) {
                for (ConcurrencyControl control : ConcurrencyControl.values()) {
                    try (TupleSession session = bank.open(caches, 0, control)) {
                        for (int i = 0; i < 20; i++) {
                            session.begin();
                            Tuple account = session.readForUpdate(bank.accounts, 1);
                            if (account == null) {
                                account = session.insert(bank.accounts, 1);
                            }
                            assertThat(account.int64(BALANCE)).isEqualTo(balance++);
                            account.setInt64(BALANCE, balance);
                            session.commit();
                        }
                        assertThat(session.conflicts()).isZero();
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCommitWithoutMemoryForAnEntryLeavesNone(ConcurrencyControl control) {
        try (LocalCaches caches = new LocalCaches(OPTIONS, 1)) {
            Bank bank = Bank.create(caches);
            try (TupleSession session = bank.open(caches, 0, control)) {
                session.begin();
                Tuple _ = session.insert(bank.accounts, 1); // a line with more places
                session.commit();
                LineTree second = new LineTree(session.lines(), bank.second.root());
                fill(() -> session.lines().allocate());
                AtomicLong keys = new AtomicLong();
                fill(() -> second.insert(keys.incrementAndGet(), 8));
                session.begin();
                Tuple tuple = session.insert(bank.accounts, 100);
                session.insertEntry(bank.second, keys.incrementAndGet(), tuple);
                assertThatExceptionOfType(MemoryFullException.class).isThrownBy(session::commit);
                session.begin();
                assertThat(session.read(bank.accounts, 100)).isNull();
                session.insert(bank.accounts, 100).setInt64(BALANCE, 7);
                session.commit();
                session.begin();
                assertThat(session.read(bank.accounts, 100).int64(BALANCE)).isEqualTo(7);
                session.commit();
            }
        }
    }

    private static void fill(Supplier<?> taker) {
        assertThatExceptionOfType(MemoryFullException.class)
                .isThrownBy(() -> {
                    while (true) {
                        Object _ = taker.get();
                    }
                });
    }
}
