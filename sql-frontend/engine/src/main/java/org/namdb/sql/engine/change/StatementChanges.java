package org.namdb.sql.engine.change;

import java.util.IdentityHashMap;
import org.namdb.compute.Transaction;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.expression.EvaluationFrame;

/// All that one statement changes: rows of its own table, and through foreign keys those of others.
/// Ends with [#finish], which checks the constraints between rows.
public final class StatementChanges {
    private final ChangeContext context;
    private final EvaluationFrame frame;
    private final IdentityHashMap<SqlTable, TableWriter> writers = new IdentityHashMap<>();
    private final References references;

    /// @param context the transaction and what it knows
    /// @param frame where checks and defaults are evaluated
    public StatementChanges(ChangeContext context, EvaluationFrame frame) {
        this.context = context;
        this.frame = frame;
        this.references = new References(this);
    }

    /// The writer for a table.
    public TableWriter writer(SqlTable table) {
        TableWriter writer = writers.get(table);
        if (writer == null) {
            writer = new TableWriter(this, table, context.constraints(table));
            writers.put(table, writer);
        }
        return writer;
    }

    /// Does what foreign keys demand, and refuses what they forbid.
    ///
    /// @throws org.namdb.sql.language.error.SqlException 23503
    public void finish() {
        references.finish();
        writers.values().forEach(TableWriter::finish);
    }

    ChangeContext context() {
        return context;
    }

    Transaction transaction() {
        return context.transaction();
    }

    EvaluationFrame frame() {
        return frame;
    }

    References references() {
        return references;
    }
}
