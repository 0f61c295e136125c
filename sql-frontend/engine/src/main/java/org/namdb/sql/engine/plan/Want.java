package org.namdb.sql.engine.plan;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.namdb.sql.engine.bind.Field;
import org.namdb.sql.engine.bind.Relation;
import org.namdb.sql.engine.expression.Scalar;

/// What the operators above a relation need of it.
///
/// @param conditions its rows must meet them; on its fields
/// @param fields the columns that are needed, in the order in which they are liked best
/// @param order the order that would spare a sort; empty for none
/// @param limit how many rows will be taken at most, as far as that is known
record Want(
        List<Scalar> conditions, Set<Integer> fields, List<Relation.Ordering> order, double limit) {

    /// All of these fields, in any order.
    static Want all(List<Field> fields) {
        Set<Integer> ids = new LinkedHashSet<>();
        fields.forEach(field -> ids.add(field.id()));
        return new Want(List.of(), ids, List.of(), Double.POSITIVE_INFINITY);
    }

    /// The fields that some expressions use, in any order.
    static Want uses(List<Scalar> scalars) {
        Set<Integer> ids = new LinkedHashSet<>();
        scalars.forEach(scalar -> Uses.collect(scalar, ids));
        return new Want(List.of(), ids, List.of(), Double.POSITIVE_INFINITY);
    }

    /// More conditions.
    Want where(List<Scalar> more) {
        List<Scalar> all = new ArrayList<>(conditions);
        all.addAll(more);
        return new Want(all, fields, order, limit);
    }

    /// Other conditions.
    Want onlyWhere(List<Scalar> other) {
        return new Want(other, fields, order, limit);
    }

    /// The fields that some expressions use, too.
    Want with(List<Scalar> users) {
        Set<Integer> ids = new LinkedHashSet<>(fields);
        users.forEach(scalar -> Uses.collect(scalar, ids));
        return new Want(conditions, ids, order, limit);
    }

    /// The same in an order.
    Want ordered(List<Relation.Ordering> newOrder, double newLimit) {
        return new Want(conditions, fields, newOrder, newLimit);
    }

    /// The same in any order.
    Want unordered() {
        return new Want(conditions, fields, List.of(), Double.POSITIVE_INFINITY);
    }
}
