package org.namdb.sql.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Transaction;
import org.namdb.sql.engine.bind.BindContext;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.change.CopyPlan;
import org.namdb.sql.engine.copy.CopyFormat;
import org.namdb.sql.engine.copy.CopyInput;
import org.namdb.sql.engine.copy.CopyOutput;
import org.namdb.sql.engine.copy.CopySource;
import org.namdb.sql.engine.copy.CopyTarget;
import org.namdb.sql.engine.execute.Execution;
import org.namdb.sql.engine.expression.ParameterTypes;
import org.namdb.sql.engine.plan.OutputColumn;
import org.namdb.sql.engine.plan.Planner;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.role.Privilege;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.type.SqlType;

/// One run of COPY.
final class CopyRun {
    private static final @Nullable Object[] NO_PARAMETERS = {};

    private final PlannedStatements planned;
    private final TransactionBlock block;
    private final Statement.Copy copy;
    private final CopyFormat format;

    CopyRun(PlannedStatements planned, TransactionBlock block, Statement.Copy copy) {
        this.planned = planned;
        this.block = block;
        this.copy = copy;
        this.format = CopyFormat.of(copy.options());
    }

    /// Takes rows in: as one transaction, if there is no block.
    Result in(CopySource source) throws IOException {
        planned.requireWritable("COPY FROM");
        Transaction transaction = block.transaction();
        BindContext context = context();
        SqlTable table = context.table(Objects.requireNonNull(copy.table()), Privilege.INSERT);
        new RequiredRights(context).check(planned.authority());
        Execution execution = planned.execution(transaction, NO_PARAMETERS, false);
        CopyPlan plan = new CopyPlan(table, copy.columns());
        CopyInput data = source.open(format, plan.width());
        return done(plan.run(new ChangeRun(block, execution), data));
    }

    /// Gives rows out.
    Result out(CopyTarget target) throws IOException {
        Transaction transaction = block.transaction();
        BindContext context = context();
        QueryPlan plan = new Planner(context).plan(query());
        new RequiredRights(context).check(planned.authority());
        Execution execution = planned.execution(transaction, NO_PARAMETERS, false);
        CopyOutput out = target.open(format);
        List<SqlType> types = plan.columns().stream().map(OutputColumn::type).toList();
        out.begin(plan.columns().stream().map(OutputColumn::name).toList());
        long count = 0;
        try (TupleCursor cursor = execution.open(plan)) {
            for (@Nullable Object @Nullable [] tuple = cursor.next();
                    tuple != null;
                    tuple = cursor.next()) {
                out.write(tuple, types, block.zone());
                count++;
            }
        }
        out.end();
        return done(count);
    }

    private Result done(long count) {
        if (!block.isBlock()) {
            block.commit();
        }
        return new ListResult(List.of(), List.of(), "COPY " + count, count, List.of());
    }

    private BindContext context() {
        return new BindContext(block.catalog(), new ParameterTypes());
    }

    /// The query whose rows are copied; of a table, one for its columns.
    private Query query() {
        if (copy.query() != null) {
            return copy.query();
        }
        Name name = copy.table();
        if (name == null) {
            throw new SqlException(SqlState.SYNTAX_ERROR, "COPY needs a table or a query");
        }
        Position position = name.position();
        SqlTable table = context().table(name, Privilege.SELECT);
        List<Query.Item> items = new ArrayList<>();
        for (int number : CopyPlan.columns(table, copy.columns())) {
            Name column = new Name(table.columns().get(number).name(), position);
            items.add(
                    new Query.Value(
                            new Expression.ColumnName(null, column, position), null, position));
        }
        Query.Select select =
                new Query.Select(
                        false,
                        items,
                        List.of(new Query.TableSource(name, null, List.of(), position)),
                        null,
                        List.of(),
                        null,
                        position);
        return new Query(select, List.of(), null, null, false, position);
    }
}
