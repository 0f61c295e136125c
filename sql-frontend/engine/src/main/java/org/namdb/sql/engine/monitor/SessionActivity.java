package org.namdb.sql.engine.monitor;

import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Host;
import org.namdb.fabric.VerbTally;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a session does, as `pg_stat_activity` shows it. The session's thread changes it, and any
/// thread may read it.
public final class SessionActivity {
    private static final Logger LOG = LoggerFactory.getLogger(SessionActivity.class);
    private static final double NANOS_PER_MILLI = 1e6;

    /// What it does.
    public enum State {
        /// A statement runs.
        ACTIVE("active"),
        /// It waits for a statement, and no block is open.
        IDLE("idle"),
        /// It waits for a statement of an open block.
        IN_TRANSACTION("idle in transaction"),
        /// It waits for the end of a block that has failed.
        IN_FAILED_TRANSACTION("idle in transaction (aborted)");

        private final String text;

        State(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private final StatementStatistics statistics;
    private final Host host;
    private final int number;
    private final long openedNanos;
    private volatile @Nullable String client;
    private volatile String user = "";
    private volatile String application = "";
    private volatile State state = State.IDLE;
    private volatile String statement = "";
    private volatile long statementNanos;
    private volatile long stateNanos;
    private String normalized = "";

    /// When the block began; 0 outside of one.
    private volatile long blockNanos;

    /// @param number of its connection
    public SessionActivity(StatementStatistics statistics, Host host, int number) {
        this.statistics = statistics;
        this.host = host;
        this.number = number;
        this.openedNanos = host.nanoTime();
        this.stateNanos = openedNanos;
    }

    /// Where its client is.
    public void client(String address) {
        client = address;
    }

    /// A statement begins.
    ///
    /// @param text as it was written
    /// @param withoutConstants what its statistics are kept by
    public void began(String text, String withoutConstants, String asUser, String by) {
        long now = host.nanoTime();
        statement = text;
        normalized = withoutConstants;
        user = asUser;
        application = by;
        statementNanos = now;
        stateNanos = now;
        state = State.ACTIVE;
    }

    /// The statement has ended.
    ///
    /// @param next what the session does then
    /// @param rows those that it gave or changed
    /// @param cost what it has posted
    /// @param logFromNanos statements that took so long are logged; below 0 for none
    public void ended(State next, boolean hasFailed, long rows, VerbTally cost, long logFromNanos) {
        long now = host.nanoTime();
        long nanos = now - statementNanos;
        boolean isInBlock = next != State.IDLE;
        if (isInBlock != (blockNanos != 0)) {
            blockNanos = isInBlock ? statementNanos : 0;
        }
        stateNanos = now;
        state = next;
        statistics.ended(normalized, hasFailed, nanos, rows, cost);
        if (logFromNanos >= 0 && nanos >= logFromNanos) {
            LOG.warn(
                    "duration: {} ms  user: {}  verbs: {}  round trips: {}  statement: {}",
                    "%.3f".formatted(nanos / NANOS_PER_MILLI),
                    user,
                    cost.verbs(),
                    cost.roundTrips(),
                    statement);
        }
    }

    /// The number of its connection, which PostgreSQL calls its process.
    public int number() {
        return number;
    }

    /// Where its client is; null in the process itself.
    public @Nullable String client() {
        return client;
    }

    /// The session's user when its last statement began.
    public String user() {
        return user;
    }

    /// The setting `application_name` when its last statement began.
    public String application() {
        return application;
    }

    public State state() {
        return state;
    }

    /// The statement that runs, or the last one; empty before the first.
    public String statement() {
        return statement;
    }

    /// When it was opened, on the host's clock.
    public long openedNanos() {
        return openedNanos;
    }

    /// When the statement began, on the host's clock.
    public long statementNanos() {
        return statementNanos;
    }

    /// When the state changed, on the host's clock.
    public long stateNanos() {
        return stateNanos;
    }

    /// When the open transaction began, on the host's clock; 0 if none is open.
    public long transactionNanos() {
        long block = blockNanos;
        return block == 0 && state == State.ACTIVE ? statementNanos : block;
    }
}
