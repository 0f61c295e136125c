package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Turns expressions over rows into expressions over groups of rows, and collects the aggregates
/// that those need.
final class Grouping {
    private final BindContext context;
    private final List<Scalar> keys;

    /// Columns that are the same in all rows of a group, though they are no keys.
    private final Set<Integer> dependent = new HashSet<>();

    private final List<Field> keyFields = new ArrayList<>();
    private final List<AggregateScalar> calls = new ArrayList<>();
    private final List<Field> callFields = new ArrayList<>();

    Grouping(BindContext context, List<Scalar> keys) {
        this.context = context;
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
        fields.addAll(callFields);
        return new Relation.Grouped(input, keys, calls, fields);
    }

    private @Nullable Scalar exchange(Scalar part) {
        int key = keys.indexOf(part);
        if (key >= 0) {
            return keyFields.get(key).scalar();
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
