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
        COMMITTING
    }

    /// How far a statement is.
    ///
    /// @param rows how many were read, or changed
    public record State(Phase phase, long rows) {}

    private static final VarHandle READ;
    private static final VarHandle WRITTEN;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            READ = lookup.findVarHandle(StatementProgress.class, "read", long.class);
            WRITTEN = lookup.findVarHandle(StatementProgress.class, "written", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long read;
    private long written;
    private volatile boolean isCommitting;

    /// A statement begins.
    public void begin() {
        READ.setOpaque(this, 0L);
        WRITTEN.setOpaque(this, 0L);
        isCommitting = false;
    }

    /// A row was read.
    public void read() {
        READ.setOpaque(this, read + 1);
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
        if (changed > 0) {
            return new State(isCommitting ? Phase.COMMITTING : Phase.WRITING, changed);
        }
        return new State(Phase.READING, (long) READ.getOpaque(this));
    }
}
