package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.ast.Query;

/// What a query means: operators of the relational algebra over base tables. Columns in its
/// expressions are named by [Field#id], and those of the query around it by their place among that
/// query's arguments.
public sealed interface Relation {
    /// The columns, in order.
    List<Field> fields();

    /// What it reads.
    default List<Relation> inputs() {
        return switch (this) {
            case Base _, Rows _, Generated _, WorkTable _ -> List.of();
            case Filtered filtered -> List.of(filtered.input);
            case Projected projected -> List.of(projected.input);
            case Joined joined -> List.of(joined.left, joined.right);
            case Lateral lateral -> List.of(lateral.left, lateral.right);
            case Grouped grouped -> List.of(grouped.input);
            case Windowed windowed -> List.of(windowed.input);
            case Sorted sorted -> List.of(sorted.input);
            case Distinct distinct -> List.of(distinct.input);
            case Limited limited -> List.of(limited.input);
            case Combined combined -> List.of(combined.left, combined.right);
            case Recursive recursive -> List.of(recursive.base, recursive.step);
            case Locked locked -> List.of(locked.input);
        };
    }

    /// Its own expressions.
    default List<Scalar> scalars() {
        return switch (this) {
            case Base _, WorkTable _, Distinct _, Combined _, Recursive _, Locked _ -> List.of();
            case Rows rows -> rows.rows.stream().flatMap(List::stream).toList();
            case Generated generated -> generated.function.scalars();
            case Filtered filtered -> List.of(filtered.condition);
            case Projected projected -> projected.values;
            case Joined joined -> present(joined.condition, null);
            case Lateral lateral -> together(lateral.arguments, present(lateral.condition, null));
            case Grouped grouped -> together(grouped.keys, grouped.calls);
            case Windowed windowed ->
                    together(
                            windowed.wholeOrder().stream().map(Ordering::value).toList(),
                            windowed.calls);
            case Sorted sorted -> sorted.order.stream().map(Ordering::value).toList();
            case Limited limited -> present(limited.limit, limited.offset);
        };
    }

    private static List<Scalar> together(
            List<? extends Scalar> some, List<? extends Scalar> others) {
        List<Scalar> all = new ArrayList<>(some);
        all.addAll(others);
        return all;
    }

    private static List<Scalar> present(@Nullable Scalar one, @Nullable Scalar other) {
        return Stream.of(Optional.ofNullable(one), Optional.ofNullable(other))
                .flatMap(Optional::stream)
                .toList();
    }

    /// All rows of a table.
    ///
    /// @param fields one for each of the table's columns, in their order, a hidden one too
    record Base(SqlTable table, String alias, List<Field> fields) implements Relation {
        public Base {
            fields = List.copyOf(fields);
        }
    }

    /// Rows that are written out; one without columns for a SELECT without FROM.
    record Rows(List<List<Scalar>> rows, List<Field> fields) implements Relation {
        public Rows {
            rows = List.copyOf(rows);
            fields = List.copyOf(fields);
        }
    }

    /// The rows of a function.
    record Generated(RowFunction function, List<Field> fields) implements Relation {
        public Generated {
            fields = List.copyOf(fields);
        }
    }

    /// The rows for which a condition is true.
    record Filtered(Relation input, Scalar condition) implements Relation {
        @Override
        public List<Field> fields() {
            return input.fields();
        }
    }

    /// Values that are made of each row.
    ///
    /// @param values one for each field
    record Projected(Relation input, List<Scalar> values, List<Field> fields) implements Relation {
        public Projected {
            values = List.copyOf(values);
            fields = List.copyOf(fields);
        }
    }

    /// Pairs of rows.
    ///
    /// @param condition null if every row is paired with every other
    record Joined(JoinKind kind, Relation left, Relation right, @Nullable Scalar condition)
            implements Relation {
        @Override
        public List<Field> fields() {
            if (kind.isHalf()) {
                return left.fields();
            }
            List<Field> fields = new ArrayList<>(left.fields());
            fields.addAll(right.fields());
            return fields;
        }
    }

    /// Each left row with the right rows that are made for it.
    ///
    /// @param kind INNER or LEFT
    /// @param right in its expressions, the outer columns of depth 1 are the arguments
    /// @param arguments over the left rows
    /// @param condition null if every left row is paired with all that are made for it
    record Lateral(
            JoinKind kind,
            Relation left,
            Relation right,
            List<Scalar> arguments,
            @Nullable Scalar condition)
            implements Relation {
        public Lateral {
            arguments = List.copyOf(arguments);
        }

        @Override
        public List<Field> fields() {
            List<Field> fields = new ArrayList<>(left.fields());
            fields.addAll(right.fields());
            return fields;
        }
    }

    /// One row for each group of rows that agree in the keys; one row in all if there are no keys.
    ///
    /// @param fields one for each key, then one for each call
    /// @param whenEmpty values of the last key: without any row, each has a group whose other
    ///     keys are NULL
    record Grouped(
            Relation input,
            List<Scalar> keys,
            List<AggregateScalar> calls,
            List<Field> fields,
            List<Long> whenEmpty)
            implements Relation {
        public Grouped {
            keys = List.copyOf(keys);
            calls = List.copyOf(calls);
            fields = List.copyOf(fields);
            whenEmpty = List.copyOf(whenEmpty);
        }
    }

    /// The rows with the values of window functions, partition by partition.
    ///
    /// @param order of the rows of a partition
    /// @param fields those of the input, then one for each call
    record Windowed(
            Relation input,
            List<Scalar> partition,
            List<Ordering> order,
            List<WindowScalar> calls,
            List<Field> fields)
            implements Relation {
        public Windowed {
            partition = List.copyOf(partition);
            order = List.copyOf(order);
            calls = List.copyOf(calls);
            fields = List.copyOf(fields);
        }

        /// The order in which its partitions and their rows follow each other.
        public List<Ordering> wholeOrder() {
            List<Ordering> whole = new ArrayList<>();
            partition.forEach(value -> whole.add(new Ordering(value, false, false)));
            whole.addAll(order);
            return whole;
        }
    }

    /// The rows in order.
    record Sorted(Relation input, List<Ordering> order) implements Relation {
        public Sorted {
            order = List.copyOf(order);
        }

        @Override
        public List<Field> fields() {
            return input.fields();
        }
    }

    /// Each different row once.
    record Distinct(Relation input) implements Relation {
        @Override
        public List<Field> fields() {
            return input.fields();
        }
    }

    /// Some of the rows.
    ///
    /// @param limit the most rows; null for all
    /// @param offset how many are skipped; null for none
    record Limited(Relation input, @Nullable Scalar limit, @Nullable Scalar offset)
            implements Relation {
        @Override
        public List<Field> fields() {
            return input.fields();
        }
    }

    /// The rows of two relations together, or those that the other has or has not.
    record Combined(
            Query.SetOperation.Operator operator,
            boolean isAll,
            Relation left,
            Relation right,
            List<Field> fields)
            implements Relation {
        public Combined {
            fields = List.copyOf(fields);
        }
    }

    /// The rows of the base, and those that the step makes of them, of these, and so on.
    ///
    /// @param recursion its number, which its [WorkTable] has, too
    /// @param isAll whether rows that were there already are given, and stepped from, again
    record Recursive(int recursion, boolean isAll, Relation base, Relation step, List<Field> fields)
            implements Relation {
        public Recursive {
            fields = List.copyOf(fields);
        }
    }

    /// The rows that the step of a [Recursive] goes on from.
    record WorkTable(int recursion, List<Field> fields) implements Relation {
        public WorkTable {
            fields = List.copyOf(fields);
        }
    }

    /// The same rows; the records that they come from join the transaction's write set.
    ///
    /// @param tables the base tables whose records are locked
    record Locked(Relation input, List<Base> tables) implements Relation {
        public Locked {
            tables = List.copyOf(tables);
        }

        @Override
        public List<Field> fields() {
            return input.fields();
        }
    }

    /// One part of an order.
    ///
    /// @param nullsFirst whether NULLs come before all values
    record Ordering(Scalar value, boolean isDescending, boolean nullsFirst) {}
}
