package org.namdb.sql.engine.plan;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.TransactionForecast;
import org.namdb.compute.read.RowBatch;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.VerbForecast;
import org.namdb.mvcc.schema.Key;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Constants;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.record.KeyWriter;

/// Foresees what each operator of a plan costs on the fabric, for all of its rows together.
///
/// | access path | READs | round trips |
/// |---|---|---|
/// | n primary keys | 2 n: the bucket, and its directory again | one for each 64 keys |
/// | n unique keys | 4 n | two for each 64 keys |
/// | neighbours that fit in one bucket | 2 | 1 |
/// | hashed index, n rows | 2 for each 8 entries + 2 n | one for each of these, and each 64 rows |
/// | ordered index, n rows | 2 for each level, further leaf + 2 n | the same; 1, 4, 8, 16 .. rows |
/// | scan | 2 for each 64 KiB of the bucket array | one for each 64 KiB |
///
/// A join by an access path takes n for each of its tuples, and fills its round trips with the keys
/// of 1, 4, 16, 64, 64 .. tuples where they are whole. How many rows there are is the planner's
/// guess. Under a LIMIT only the needed share of an operator's work counts. The ordinary case is
/// that of [TransactionForecast].
public final class PlanForecast {
    private static final double JOIN_GROWTH = 4;

    private final TransactionForecast transaction;
    private final IdentityHashMap<PlanNode, VerbForecast> known = new IdentityHashMap<>();

    /// @param transaction gets the records that are locked by the plan, too
    public PlanForecast(TransactionForecast transaction) {
        this.transaction = transaction;
    }

    /// All operators of a plan, those of its subqueries too, each as if it ran once. What happens
    /// afterwards does not change what [#of] returns for them.
    public VerbForecast foresee(PlanNode root) {
        VerbForecast all = transaction.nothing();
        foresee(root, 1, all);
        return all;
    }

    private void foresee(PlanNode node, double share, VerbForecast all) {
        VerbForecast own = foreseen(node, share);
        known.put(node, own);
        all.addAll(own);
        for (int input = 0; input < node.inputs().size(); input++) {
            foresee(node.inputs().get(input), inputShare(node, input, share), all);
        }
        for (PlannedSubquery subquery : PlanScalars.subqueries(node)) {
            foresee(subquery.plan(), 1, all);
        }
    }

    /// The operator's own, without those below it.
    ///
    /// @param node of a plan that was foreseen
    public VerbForecast of(PlanNode node) {
        return Objects.requireNonNull(known.get(node));
    }

    private VerbForecast foreseen(PlanNode node, double share) {
        VerbForecast own = transaction.nothing();
        switch (node) {
            case PlanNode.TableRead read -> read(own, read, share);
            case PlanNode.IndexJoin join -> join(own, join, share);
            case PlanNode.LockRows lock -> lock(own, lock, share);
            case PlanNode.HashJoin _,
                    PlanNode.NestedLoop _,
                    PlanNode.Lateral _,
                    PlanNode.Filter _,
                    PlanNode.Project _,
                    PlanNode.Aggregation _,
                    PlanNode.Window _,
                    PlanNode.Sort _,
                    PlanNode.Distinct _,
                    PlanNode.Limit _,
                    PlanNode.SetOperation _,
                    PlanNode.Recursion _,
                    PlanNode.WorkTable _,
                    PlanNode.Values _,
                    PlanNode.Generate _ -> {}
        }
        return own;
    }

    /// The share of an input's rows that an operator needs.
    ///
    /// @param input the input's number
    /// @param share the needed share of its own
    private static double inputShare(PlanNode node, int input, double share) {
        return switch (node) {
            case PlanNode.Limit limit ->
                    share * Math.min(1, limit.rows() / atLeastOne(limit.input()));
            case PlanNode.Filter _,
                    PlanNode.Project _,
                    PlanNode.Distinct _,
                    PlanNode.LockRows _,
                    PlanNode.IndexJoin _ ->
                    share;
            case PlanNode.HashJoin _, PlanNode.NestedLoop _, PlanNode.Lateral _ ->
                    input == 0 ? share : 1;
            case PlanNode.TableRead _,
                    PlanNode.Aggregation _,
                    PlanNode.Window _,
                    PlanNode.Sort _,
                    PlanNode.SetOperation _,
                    PlanNode.Recursion _,
                    PlanNode.WorkTable _,
                    PlanNode.Values _,
                    PlanNode.Generate _ ->
                    1;
        };
    }

    /// The primary key that a plan's rows are read by, if it is one and known before.
    public static @Nullable Key onlyKey(PlanNode root) {
        PointRead read = pointRead(root);
        return read == null ? null : key(read.table, read.key);
    }

    /// The read of one row by its primary key.
    ///
    /// @param key the key's columns
    public record PointRead(Table table, List<Scalar> key) {}

    /// The only read of a plan, if it is one of a row by its primary key; else null.
    public static @Nullable PointRead pointRead(PlanNode root) {
        return switch (root) {
            case PlanNode.TableRead read
                    when read.path() instanceof AccessPath.ByKey byKey
                            && byKey.keys().size() == 1 ->
                    new PointRead(read.shape().table().stored(), byKey.keys().getFirst());
            case PlanNode.Project project -> pointRead(project.input());
            case PlanNode.Filter filter -> pointRead(filter.input());
            case PlanNode.LockRows lock -> pointRead(lock.input());
            default -> null;
        };
    }

    /// The same if its key is the same at any time of the statement.
    public static @Nullable PointRead stableRead(PlanNode root) {
        PointRead read = pointRead(root);
        return read == null
                        || read.key.stream().anyMatch(Constants::isVolatile)
                        || PlanScalars.haveSubquery(read.key)
                ? null
                : read;
    }

    /// The key of these values, if they are known before.
    public static @Nullable Key key(Table table, List<Scalar> values) {
        Key key = table.newKey();
        for (Scalar value : values) {
            if (!(value instanceof ConstantScalar constant)
                    || !KeyWriter.add(key, constant.value())) {
                return null;
            }
        }
        return key;
    }

    private void read(VerbForecast own, PlanNode.TableRead read, double share) {
        Table table = read.shape().table().stored();
        double rows = Math.ceil(atLeastOne(read) * share);
        switch (read.path()) {
            case AccessPath.Scan _ -> transaction.scan(own, table, share);
            case AccessPath.ByKey byKey -> readKeys(own, table, byKey.keys());
            case AccessPath.ByUnique byUnique -> {
                Table entries = unique(byUnique);
                readKeys(own, entries, byUnique.keys());
                int keys = byUnique.keys().size();
                transaction.read(own, table, null, keys);
                own.roundTrips(transaction.roundTrips(table, keys, RowBatch.CAPACITY));
            }
            case AccessPath.ByNeighbours byNeighbours ->
                    transaction.neighbours(own, table, key(table, byNeighbours.prefix()), 1, rows);
            case AccessPath.ByHash byHash ->
                    lookUp(own, read, hash(byHash), byHash.keys().size(), share);
            case AccessPath.ByRange byRange ->
                    lookUp(own, read, tree(byRange), byRange.prefixes().size(), share);
        }
    }

    private void lookUp(
            VerbForecast own, PlanNode.TableRead read, Index index, int lookups, double share) {
        double all = atLeastOne(read);
        double rows = all;
        if (share < 1) {
            rows = Math.min(all, TransactionForecast.readAhead(index, Math.ceil(all * share)));
        }
        transaction.lookUp(own, read.shape().table().stored(), index, lookups, rows, share < 1);
    }

    private void readKeys(VerbForecast own, Table table, List<List<Scalar>> keys) {
        int read = 0;
        for (List<Scalar> values : keys) {
            Key key = key(table, values);
            if (!transaction.isCopied(table, key)) {
                transaction.read(own, table, key, 1);
                read++;
            }
        }
        own.roundTrips(transaction.roundTrips(table, read, RowBatch.CAPACITY));
    }

    private void join(VerbForecast own, PlanNode.IndexJoin join, double share) {
        Table table = join.shape().table().stored();
        double tuples = Math.ceil(atLeastOne(join.outer()) * share);
        double rows = Math.max(tuples, atLeastOne(join) * share);
        switch (join.path()) {
            case AccessPath.Scan _ -> throw new IllegalStateException("a join by no index");
            case AccessPath.ByKey _ -> joinByKeys(own, table, tuples);
            case AccessPath.ByUnique byUnique -> {
                joinByKeys(own, unique(byUnique), tuples);
                joinByKeys(own, table, tuples);
            }
            case AccessPath.ByNeighbours _ ->
                    transaction.neighbours(own, table, null, tuples, rows);
            case AccessPath.ByHash byHash ->
                    transaction.lookUp(own, table, hash(byHash), tuples, rows, false);
            case AccessPath.ByRange byRange ->
                    transaction.lookUp(own, table, tree(byRange), tuples, rows, false);
        }
    }

    private void joinByKeys(VerbForecast own, Table table, double tuples) {
        transaction.read(own, table, null, tuples);
        double left = tuples;
        double batch = 1;
        while (left > 0 && batch < RowBatch.CAPACITY) {
            own.roundTrips(transaction.roundTrips(table, Math.min(left, batch), RowBatch.CAPACITY));
            left -= batch;
            batch *= JOIN_GROWTH;
        }
        own.roundTrips(transaction.roundTrips(table, Math.max(0, left), RowBatch.CAPACITY));
    }

    private void lock(VerbForecast own, PlanNode.LockRows lock, double share) {
        double rows = Math.ceil(atLeastOne(lock) * share);
        for (PlanNode.LockedKey locked : lock.keys()) {
            Table table = locked.table().stored();
            Key key = onlyKey(lock.input());
            boolean isKnown = key != null && key.layout() == table.schema().key();
            transaction.read(own, table, isKnown ? key : null, rows);
            transaction.update(table, isKnown ? key : null, rows, 0);
        }
        own.roundTrips(Math.ceil(rows / RowBatch.CAPACITY));
    }

    private static double atLeastOne(PlanNode node) {
        return Math.max(1, node.rows());
    }

    private static Table unique(AccessPath.ByUnique path) {
        return Objects.requireNonNull(path.index().uniqueTable());
    }

    private static Index hash(AccessPath.ByHash path) {
        return Objects.requireNonNull(path.index().index());
    }

    private static Index tree(AccessPath.ByRange path) {
        return Objects.requireNonNull(path.index().index());
    }
}
