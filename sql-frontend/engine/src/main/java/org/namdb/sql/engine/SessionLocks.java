package org.namdb.sql.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.AdvisoryLocks;
import org.namdb.fabric.FabricException;
import org.namdb.memory.client.AdvisoryLockClient;
import org.namdb.memory.client.TooManyLocksException;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The advisory locks of a session: those that it has until it releases them, which are counted,
/// and those that its transaction has until it ends. For the session's thread.
final class SessionLocks {
    private static final long FIRST_PAUSE_NANOS = 200_000;
    private static final long MAX_PAUSE_NANOS = 10_000_000;

    private final SqlDatabase database;
    private final int number;
    private final Runnable makeWay;

    /// How often it has each lock.
    private final Map<Mode, Integer> held = new HashMap<>();

    /// How often outside of its transaction.
    private final Map<Mode, Integer> ofSession = new HashMap<>();

    /// Those that the transaction has taken, in order.
    private final List<Mode> ofTransaction = new ArrayList<>();

    /// Whether a lock was not released, and is when the session ends.
    private boolean isUnreleased;

    /// Null until the first lock.
    private AdvisoryLocks.@Nullable Holder holder;

    /// A lock in a mode.
    private record Mode(AdvisoryLocks.Key key, boolean isExclusive) {}

    /// @param number the session's
    /// @param makeWay ends a transaction that can begin again, where the session is idle
    SessionLocks(SqlDatabase database, int number, Runnable makeWay) {
        this.database = database;
        this.number = number;
        this.makeWay = makeWay;
    }

    /// Whether the transaction has a lock, which it keeps until it ends.
    boolean isOfTransaction() {
        return !ofTransaction.isEmpty();
    }

    /// @throws SqlException 57P01 if others may have the session's locks
    void requireKept() {
        if (isUnreleased) {
            throw new SqlException(
                    SqlState.ADMIN_SHUTDOWN,
                    "terminating connection because an advisory lock could not be released");
        }
        String loss = holder == null ? null : holder.loss();
        if (loss == null) {
            return;
        }
        holder = null;
        boolean isUsed = !held.isEmpty();
        held.clear();
        ofSession.clear();
        ofTransaction.clear();
        if (isUsed) {
            throw new SqlException(
                    SqlState.ADMIN_SHUTDOWN,
                    "terminating connection because its advisory locks are lost: this compute"
                            + " server "
                            + loss);
        }
    }

    /// Takes a lock.
    ///
    /// @param isOfTransaction whether until the transaction ends
    /// @return whether the session has it
    /// @throws SqlException 53200 if there are too many
    boolean tryLock(AdvisoryLocks.Key key, boolean isExclusive, boolean isOfTransaction) {
        Mode mode = new Mode(key, isExclusive);
        boolean isGranted =
                held.containsKey(mode)
                        || request(mode, false) == AdvisoryLockClient.Outcome.GRANTED;
        if (isGranted) {
            add(mode, isOfTransaction);
        }
        return isGranted;
    }

    /// Takes a lock, and waits for it.
    ///
    /// @param limitMillis how long; 0 for no limit
    /// @param pause lets others run for so many nanoseconds; what it throws ends the wait
    /// @throws SqlException 40P01 if the session would wait for itself, 55P03 if it takes too long,
    ///     53200 if there are too many
    void lock(
            AdvisoryLocks.Key key,
            boolean isExclusive,
            boolean isOfTransaction,
            long limitMillis,
            LongConsumer pause) {
        Mode mode = new Mode(key, isExclusive);
        if (!held.containsKey(mode)) {
            await(mode, limitMillis, pause);
        }
        add(mode, isOfTransaction);
    }

    private void await(Mode mode, long limitMillis, LongConsumer pause) {
        long end = database.host().nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMillis);
        long nanos = FIRST_PAUSE_NANOS;
        boolean isWaiting = false;
        try {
            while (true) {
                isWaiting = true;
                AdvisoryLockClient.Outcome outcome = request(mode, true);
                isWaiting = outcome == AdvisoryLockClient.Outcome.BUSY;
                if (outcome == AdvisoryLockClient.Outcome.DEADLOCK) {
                    throw new SqlException(SqlState.DEADLOCK_DETECTED, "deadlock detected")
                            .withDetail(
                                    "The session waits for an advisory lock of another one, which"
                                            + " waits for this session.")
                            .withHint("Take locks in the same order everywhere.");
                }
                if (!isWaiting) {
                    return;
                }
                if (limitMillis > 0 && database.host().nanoTime() - end >= 0) {
                    throw new SqlException(
                            SqlState.LOCK_NOT_AVAILABLE, "canceling statement due to lock timeout");
                }
                pause.accept(nanos);
                nanos = Math.min(2 * nanos, MAX_PAUSE_NANOS);
            }
        } finally {
            if (isWaiting) {
                stopWaiting();
            }
        }
    }

    private AdvisoryLockClient.Outcome request(Mode mode, boolean waits) {
        try {
            return holder().lock(mode.key, mode.isExclusive, waits);
        } catch (TooManyLocksException e) {
            throw new SqlException(SqlState.OUT_OF_MEMORY, String.valueOf(e.getMessage()))
                    .withHint("Release those that are not used any more.");
        } catch (FabricException e) {
            isUnreleased = true; // it may have been granted: the end of the session releases it
            throw e;
        }
    }

    private void stopWaiting() {
        try {
            holder().stopWaiting();
        } catch (FabricException e) {
            isUnreleased = true;
        }
    }

    private AdvisoryLocks.Holder holder() {
        AdvisoryLocks.Holder current = holder;
        if (current == null) {
            current = AdvisoryLocks.of(database.engine()).holder(number, makeWay);
            holder = current;
        }
        return current;
    }

    private void add(Mode mode, boolean isOfTransaction) {
        held.merge(mode, 1, Integer::sum);
        if (isOfTransaction) {
            ofTransaction.add(mode);
        } else {
            ofSession.merge(mode, 1, Integer::sum);
        }
    }

    /// Releases a lock that the session has outside of its transaction, once.
    ///
    /// @return whether it had it
    boolean unlock(AdvisoryLocks.Key key, boolean isExclusive) {
        Mode mode = new Mode(key, isExclusive);
        if (!ofSession.containsKey(mode)) {
            return false;
        }
        ofSession.merge(mode, -1, SessionLocks::plus);
        release(mode, 1);
        return true;
    }

    private static @Nullable Integer plus(Integer times, Integer more) {
        return times + more == 0 ? null : Integer.valueOf(times + more);
    }

    /// Releases what the session has outside of its transaction.
    void unlockAll() {
        Map<Mode, Integer> released = Map.copyOf(ofSession);
        ofSession.clear();
        released.forEach(this::release);
    }

    /// How often the session has each lock outside of its transaction.
    record Counts(Map<Mode, Integer> ofSession) {}

    Counts counts() {
        return new Counts(Map.copyOf(ofSession));
    }

    /// Releases what the session has taken since, outside of its transaction: its statement is run
    /// again.
    void releaseSince(Counts before) {
        Map.copyOf(ofSession)
                .forEach((mode, times) -> {
                    int since = times - before.ofSession.getOrDefault(mode, 0);
                    if (since > 0) {
                        ofSession.merge(mode, -since, SessionLocks::plus);
                        release(mode, since);
                    }
                });
    }

    /// A point of the transaction.
    int mark() {
        return ofTransaction.size();
    }

    /// Releases what the transaction has taken since a point.
    void rollbackTo(int mark) {
        int size = ofTransaction.size(); // less than the mark where the locks were lost
        List<Mode> since = ofTransaction.subList(Math.min(mark, size), size);
        List<Mode> released = List.copyOf(since);
        since.clear();
        released.forEach(mode -> release(mode, 1));
    }

    private void release(Mode mode, int times) {
        AdvisoryLocks.Holder current = holder();
        if (held.merge(mode, -times, SessionLocks::plus) != null || current.loss() != null) {
            return;
        }
        try {
            current.unlock(mode.key, mode.isExclusive);
        } catch (FabricException | IllegalStateException e) {
            isUnreleased = true; // the transaction has ended all the same
        }
    }

    /// The session ends.
    void close() {
        AdvisoryLocks.Holder current = holder;
        holder = null;
        if (current != null && current.loss() == null) {
            current.end();
        }
    }
}
