package org.namdb.sql.engine.plan;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/// How far a session's running statement is. The session's thread counts, and any thread may read;
/// what it sees may be a moment old.
public final class StatementProgress {
    /// What a statement does with rows.
    public enum Phase {
        /// It reads rows of tables, and has changed none.
        READING,
        /// It has changed rows.
        WRITING,
        /// Its transaction commits them.
        COMMITTING,
        /// The commit has failed, or was cancelled, and is rolled back.
        ROLLING_BACK
    }

    /// How far a statement is.
    ///
    /// @param rows how many were read, or changed
    /// @param percent how many percent of what it reads are read; -1 if that is not known
    public record State(Phase phase, long rows, int percent) {
        /// The same rows in another phase.
        public State in(Phase other) {
            return new State(other, rows, UNKNOWN);
        }
    }

    private static final int UNKNOWN = -1;
    private static final int ALL_PERCENT = 100;

    private static final VarHandle READ;
    private static final VarHandle WRITTEN;
    private static final VarHandle EXPECTED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            READ = lookup.findVarHandle(StatementProgress.class, "read", long.class);
            EXPECTED = lookup.findVarHandle(StatementProgress.class, "expected", long.class);
            WRITTEN = lookup.findVarHandle(StatementProgress.class, "written", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long read;
    private long written;

    /// How many rows it reads, roughly; 0 if that is not known.
    private long expected;

    private volatile boolean isCommitting;

    /// A statement begins.
    public void begin() {
        READ.setOpaque(this, 0L);
        WRITTEN.setOpaque(this, 0L);
        EXPECTED.setOpaque(this, 0L);
        isCommitting = false;
    }

    /// Rows are going to be read, about so many. The first call of a statement counts.
    public void expect(long rows) {
        if (expected == 0) {
            EXPECTED.setOpaque(this, rows);
        }
    }

    /// A row was read.
    public void read() {
        read(1);
    }

    /// Rows were read.
    public void read(long rows) {
        READ.setOpaque(this, read + rows);
    }

    /// Rows were changed.
    public void wrote(long rows) {
        WRITTEN.setOpaque(this, written + rows);
    }

    /// The commit begins.
    public void commit() {
        isCommitting = true;
    }

    /// How far it is. For any thread.
    public State state() {
        long changed = (long) WRITTEN.getOpaque(this);
        long rows = (long) READ.getOpaque(this);
        if (changed > 0 && isCommitting) {
            return new State(Phase.COMMITTING, changed, UNKNOWN);
        }
        long all = (long) EXPECTED.getOpaque(this);
        int percent = rows < all ? (int) (rows * ALL_PERCENT / all) : UNKNOWN;
        return changed > 0
                ? new State(Phase.WRITING, changed, percent)
                : new State(Phase.READING, rows, percent);
    }
}
