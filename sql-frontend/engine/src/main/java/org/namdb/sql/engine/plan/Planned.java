package org.namdb.sql.engine.plan;

/// A relation that was planned.
///
/// @param cost what it takes: reading one record by its key is 1
/// @param isOrdered whether it gives its tuples in the order that was wanted
record Planned(PlanNode node, double cost, boolean isOrdered) {
    Planned(PlanNode node, double cost) {
        this(node, cost, false);
    }
}
