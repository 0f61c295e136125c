package org.namdb.sql.engine.plan;

import org.namdb.sql.engine.bind.Scope;

/// The rows that an UPDATE or DELETE is about.
///
/// @param plan gives them
/// @param scope for expressions over its tuples, as those of SET and RETURNING ([Planner#scalar])
public record TargetRows(QueryPlan plan, Scope scope) {}
