package org.namdb.sql.engine.sequence;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.TransactionAborted;
import org.namdb.compute.TransactionException;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The values of sequences. Each has a row in a hidden table, made by the first value, with the
/// last value that was reserved:
///
/// | storage | last | called |
/// |---|---|---|
/// | 77 | 33 | true |
///
/// A compute server reserves a range by a short transaction of its own, which is committed before
/// the first value is used, and gives its values by fetch-and-add in its memory: so they are not
/// rolled back, and what was given is never given again after a restart. Ranges that are used up
/// quickly become larger, so that a load reserves seldom, and a crash loses no more values than
/// about a second has taken. As the row is one like
/// any other, the journal, checkpoints, recovery and backups serve it. Safe for use by many
/// threads.
///
/// Those of a transaction that has changed the sequences are [TransactionSequences].
public class SequenceValues {
    /// The hidden table; the properties of its definition are the sequences.
    public static final String TABLE = "nam:sequences";

    /// How many values are reserved at first beyond those that CACHE names, as many as PostgreSQL
    /// logs ahead.
    static final int FIRST_AHEAD = 32;

    static final int MAX_AHEAD = 8192;

    /// A range that is used up in less time is followed by a larger one.
    static final long LASTING_NANOS = 1_000_000_000;

    private static final long RETRY_NANOS = 20_000;

    private final NamDb db;
    private final Map<Long, Range> ranges = new ConcurrentHashMap<>();

    /// Held by the thread that uses the session.
    private final ReentrantLock lock = new ReentrantLock();

    private @Nullable Session session;

    public SequenceValues(NamDb db) {
        this.db = db;
    }

    /// The hidden table without sequences.
    public static TableDefinition.Builder definition() {
        return TableDefinition.named(TABLE)
                .column("storage", ColumnType.INT64)
                .column("last", ColumnType.INT64)
                .column("called", ColumnType.BOOLEAN)
                .primaryKey("storage");
    }

    /// How far a sequence is.
    ///
    /// @param last the last value that was given, or the first one to be given
    /// @param left how many values are reserved beyond it
    /// @param isCalled whether it was given
    public record State(long last, long left, boolean isCalled) {}

    /// Reserved values: `first`, `first + increment`, ...
    ///
    /// @param process the compute server that has reserved them. When it has joined again, with
    ///     another number, its reservation may be lost with what was not durable
    /// @param ahead how many were reserved beyond those that CACHE names
    /// @param nanos when, on the host's clock
    private record Range(
            int process,
            long first,
            long increment,
            long count,
            AtomicLong given,
            int ahead,
            long nanos) {
        State state() {
            long now = Math.min(count, given.get());
            return new State(first + (now - 1) * increment, count - now, true);
        }
    }

    /// The next value.
    ///
    /// @param running the session of the caller's transaction; null if it has none
    /// @throws SqlException 2200H if there is none
    public long next(Sequence sequence, @Nullable Session running) {
        Range known = range(sequence);
        if (known != null) {
            long number = known.given.getAndIncrement();
            if (number < known.count) {
                return known.first + number * known.increment;
            }
        }
        lock.lock();
        try {
            Range now = range(sequence);
            long number = now == null ? 0 : now.given.getAndIncrement();
            if (now != null && number < now.count) {
                return now.first + number * now.increment;
            }
            long nanos = db.options().host().nanoTime();
            int ahead = now == null ? FIRST_AHEAD : ahead(now.ahead, nanos - now.nanos);
            int process = db.process(); // before: a later one would keep what it has not reserved
            Range reserved =
                    transact(
                            running,
                            transaction -> reserve(sequence, transaction, process, ahead, nanos));
            ranges.put(sequence.storage(), reserved);
            return reserved.first;
        } finally {
            lock.unlock();
        }
    }

    /// What this compute server has reserved; null if it has nothing, or has joined again since.
    private @Nullable Range range(Sequence sequence) {
        Range known = ranges.get(sequence.storage());
        return known != null && known.process == db.process() ? known : null;
    }

    /// How many values are reserved ahead of the next range.
    ///
    /// @param before of the range before it
    /// @param lastedNanos for how long that has lasted
    static int ahead(int before, long lastedNanos) {
        return lastedNanos < LASTING_NANOS
                ? Math.min(2 * before, MAX_AHEAD)
                : Math.max(before / 2, FIRST_AHEAD);
    }

    /// A range whose first value is given.
    private Range reserve(
            Sequence sequence, Transaction transaction, int process, int ahead, long nanos) {
        State stored = stored(sequence, transaction);
        long first = stored.isCalled ? following(sequence, stored.last) : stored.last;
        long increment = sequence.increment();
        // Differences as unsigned numbers: they may be greater than the greatest long.
        long steps =
                increment > 0
                        ? Long.divideUnsigned(sequence.max() - first, increment)
                        : Long.divideUnsigned(first - sequence.min(), -increment);
        long most = Math.min(sequence.cache(), Long.MAX_VALUE - ahead) + ahead;
        long count = Long.compareUnsigned(steps, most) < 0 ? steps + 1 : most;
        write(sequence, transaction, first + (count - 1) * increment, true);
        return new Range(process, first, increment, count, new AtomicLong(1), ahead, nanos);
    }

    static long following(Sequence sequence, long last) {
        boolean isUp = sequence.increment() > 0;
        boolean isAtEnd =
                isUp
                        ? Long.compareUnsigned(sequence.max() - last, sequence.increment()) < 0
                                || last > sequence.max()
                        : Long.compareUnsigned(last - sequence.min(), -sequence.increment()) < 0
                                || last < sequence.min();
        if (!isAtEnd) {
            return last + sequence.increment();
        }
        if (!sequence.isCycle()) {
            throw new SqlException(
                    SqlState.SEQUENCE_LIMIT_EXCEEDED,
                    "nextval: reached %s value of sequence \"%s\" (%d)"
                            .formatted(
                                    isUp ? "maximum" : "minimum",
                                    sequence.name(),
                                    isUp ? sequence.max() : sequence.min()));
        }
        return isUp ? sequence.min() : sequence.max();
    }

    /// Sets the last value; other compute servers use up what they have reserved.
    ///
    /// @param isCalled whether it counts as given
    public void set(Sequence sequence, long last, boolean isCalled, @Nullable Session running) {
        lock.lock();
        try {
            boolean _ =
                    transact(
                            running,
                            transaction -> {
                                write(sequence, transaction, last, isCalled);
                                return true;
                            });
            ranges.remove(sequence.storage());
        } finally {
            lock.unlock();
        }
    }

    /// How far a sequence is. What compute servers of a cluster have reserved counts as given.
    public State state(Sequence sequence, @Nullable Session running) {
        Range known = range(sequence);
        if (known != null && !db.isShared()) {
            return known.state();
        }
        lock.lock();
        try {
            return transact(running, transaction -> stored(sequence, transaction));
        } finally {
            lock.unlock();
        }
    }

    private State stored(Sequence sequence, Transaction transaction) {
        Table table = db.findTable(TABLE);
        Row row =
                table == null
                        ? null
                        : transaction.read(table, table.newKey().add(sequence.storage()));
        return table == null || row == null
                ? new State(sequence.start(), 0, false)
                : new State(row.int64(table.column("last")), 0, row.bool(table.column("called")));
    }

    private void write(Sequence sequence, Transaction transaction, long last, boolean isCalled) {
        Table table = db.table(TABLE);
        Row row = transaction.read(table, table.newKey().add(sequence.storage()));
        if (row == null) {
            row = transaction.insert(table, table.newKey().add(sequence.storage()));
        }
        row.setInt64(table.column("last"), last).setBool(table.column("called"), isCalled);
    }

    /// A part of a schema change: a sequence is dropped, or begins again.
    public void drop(Sequence sequence) {
        lock.lock();
        try {
            boolean _ =
                    transact(
                            null,
                            transaction -> {
                                Table table = db.table(TABLE);
                                Row row =
                                        transaction.read(
                                                table, table.newKey().add(sequence.storage()));
                                if (row != null) {
                                    transaction.delete(row);
                                }
                                return true;
                            });
            ranges.remove(sequence.storage());
        } finally {
            lock.unlock();
        }
    }

    /// Runs a transaction of its own, again after a conflict. Under the lock.
    private <T> T transact(@Nullable Session running, Function<Transaction, T> body) {
        while (true) {
            Session own = session();
            T result = null;
            try {
                result = body.apply(own.begin(running));
            } catch (TransactionAborted e) {
                // the commit says what it was
            } finally {
                if (result == null && own.abortOutcome() == null && own.isOpen()) {
                    own.rollback();
                }
            }
            CommitOutcome outcome = own.commit();
            if (outcome instanceof CommitOutcome.Committed && result != null) {
                return result;
            }
            boolean isConflict =
                    outcome instanceof CommitOutcome.WriteConflict
                            || outcome instanceof CommitOutcome.DuplicateKey;
            if (!isConflict) {
                throw new TransactionException(outcome);
            }
            if (running != null) {
                running.checkCancelled();
            }
            db.options().host().sleep(RETRY_NANOS);
        }
    }

    private Session session() {
        Session known = session;
        if (known != null && known.isFailed()) {
            session = null;
            known.close();
            known = null;
        }
        if (known == null) {
            known = db.reservedSession();
            session = known;
        }
        return known;
    }

    /// Gives back what was reserved and not used, unless another compute server has reserved more
    /// since.
    public void close() {
        lock.lock();
        try {
            if (session != null && !ranges.isEmpty() && db.loss() == null) {
                boolean _ =
                        transact(
                                null,
                                transaction -> {
                                    ranges.forEach((storage, range) ->
                                            returnUnused(transaction, storage, range));
                                    return true;
                                });
            }
        } catch (RuntimeException e) {
            // the database can't be reached any more: there is a gap, as after a crash
        } finally {
            Session last = session;
            session = null;
            ranges.clear();
            lock.unlock();
            if (last != null) {
                last.close();
            }
        }
    }

    private void returnUnused(Transaction transaction, long storage, Range range) {
        if (range.process != db.process()) {
            return;
        }
        Table table = db.table(TABLE);
        Row row = transaction.read(table, table.newKey().add(storage));
        long end = range.first + (range.count - 1) * range.increment;
        if (row != null && row.int64(table.column("last")) == end) {
            row.setInt64(table.column("last"), range.state().last);
        }
    }
}
