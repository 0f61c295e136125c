package org.namdb.sql.engine.execute;

import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.plan.TupleCursor;

/// Rows that the statement has before: of a relation that shows what the session has, or those that
/// a change in WITH has returned.
final class SessionCursor implements TupleCursor {
    private final Execution execution;
    private Iterator<@Nullable Object[]> rows;

    SessionCursor(Execution execution, List<@Nullable Object[]> rows) {
        this.execution = execution;
        this.rows = rows.iterator();
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        if (!rows.hasNext()) {
            return null;
        }
        execution.progress().read();
        return rows.next();
    }

    @Override
    public void close() {
        rows = Collections.emptyIterator();
    }
}
