package org.namdb.sql.engine.execute;

import java.util.Collections;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.plan.TupleCursor;

/// The rows of a relation that shows what the session has.
final class SessionCursor implements TupleCursor {
    private final Execution execution;
    private Iterator<@Nullable Object[]> rows;

    SessionCursor(Execution execution, String relation) {
        this.execution = execution;
        this.rows = execution.session().relation(relation).iterator();
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
