package org.namdb.tpcc.check;

import java.util.List;
import java.util.function.DoubleConsumer;
import org.namdb.compute.Session;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.schema.TpccSchema;

/// Checks the twelve conditions of clause 3.3.2 on one snapshot of the live data. Every row of
/// their tables is checked, though the standard allows a random sample; others may go on writing.
///
/// It takes 8 bytes of memory for each order and 16 for each customer, and has to end within the
/// database's maximum transaction time.
public final class ConsistencyCheck {
    private final TpccSchema schema;
    private final Scale scale;

    /// A check of a database that was loaded with this scale.
    public ConsistencyCheck(TpccSchema schema, Scale scale) {
        this.schema = schema;
        this.scale = scale;
    }

    /// Checks all conditions.
    ///
    /// @param progress gets periodically how much is done, 0 to 1
    /// @return a result for each condition, in the order of the clauses
    /// @throws org.namdb.compute.TransactionException if it took longer than the maximum
    ///     transaction time
    public List<ConditionResult> run(Session session, DoubleConsumer progress) {
        return session.transact(
                tx -> new SnapshotCheck(schema, scale, new TransactionRows(tx), progress).run());
    }
}
