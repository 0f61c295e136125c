package org.namdb.sql.engine.change;

import org.namdb.compute.Transaction;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.plan.StatementProgress;

/// What the changes of a transaction need to know.
public interface ChangeContext {
    /// The transaction that the changes belong to.
    Transaction transaction();

    /// The table of this name; it is there.
    SqlTable table(String name);

    /// The constraints and defaults of a table, bound.
    TableConstraints constraints(SqlTable table);

    /// A new hidden row id.
    long nextRowId();

    /// Counts the rows that are changed.
    StatementProgress progress();

    /// What the transaction requires of foreign keys at its commit.
    ReferenceRequirements requirements();
}
