package org.namdb.sql.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.change.ChangePlan;
import org.namdb.sql.engine.plan.QueryPlan;
import org.namdb.sql.engine.plpgsql.PreparedSql;
import org.namdb.sql.engine.statistics.StatisticsTable;
import org.namdb.sql.engine.statistics.TableStatistics;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.result.ResultColumn;
import org.namdb.sql.language.type.SqlType;

/// A statement that is ready to run: parsed, and planned if it reads or changes rows.
///
/// @param text the text, for the places of errors
/// @param normalized the statement without constants, for statistics
/// @param statement what was parsed
/// @param query the plan of a query; null for others
/// @param change the plan of a change; null for others
/// @param call the plan of a call of a procedure; null for others
/// @param declared the types of parameters that were given with the statement
/// @param parameterTypes the types of all parameters
/// @param columns those of the rows that it gives
/// @param rights what a role needs to run it
/// @param schemaVersion the version of the schema that the plan is good for
/// @param tables those that the plan was made for
/// @param callsRoutine whether it calls functions of users, which may change something
/// @param hasEffect whether it calls functions whose effect a rollback does not undo
/// @param isOfSession whether it changes advisory locks or settings by functions, and reads no
///     table
record CompiledStatement(
        String text,
        String normalized,
        Statement statement,
        @Nullable QueryPlan query,
        @Nullable ChangePlan change,
        @Nullable CallPlan call,
        List<SqlType> declared,
        List<SqlType> parameterTypes,
        List<ResultColumn> columns,
        RequiredRights rights,
        long schemaVersion,
        List<PlannedTable> tables,
        boolean callsRoutine,
        boolean hasEffect,
        boolean isOfSession)
        implements PreparedSql {
    /// Another plan may suit a table better that has so many times the rows.
    private static final int OUTGROWN = 8;

    /// A table of a plan.
    ///
    /// @param rows how many it was taken to have
    /// @param known where its statistics are
    /// @param statistics those that the plan was made with
    record PlannedTable(
            SqlTable table,
            long rows,
            StatisticsTable.Known known,
            @Nullable TableStatistics statistics) {}

    CompiledStatement {
        declared = List.copyOf(declared);
        parameterTypes = List.copyOf(parameterTypes);
        columns = List.copyOf(columns);
        tables = List.copyOf(tables);
    }

    /// What was written of the statement itself.
    String ownText() {
        Position at = statement.position();
        return at.offset() == 0 && at.length() >= text.length()
                ? text
                : text.substring(at.offset(), Math.min(text.length(), at.offset() + at.length()));
    }

    @Override
    public boolean isQuery() {
        return query != null || call != null && call.isSelect();
    }

    /// What a change is called in its tag.
    String verb() {
        return verb(statement);
    }

    private static String verb(Statement statement) {
        return switch (statement) {
            case Statement.With with -> verb(with.statement());
            case Statement.Select _ -> "SELECT";
            case Statement.Insert _ -> "INSERT";
            case Statement.Update _ -> "UPDATE";
            default -> "DELETE";
        };
    }

    boolean isPlanned() {
        return query != null || change != null || call != null;
    }

    /// Whether a table has grown far beyond what the plan was made for, or was analyzed since.
    @SuppressWarnings("ReferenceEquality") // whether they are other ones
    boolean isOutgrown() {
        for (int i = 0; i < tables.size(); i++) {
            PlannedTable planned = tables.get(i);
            if (planned.table.stored().estimatedRows() > OUTGROWN * planned.rows
                    || planned.known.statistics() != planned.statistics) {
                return true;
            }
        }
        return false;
    }
}
