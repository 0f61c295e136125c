package org.namdb.sql.plan;

import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.ast.Query;
import org.namdb.sql.catalog.SqlTable;

/// What an operator itself is expected to cost on the fabric, for all of its rows together.
///
/// | access path | READs | round trips |
/// |---|---|---|
/// | n primary keys | 2 n: the bucket, and the header again | one for each 64 keys |
/// | n unique keys | 4 n | two for each 64 keys |
/// | neighbours that fit in one bucket | 2 | 1 |
/// | hashed index, n rows | 2 of the index + 2 n | 1 + one for each 64 rows |
/// | ordered index, n rows | 3 nodes on the way to the leaf, then a leaf for each 32 rows, + 2 n | 3 + one for each 32 rows |
/// | scan | one for each 64 KiB of the bucket array | as many |
///
/// A join by an access path takes n for each of its tuples, and fills its round trips with the keys of 64 tuples where they are whole. Every record is taken for current,
/// inlined in its bucket, and alone in it: older versions, overflows and own changes come on top.
///
/// @param reads READs that are posted
/// @param roundTrips how often they are waited for
public record VerbEstimate(double reads, double roundTrips) {
    /// A bucket, and its header again: so that what was read is known to be one version.
    private static final int VALIDATED = 2;

    private static final double BATCH = 64;
    private static final double ENTRIES = 32;
    private static final double LEVELS = 3;
    private static final double SCAN_BYTES = 64 << 10;
    private static final VerbEstimate NOTHING = new VerbEstimate(0, 0);

    /// The operator's own, without those below it.
    public static VerbEstimate of(PlanNode node) {
        return switch (node) {
            case PlanNode.TableRead read ->
                    once(read.shape().table(), read.path(), Math.max(1, read.rows()));
            case PlanNode.IndexJoin join -> joined(join);
            case PlanNode.LockRows lock ->
                    new VerbEstimate(
                            VALIDATED * lock.rows() * lock.keys().size(),
                            Math.ceil(lock.rows() / BATCH));
            case PlanNode.HashJoin _,
                    PlanNode.NestedLoop _,
                    PlanNode.Filter _,
                    PlanNode.Project _,
                    PlanNode.Aggregation _,
                    PlanNode.Sort _,
                    PlanNode.Distinct _,
                    PlanNode.Limit _,
                    PlanNode.SetOperation _,
                    PlanNode.Values _,
                    PlanNode.Generate _ ->
                    NOTHING;
        };
    }

    private static VerbEstimate joined(PlanNode.IndexJoin join) {
        double tuples = Math.max(1, join.outer().rows());
        double found = Math.max(1, join.rows() / tuples);
        VerbEstimate one = once(join.shape().table(), join.path(), found);
        boolean isBatched =
                join.path() instanceof AccessPath.ByKey
                        || join.path() instanceof AccessPath.ByUnique;
        double roundTrips = isBatched ? Math.ceil(tuples / BATCH) : tuples;
        return new VerbEstimate(one.reads * tuples, one.roundTrips * roundTrips);
    }

    private static VerbEstimate once(SqlTable table, AccessPath path, double rows) {
        return switch (path) {
            case AccessPath.Scan _ -> scan(table.stored().definition());
            case AccessPath.ByKey byKey -> batched(byKey.keys().size(), 1);
            case AccessPath.ByUnique byUnique -> batched(byUnique.keys().size(), 2);
            case AccessPath.ByNeighbours _ -> new VerbEstimate(VALIDATED, 1);
            case AccessPath.ByHash byHash ->
                    new VerbEstimate(
                            VALIDATED * (byHash.keys().size() + rows),
                            byHash.keys().size() + Math.ceil(rows / BATCH));
            case AccessPath.ByRange range ->
                    new VerbEstimate(
                            LEVELS * range.prefixes().size()
                                    + Math.ceil(rows / ENTRIES)
                                    + VALIDATED * rows,
                            LEVELS * range.prefixes().size() + Math.ceil(rows / ENTRIES));
        };
    }

    private static VerbEstimate batched(int keys, int readsEach) {
        return new VerbEstimate(
                (double) keys * readsEach * VALIDATED, Math.ceil(keys / BATCH) * readsEach);
    }

    private static VerbEstimate scan(TableDefinition table) {
        double recordBytes = 16;
        for (TableDefinition.ColumnDefinition column : table.columns()) {
            recordBytes += column.type().payloadBytes();
        }
        double bytes = table.expectedRows() * 100.0 / table.load() * recordBytes;
        double reads = Math.max(1, Math.ceil(bytes / SCAN_BYTES));
        return new VerbEstimate(reads, reads);
    }

    /// How an operation is called in a plan.
    static String name(Query.SetOperation.Operator operator) {
        return switch (operator) {
            case UNION -> "Union";
            case EXCEPT -> "Except";
            case INTERSECT -> "Intersect";
        };
    }
}
