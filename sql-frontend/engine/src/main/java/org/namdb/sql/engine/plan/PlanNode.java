package org.namdb.sql.engine.plan;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.AggregateScalar;
import org.namdb.sql.engine.bind.Field;
import org.namdb.sql.engine.bind.JoinKind;
import org.namdb.sql.engine.bind.Relation;
import org.namdb.sql.engine.bind.RowFunction;
import org.namdb.sql.engine.bind.WindowScalar;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.type.ValueOrder;

/// One operator of a plan. Columns in its expressions are places in the tuples that its inputs
/// give; of a join, in those of the first input followed by the second. Immutable, and shared by
/// all executions.
public sealed interface PlanNode {
    /// What the places of its tuples hold.
    List<Field> fields();

    /// The operators whose tuples it takes.
    List<PlanNode> inputs();

    /// How many tuples are expected.
    double rows();

    /// Rows of a table.
    ///
    /// @param filter a condition on the columns that are read; null for none
    record TableRead(
            TableShape shape,
            AccessPath path,
            @Nullable Scalar filter,
            List<Field> fields,
            double rows)
            implements PlanNode {
        public TableRead {
            fields = List.copyOf(fields);
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of();
        }
    }

    /// For each tuple the rows of a table that belong to it. Tuples are collected, so that the
    /// records of many are read in one round trip.
    ///
    /// @param path its keys are over the outer tuples
    /// @param condition on both together; null for none
    record IndexJoin(
            PlanNode outer,
            JoinKind kind,
            TableShape shape,
            AccessPath path,
            @Nullable Scalar condition,
            double rows)
            implements PlanNode {
        @Override
        public List<Field> fields() {
            return kind.isHalf() ? outer.fields() : both(outer.fields(), shape.fields());
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of(outer);
        }
    }

    /// Pairs of tuples with equal keys: the second input is kept in a hash table, which the first
    /// one probes.
    ///
    /// @param condition on both together, beyond the keys; null for none
    record HashJoin(
            PlanNode probe,
            PlanNode build,
            JoinKind kind,
            List<JoinKey> keys,
            @Nullable Scalar condition,
            double rows)
            implements PlanNode {
        @Override
        public List<Field> fields() {
            return kind.isHalf() ? probe.fields() : both(probe.fields(), build.fields());
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of(probe, build);
        }
    }

    /// Two values that must be equal.
    ///
    /// @param probe over the first input's tuples
    /// @param build over the second's
    /// @param order in which they are equal
    record JoinKey(Scalar probe, Scalar build, ValueOrder order) {}

    /// Pairs of tuples: the second input is kept in memory, and scanned for each tuple of the
    /// first.
    ///
    /// @param condition null for all pairs
    record NestedLoop(
            PlanNode outer, PlanNode inner, JoinKind kind, @Nullable Scalar condition, double rows)
            implements PlanNode {
        @Override
        public List<Field> fields() {
            return kind.isHalf() ? outer.fields() : both(outer.fields(), inner.fields());
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of(outer, inner);
        }
    }

    /// For each tuple of the first input those of the second, which is run anew for it.
    ///
    /// @param arguments over the outer tuples: what the inner plan's outer columns are
    /// @param condition on both together; null for none
    record Lateral(
            PlanNode outer,
            PlanNode inner,
            JoinKind kind,
            List<Scalar> arguments,
            @Nullable Scalar condition,
            double rows)
            implements PlanNode {
        public Lateral {
            arguments = List.copyOf(arguments);
        }

        @Override
        public List<Field> fields() {
            return both(outer.fields(), inner.fields());
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of(outer, inner);
        }
    }

    /// The tuples for which a condition is true.
    record Filter(PlanNode input, Scalar condition, double rows) implements PlanNode {
        @Override
        public List<Field> fields() {
            return input.fields();
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of(input);
        }
    }

    /// Values made of each tuple.
    record Project(PlanNode input, List<Scalar> values, List<Field> fields) implements PlanNode {
        @Override
        public List<PlanNode> inputs() {
            return List.of(input);
        }

        @Override
        public double rows() {
            return input.rows();
        }
    }

    /// One tuple for each group: its keys, then its aggregates.
    ///
    /// @param whenEmpty values of the last key: without any tuple, each has a group whose other
    ///     keys are NULL
    record Aggregation(
            PlanNode input,
            List<Scalar> keys,
            List<AggregateScalar> calls,
            List<Field> fields,
            List<Long> whenEmpty,
            double rows)
            implements PlanNode {
        @Override
        public List<PlanNode> inputs() {
            return List.of(input);
        }
    }

    /// The tuples, which come partition by partition, each with the values of window functions
    /// behind it.
    ///
    /// @param order of the tuples of a partition
    record Window(
            PlanNode input,
            List<Scalar> partition,
            List<Relation.Ordering> order,
            List<WindowScalar> calls,
            List<Field> fields)
            implements PlanNode {
        @Override
        public List<PlanNode> inputs() {
            return List.of(input);
        }

        @Override
        public double rows() {
            return input.rows();
        }
    }

    /// The tuples in order, or only the first of them.
    ///
    /// @param limit how many are needed at most, the skipped ones not counted; null for all
    /// @param offset how many of them will be skipped; null for none
    record Sort(
            PlanNode input,
            List<Relation.Ordering> order,
            @Nullable Scalar limit,
            @Nullable Scalar offset)
            implements PlanNode {
        @Override
        public List<Field> fields() {
            return input.fields();
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of(input);
        }

        @Override
        public double rows() {
            return input.rows();
        }
    }

    /// Each different tuple once.
    record Distinct(PlanNode input, double rows) implements PlanNode {
        @Override
        public List<Field> fields() {
            return input.fields();
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of(input);
        }
    }

    /// Some of the tuples.
    record Limit(PlanNode input, @Nullable Scalar limit, @Nullable Scalar offset, double rows)
            implements PlanNode {
        @Override
        public List<Field> fields() {
            return input.fields();
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of(input);
        }
    }

    /// The tuples of two inputs together, or those that the second has or has not.
    record SetOperation(
            Query.SetOperation.Operator operator,
            boolean isAll,
            PlanNode left,
            PlanNode right,
            List<Field> fields,
            double rows)
            implements PlanNode {
        @Override
        public List<PlanNode> inputs() {
            return List.of(left, right);
        }
    }

    /// The tuples of the base, and those that the step makes of them, of these, and so on.
    ///
    /// @param recursion its number, which its [WorkTable] has, too
    record Recursion(
            int recursion,
            boolean isAll,
            PlanNode base,
            PlanNode step,
            List<Field> fields,
            double rows)
            implements PlanNode {
        @Override
        public List<PlanNode> inputs() {
            return List.of(base, step);
        }
    }

    /// The tuples that the step of a [Recursion] goes on from.
    record WorkTable(int recursion, List<Field> fields, double rows) implements PlanNode {
        @Override
        public List<PlanNode> inputs() {
            return List.of();
        }
    }

    /// Tuples that are written out.
    record Values(List<List<Scalar>> tuples, List<Field> fields) implements PlanNode {
        @Override
        public List<PlanNode> inputs() {
            return List.of();
        }

        @Override
        public double rows() {
            return tuples.size();
        }
    }

    /// The rows of a function; those of a series are made as they are read.
    record Generate(RowFunction function, List<Field> fields, double rows) implements PlanNode {
        @Override
        public List<PlanNode> inputs() {
            return List.of();
        }
    }

    /// The same tuples; the records that they come from join the transaction's write set.
    record LockRows(PlanNode input, List<LockedKey> keys) implements PlanNode {
        @Override
        public List<Field> fields() {
            return input.fields();
        }

        @Override
        public List<PlanNode> inputs() {
            return List.of(input);
        }

        @Override
        public double rows() {
            return input.rows();
        }
    }

    /// Where a tuple holds the primary key of a record.
    ///
    /// @param places of the key's columns in the tuple
    record LockedKey(SqlTable table, List<Integer> places) {}

    private static List<Field> both(List<Field> first, List<Field> second) {
        List<Field> fields = new ArrayList<>(first);
        fields.addAll(second);
        return fields;
    }
}
