package org.namdb.sql.engine.plpgsql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.sql.engine.execute.Execution;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.language.error.SqlException;

/// One call of a routine: the values of its variables, and where it is. Belongs to the session's
/// thread.
final class Activation {
    final Program program;
    final RoutineContext context;
    final Transaction transaction;
    final @Nullable Object[] slots;

    /// In which expressions are evaluated that are no statements.
    final EvaluationFrame frame;

    /// The version of the schema, which does not change while the transaction runs.
    final long version;

    private final Execution execution;

    /// The step that runs.
    @Nullable Step current;

    /// Where EXIT or CONTINUE goes.
    @Nullable Label target;

    /// What RETURN gives: of a function that returns one value or row.
    @Nullable Object @Nullable [] result;

    /// The rows of a function that returns a set.
    final List<@Nullable Object[]> rows = new ArrayList<>();

    /// What GET DIAGNOSTICS calls ROW_COUNT.
    long rowCount;

    /// The error that is handled.
    @Nullable SqlException handled;

    /// The last error that has its context already.
    private @Nullable SqlException located;

    Activation(Program program, RoutineContext context) {
        this.program = program;
        this.context = context;
        this.transaction = context.transaction();
        this.slots = new @Nullable Object[program.slots()];
        this.execution = context.execution(slots);
        this.frame = execution.frame();
        this.version = context.catalog().version();
    }

    /// A failure as an error of SQL that says where in the routine it is.
    SqlException located(RuntimeException failure) {
        if (failure == located) {
            return located;
        }
        SqlException error = context.errorOf(failure);
        Step step = current;
        located = error.within(program.placeOf(step));
        return located;
    }

    /// Keeps a row of the result.
    ///
    /// @throws SqlException 53200 if they are more than work_mem
    void add(@Nullable Object[] row) {
        execution.keep(row);
        rows.add(row);
    }

    void setFound(boolean isFound) {
        slots[program.foundSlot()] = isFound;
    }

    /// The rows that a statement has given or changed.
    void counted(long count) {
        rowCount = count;
        setFound(count > 0);
    }
}
