package org.namdb.compute.commit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.selcc.LineGuard;
import org.namdb.cache.selcc.LineSession;
import org.namdb.cache.selcc.LineTimeoutException;
import org.namdb.compute.guard.CachedTables;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.mvcc.owner.LatchOwner.Cancellation;

/// The guard lines of what a commit writes to cached tables: held exclusively, so that no compute
/// server uses copies of rows from before the commit once it is published, and none makes copies
/// while it is being installed. Taken in the order of their addresses, so that commits don't wait
/// for each other in a circle; readers hold none while they wait.
///
/// Belongs to the committing thread.
public final class CommitGuards {
    private final @Nullable CachedTables tables;
    private final boolean isNeeded;
    private final Host host;
    private final long limitNanos;
    private final Cancellation cancellation;
    private @Nullable LineSession session;
    private final List<LineGuard> guards = new ArrayList<>();

    /// @param tables null if this compute server has no guard lines
    /// @param isNeeded whether others may have copies
    /// @param limit how long a commit waits for all of them at the most
    /// @param cancellation polled while it waits
    public CommitGuards(
            @Nullable CachedTables tables,
            boolean isNeeded,
            Host host,
            Duration limit,
            Cancellation cancellation) {
        this.tables = tables;
        this.isNeeded = isNeeded;
        this.host = host;
        this.limitNanos = limit.toNanos();
        this.cancellation = cancellation;
    }

    /// Takes them, or none. All that the write set locks is locked.
    ///
    /// @return null if that was done; else others use the line of a row for too long
    /// @throws org.namdb.mvcc.owner.CancelledException if the wait was cancelled
    /// @throws IllegalStateException if this compute server can't notify the others of a change
    @Nullable CommitOutcome take(WriteSet writes) {
        if (!isNeeded) {
            return null;
        }
        SortedSet<Long> lines = new TreeSet<>();
        Table last = null;
        for (int i = 0; i < writes.size(); i++) {
            RecordChange change = writes.change(i);
            if (change.table().isCached()) {
                last = change.table();
                lines.add(cached(last).line(last, change.record().key()));
            }
        }
        return last == null ? null : take(lines, last, cached(last));
    }

    /// The guard line of a record that is going to be written; 0 if it needs none.
    ///
    /// @throws IllegalStateException if this compute server can't notify the others of a change
    public long line(Table table, long[] key) {
        return isNeeded && table.isCached() ? cached(table).line(table, key) : 0;
    }

    /// Takes lines for a commit that recovery finishes, or none.
    ///
    /// @param lines results of [#line]
    /// @param table one that a line is of
    /// @return whether that was done; else others use one of them for too long
    public boolean take(SortedSet<Long> lines, Table table) {
        return take(lines, table, cached(table)) == null;
    }

    private CachedTables cached(Table table) {
        CachedTables known = tables;
        if (known == null) {
            throw new IllegalStateException(
                    ("table %s is cached, and this compute server can't invalidate"
                                    + " the others' copies: give it compute.peers in its configuration")
                            .formatted(table.name()));
        }
        return known;
    }

    private @Nullable CommitOutcome take(SortedSet<Long> lines, Table table, CachedTables cached) {
        try {
            LineSession taking = cached.borrow();
            session = taking;
            long begin = host.nanoTime();
            long left = limitNanos;
            for (long line : lines) {
                guards.add(taking.exclusive(line, left, cancellation));
                left = limitNanos - (host.nanoTime() - begin);
            }
            return null;
        } catch (LineTimeoutException e) {
            return conflict(table, e);
        } catch (FabricException e) {
            if (!cached.lines().hasFailed()) {
                throw e;
            }
            return conflict(table, e); // nothing is installed: it can be tried again elsewhere
        }
    }

    private CommitOutcome conflict(Table table, RuntimeException failure) {
        release();
        return new CommitOutcome.WriteConflict(table.name(), "guard line: " + failure.getMessage());
    }

    /// Releases them, if any.
    public void release() {
        guards.forEach(LineGuard::close);
        guards.clear();
        LineSession used = session;
        CachedTables cached = tables;
        session = null;
        if (used != null && cached != null) {
            cached.release(used);
        }
    }
}
