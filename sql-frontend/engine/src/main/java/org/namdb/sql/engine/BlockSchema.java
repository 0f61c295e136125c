package org.namdb.sql.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.TransactionSchema;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.schema.Table;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.procedure.ProcedureCatalog;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.engine.sequence.SequenceValues;
import org.namdb.sql.engine.sequence.TransactionSequences;
import org.namdb.sql.engine.statistics.StatisticsTable;

/// The schema as a transaction block has changed it by DDL, and all that depends on it: no other
/// session sees it before the commit, and a rollback leaves nothing of it. No other session of the
/// process runs DDL meanwhile.
final class BlockSchema {
    private final SqlDatabase database;
    private final Runnable whenEnded;
    private final TransactionSchema tables;
    private final SqlCatalog catalog;
    private final ProcedureCatalog procedures;
    private final StatementCompiler compiler;
    private final TransactionSequences sequences;
    private final List<Consumer<StatisticsTable>> statistics = new ArrayList<>();

    /// What there was before the first change.
    private final Mark unchanged;

    /// Where a savepoint returns to.
    record Mark(TransactionSchema.Mark tables, int statistics) {}

    /// @param session whose transaction is open. It has the [right][SqlDatabase#lockSchema] to
    ///     change the schema
    /// @param temporary the session's temporary tables
    /// @param whenEnded run when it has ended
    BlockSchema(
            SqlDatabase database, Session session, TemporaryTables temporary, Runnable whenEnded) {
        this.database = database;
        this.whenEnded = whenEnded;
        this.tables = database.engine().schemaOf(session);
        this.catalog = database.catalog().of(tables, temporary::catalog);
        this.procedures =
                database.procedures()
                        .of(catalog, routine -> RunningProcedure.body(routine, catalog));
        this.compiler = new StatementCompiler(catalog, procedures, database.jars());
        this.sequences =
                new TransactionSequences(
                        database.engine(),
                        database.sequences(),
                        database.catalog().sequences().values());
        this.unchanged = mark();
    }

    TransactionSchema tables() {
        return tables;
    }

    SqlCatalog catalog() {
        return catalog;
    }

    ProcedureCatalog procedures() {
        return procedures;
    }

    StatementCompiler compiler() {
        return compiler;
    }

    SequenceValues sequences() {
        return sequences;
    }

    /// Changes what is known of tables' rows, when the block is committed.
    void changeStatistics(Consumer<StatisticsTable> change) {
        statistics.add(change);
    }

    Mark mark() {
        return new Mark(tables.mark(), statistics.size());
    }

    /// Undoes what was changed since.
    void rollbackTo(Mark mark) {
        tables.rollbackTo(mark.tables);
        statistics.subList(mark.statistics, statistics.size()).clear();
    }

    /// Undoes all changes.
    void rollbackAll() {
        rollbackTo(unchanged);
    }

    /// Commits the session's transaction with the schema.
    ///
    /// @param waitMillis how long to wait for other transactions
    /// @throws org.namdb.compute.schema.SchemaBusyException if they take longer; all is rolled back
    CommitOutcome commit(Transaction transaction, long waitMillis) {
        boolean isStored = false;
        try {
            Collection<Sequence> left = catalog.sequences().values();
            Table table = tables.findTable(SequenceValues.TABLE);
            if (table != null) {
                sequences.store(transaction, table, left);
            }
            isStored = true;
            return tables.commit(
                    Duration.ofMillis(waitMillis),
                    () -> {
                        statistics.forEach(
                                change -> change.accept(database.catalog().statistics()));
                        forgetDroppedSequences(left);
                    });
        } finally {
            if (isStored) {
                whenEnded.run();
            } else {
                rollback();
            }
        }
    }

    /// The block is committed, even if this fails: a row that stays belongs to no sequence.
    private void forgetDroppedSequences(Collection<Sequence> left) {
        try {
            sequences.committed(left);
        } catch (RuntimeException e) {
            database.engine()
                    .options()
                    .host()
                    .logger(BlockSchema.class)
                    .warn("rows of dropped sequences stay in memory", e);
        }
    }

    /// Rolls the session's transaction back.
    void rollback() {
        try {
            tables.rollback();
        } finally {
            whenEnded.run();
        }
    }
}
