package org.namdb.sql.engine.plpgsql;

import java.util.List;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.result.ResultColumn;

/// A statement of SQL that is planned, for [RoutineContext] to run.
public interface PreparedSql {
    /// What was parsed.
    Statement statement();

    /// Those of the rows that it gives.
    List<ResultColumn> columns();

    /// Whether it only gives rows: a query, or a call of a function.
    boolean isQuery();
}
