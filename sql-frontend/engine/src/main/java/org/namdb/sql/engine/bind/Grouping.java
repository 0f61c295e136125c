package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.operator.Logic;
import org.namdb.sql.engine.expression.operator.Operators;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// Turns expressions over rows into expressions over groups of rows, and collects the aggregates
/// that those need.
final class Grouping {
    private final BindContext context;
    private final List<Scalar> keys;

    /// The numbers of the keys of each grouping set; at most one set if all rows are grouped once.
    private final List<Set<Integer>> sets;

    /// The number of a group's grouping set.
    private final Field set;

    /// Columns that are the same in all rows of a group, though they are no keys.
    private final Set<Integer> dependent = new HashSet<>();

    private final List<Field> keyFields = new ArrayList<>();
    private final List<AggregateScalar> calls = new ArrayList<>();
    private final List<Field> callFields = new ArrayList<>();

    Grouping(BindContext context, List<Scalar> keys, List<Set<Integer>> sets) {
        this.context = context;
        this.sets = sets;
        this.set = context.field("grouping set", SqlType.INTEGER);
        this.keys = new ArrayList<>(keys);
        for (Scalar key : keys) {
            String name = key instanceof ColumnScalar column ? column.name() : key.toString();
            keyFields.add(context.field(name, key.type()));
        }
    }

    static boolean hasAggregate(Scalar scalar) {
        boolean[] found = new boolean[1];
        Rewrite.visit(scalar, part -> found[0] |= part instanceof AggregateScalar);
        return found[0];
    }

    /// Lets columns be used that depend on the keys: those of a table of which the whole primary
    /// key is among them.
    void allowDependent(List<Relation.Base> tables) {
        for (Relation.Base base : tables) {
            List<Integer> key = base.table().primaryKey();
            boolean isWhole =
                    !key.isEmpty()
                            && key.stream()
                                    .allMatch(c -> keys.contains(base.fields().get(c).scalar()));
            if (isWhole) {
                base.fields().forEach(field -> dependent.add(field.id()));
            }
        }
    }

    /// The expression over groups.
    ///
    /// @throws SqlException 42803 if it uses a column that is no key outside of an aggregate
    Scalar overGroups(Scalar scalar) {
        return Rewrite.replace(scalar, this::exchange);
    }

    /// The groups, with all aggregates that are needed.
    Relation relation(Relation input) {
        List<Field> fields = new ArrayList<>(keyFields);
        if (sets.size() > 1) {
            fields.add(set);
        }
        fields.addAll(callFields);
        return sets.size() > 1
                ? bySets(input, fields)
                : new Relation.Grouped(input, keys, calls, fields, List.of());
    }

    /// Each row comes once for each set, with the set's number, and NULL for the keys that the set
    /// does not take.
    private Relation bySets(Relation input, List<Field> fields) {
        Field number = context.field("grouping set", SqlType.INTEGER);
        List<List<Scalar>> rows = new ArrayList<>();
        List<Long> whenEmpty = new ArrayList<>();
        for (int i = 0; i < sets.size(); i++) {
            rows.add(List.of(number(i)));
            if (sets.get(i).isEmpty()) {
                whenEmpty.add((long) i);
            }
        }
        Relation expanded =
                new Relation.Lateral(
                        JoinKind.INNER,
                        input,
                        new Relation.Rows(rows, List.of(number)),
                        List.of(),
                        null);
        List<Scalar> taken = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            Scalar key = keys.get(i);
            List<Scalar> without = without(i);
            taken.add(
                    without.isEmpty()
                            ? key
                            : Logic.caseWhen(
                                    List.of(Logic.inList(number.scalar(), without, false)),
                                    List.of(new ConstantScalar(null, key.type())),
                                    key));
        }
        taken.add(number.scalar());
        return new Relation.Grouped(expanded, taken, calls, fields, whenEmpty);
    }

    /// The numbers of the sets that don't take a key.
    private List<Scalar> without(int key) {
        List<Scalar> numbers = new ArrayList<>();
        for (int i = 0; i < sets.size(); i++) {
            if (!sets.get(i).contains(key)) {
                numbers.add(number(i));
            }
        }
        return numbers;
    }

    private static Scalar number(int value) {
        return new ConstantScalar((long) value, SqlType.INTEGER);
    }

    /// A value for each set.
    private Scalar grouping(GroupingScalar call) {
        List<Integer> places = new ArrayList<>();
        for (Scalar argument : call.operands()) {
            int place = keys.indexOf(argument);
            if (place < 0) {
                throw new SqlException(
                        SqlState.GROUPING_ERROR,
                        "arguments to GROUPING must be grouping expressions of the associated query level");
            }
            places.add(place);
        }
        List<Scalar> conditions = new ArrayList<>();
        List<Scalar> results = new ArrayList<>();
        for (int i = 0; i < sets.size(); i++) {
            int bits = 0;
            for (int place : places) {
                bits = bits << 1 | (sets.get(i).contains(place) ? 0 : 1);
            }
            conditions.add(Operators.binary("=", set.scalar(), number(i)));
            results.add(number(bits));
        }
        return sets.size() > 1 ? Logic.caseWhen(conditions, results, null) : number(0);
    }

    private @Nullable Scalar exchange(Scalar part) {
        int key = keys.indexOf(part);
        if (key >= 0) {
            return keyFields.get(key).scalar();
        }
        if (part instanceof GroupingScalar call) {
            return grouping(call);
        }
        if (part instanceof AggregateScalar call) {
            int place = calls.indexOf(call);
            if (place < 0) {
                place = calls.size();
                calls.add(call);
                callFields.add(context.field(call.toString(), call.type()));
            }
            return callFields.get(place).scalar();
        }
        if (part instanceof ColumnScalar column && dependent.contains(column.index())) {
            Field field = context.field(column.name(), column.type());
            keys.add(column);
            keyFields.add(field);
            return field.scalar();
        }
        if (part instanceof ColumnScalar column) {
            throw new SqlException(
                    SqlState.GROUPING_ERROR,
                    "column \""
                            + column.name()
                            + "\" must appear in the GROUP BY clause or be used in an aggregate function",
                    context.placeOf(column));
        }
        return null;
    }
}
