package org.namdb.sql.engine.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.Conditions;
import org.namdb.sql.engine.bind.Relation;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.Scalar;

/// Chooses how one table's rows are reached, by rules: the whole primary key first, then unique
/// indexes, neighbours, hashed and ordered indexes, by what each is expected to cost; a scan when
/// nothing else serves.
final class AccessChooser {
    /// No more keys are made of the values of several IN lists.
    private static final int MAX_KEYS = 1 << 14;

    private final Relation.Base base;
    private final SqlTable table;
    private final List<Scalar> conditions;
    private final Want want;
    private final Estimates estimates;
    private final Map<Integer, Restriction.Equal> equal = new HashMap<>();
    private final Map<Integer, Restriction.Low> low = new HashMap<>();
    private final Map<Integer, Restriction.High> high = new HashMap<>();
    private final Map<Integer, Restriction.Start> start = new HashMap<>();
    private final Map<Integer, Restriction.Present> present = new HashMap<>();
    private final List<List<List<Scalar>>> keyAlternatives = new ArrayList<>();
    private final List<Choice> choices = new ArrayList<>();

    /// A way to the rows.
    ///
    /// @param rows how many it finds for one set of outer values, before what is left of the
    ///     conditions is checked
    /// @param cost what that costs
    /// @param isOrdered whether they come in the order that was wanted
    /// @param met the conditions that need not be checked any more
    /// @param indexed numbers of columns that the index needs read
    record Choice(
            AccessPath path,
            double rows,
            double cost,
            boolean isOrdered,
            Set<Scalar> met,
            List<Integer> indexed) {}

    /// @param conditions on the table's fields, and on those that are given
    /// @param isGiven whether an expression has its value before the table is read
    AccessChooser(
            Relation.Base base,
            List<Scalar> conditions,
            Predicate<Scalar> isGiven,
            Want want,
            Estimates estimates) {
        this.base = base;
        this.table = base.table();
        this.conditions = conditions;
        this.want = want;
        this.estimates = estimates;
        for (Scalar condition : conditions) {
            for (Restriction restriction : Restrictions.of(condition, isGiven)) {
                add(restriction);
            }
            addAlternatives(condition, isGiven);
        }
    }

    /// The cheapest way, a scan included.
    Choice choose() {
        Choice byKey = best();
        Choice scan = scan();
        return byKey == null || scan.cost() < byKey.cost() ? scan : byKey;
    }

    /// The cheapest way that is no scan; null if there is none.
    @Nullable Choice best() {
        addPrimaryKey();
        addNeighbours();
        if (table.keyOrder() != null) {
            addRange(table.keyOrder(), prefix(table.primaryKey()));
        }
        for (SqlIndex index : table.indexes()) {
            addIndex(index);
        }
        Choice best = null;
        for (Choice choice : choices) {
            if (best == null || choice.cost() < best.cost()) {
                best = choice;
            }
        }
        return best;
    }

    private void add(Restriction restriction) {
        int number = number(restriction.field());
        if (number < 0) {
            return;
        }
        switch (restriction) {
            case Restriction.Equal found -> {
                Restriction.Equal known = equal.get(number);
                if (known == null || found.values().size() < known.values().size()) {
                    equal.put(number, found);
                }
            }
            case Restriction.Low found -> low.putIfAbsent(number, found);
            case Restriction.High found -> high.putIfAbsent(number, found);
            case Restriction.Start found -> start.putIfAbsent(number, found);
            case Restriction.Present found -> present.putIfAbsent(number, found);
        }
    }

    /// An OR of which every part gives a whole primary key.
    private void addAlternatives(Scalar condition, Predicate<Scalar> isGiven) {
        List<Scalar> parts = Conditions.alternatives(condition);
        if (parts.size() < 2 || parts.size() > MAX_KEYS || table.primaryKey().size() < 2) {
            return;
        }
        List<List<Scalar>> keys = new ArrayList<>();
        for (Scalar part : parts) {
            List<Scalar> key = wholeKey(part, isGiven);
            if (key == null) {
                return;
            }
            keys.add(key);
        }
        keyAlternatives.add(keys);
    }

    private @Nullable List<Scalar> wholeKey(Scalar part, Predicate<Scalar> isGiven) {
        Map<Integer, Scalar> values = new HashMap<>();
        for (Scalar term : Conditions.terms(part)) {
            for (Restriction restriction : Restrictions.of(term, isGiven)) {
                if (restriction instanceof Restriction.Equal found && found.values().size() == 1) {
                    values.putIfAbsent(number(found.field()), found.values().getFirst());
                }
            }
        }
        List<Scalar> key = new ArrayList<>();
        for (int column : table.primaryKey()) {
            Scalar value = values.get(column);
            if (value == null) {
                return null;
            }
            key.add(value);
        }
        return key;
    }

    private void addPrimaryKey() {
        List<List<Scalar>> keys = products(table.primaryKey(), table.primaryKey().size());
        if (keys != null) {
            double count = keys.size();
            double cost = Costs.ROUND_TRIP + count * Costs.READ;
            add(new AccessPath.ByKey(keys), count, cost, met(table.primaryKey()), List.of());
        }
        for (List<List<Scalar>> alternatives : keyAlternatives) {
            double count = alternatives.size();
            double cost = Costs.ROUND_TRIP + count * Costs.READ;
            add(new AccessPath.ByKey(alternatives), count, cost, noneMet(), List.of());
        }
    }

    private void addNeighbours() {
        int needed = table.definition().neighbourColumns();
        int known = prefix(table.primaryKey());
        if (known < needed || known == table.primaryKey().size()) {
            return;
        }
        List<List<Scalar>> keys = products(table.primaryKey(), known);
        if (keys == null || keys.size() != 1) {
            return;
        }
        double rows = found(table.primaryKey(), keys, Costs.ROWS_OF_VALUE);
        add(
                new AccessPath.ByNeighbours(keys.getFirst()),
                rows,
                Costs.ROUND_TRIP + Costs.READ + rows * Costs.SCANNED,
                met(table.primaryKey().subList(0, known)),
                List.of());
    }

    private void addIndex(SqlIndex index) {
        int known = prefix(index.columns());
        int columns = index.columns().size();
        if (known == columns) {
            List<List<Scalar>> keys = products(index.columns(), columns);
            if (keys != null) {
                addEquality(index, keys);
            }
        }
        if (index.isOrdered() && index.index() != null) {
            addRange(index, known);
        }
    }

    private void addEquality(SqlIndex index, List<List<Scalar>> keys) {
        if (index.uniqueTable() != null) {
            // It has no entries of rows with NULL.
            if (hasNull(keys)) {
                return;
            }
            double cost = 2 * Costs.ROUND_TRIP + 2 * keys.size() * Costs.READ;
            add(
                    new AccessPath.ByUnique(index, keys),
                    keys.size(),
                    cost,
                    met(index.columns()),
                    List.of());
        } else if (!index.isOrdered()) {
            double rows = found(index.columns(), keys, keys.size() * Costs.ROWS_OF_VALUE);
            double cost = keys.size() * 2 * Costs.ROUND_TRIP + rows * Costs.READ;
            add(
                    new AccessPath.ByHash(index, keys),
                    rows,
                    cost,
                    met(index.columns()),
                    index.columns());
        }
    }

    private void addRange(SqlIndex index, int equalColumns) {
        int known = equalColumns;
        List<List<Scalar>> prefixes = products(index.columns(), known);
        while (prefixes == null) {
            prefixes = products(index.columns(), --known);
        }
        int next = known < index.columns().size() ? index.columns().get(known) : -1;
        AccessPath.Interval interval = interval(next);
        AccessPath.Order order = prefixes.size() == 1 ? order(index, known) : AccessPath.Order.NONE;
        boolean isOrdered = order != AccessPath.Order.NONE;
        if (known == 0 && !interval.isBounded() && !isOrdered) {
            return;
        }
        Set<Scalar> met = met(index.columns().subList(0, known));
        Restriction.Present isThere = present.get(next);
        if (isThere != null) {
            met.add(isThere.condition());
        }
        Restriction.Start begins = start.get(next);
        if (begins != null && begins.isExact()) {
            met.add(begins.condition());
        }
        double rows = rangeRows(index, prefixes) * part(next, interval);
        double read = isOrdered ? Math.min(rows, want.limit()) : rows;
        double cost = 2.0 * Costs.ROUND_TRIP * prefixes.size() + read * Costs.READ;
        AccessPath.ByRange path = new AccessPath.ByRange(index, prefixes, interval, order);
        if (path.mayBeScanned()) {
            cost = Math.min(cost, scan().cost());
        }
        choices.add(new Choice(path, rows, cost, isOrdered, met, index.columns()));
    }

    /// Where the conditions want a column to lie.
    private AccessPath.Interval interval(int column) {
        Restriction.Start begins = start.get(column);
        Restriction.Low from = begins == null ? low.get(column) : null;
        Restriction.High to = begins == null ? high.get(column) : null;
        return new AccessPath.Interval(
                from == null ? null : from.value(),
                to == null ? null : to.value(),
                begins == null ? null : begins.text(),
                !isNeverNull(column));
    }

    /// Whether the conditions leave no row in which the column is NULL.
    private boolean isNeverNull(int column) {
        Restriction.Equal values = equal.get(column);
        return values != null && !hasNull(List.of(values.values()))
                || present.containsKey(column)
                || low.containsKey(column)
                || high.containsKey(column)
                || start.containsKey(column);
    }

    private double part(int column, AccessPath.Interval interval) {
        double known =
                column < 0 || !interval.isBounded()
                        ? -1
                        : estimates.between(table, column, interval);
        if (known >= 0) {
            return known;
        }
        double part = interval.start() == null ? 1 : Costs.RANGE * Costs.RANGE;
        part *= interval.low() == null ? 1 : Costs.RANGE;
        return part * (interval.high() == null ? 1 : Costs.RANGE);
    }

    private double rangeRows(SqlIndex index, List<List<Scalar>> prefixes) {
        int known = prefixes.getFirst().size();
        if (known == 0) {
            return tableRows();
        }
        boolean isOne = index.isUnique() && known == index.columns().size() && !hasNull(prefixes);
        double rows = isOne ? 1 : Costs.ROWS_OF_VALUE;
        for (int i = known; i < index.columns().size(); i++) {
            rows *= Costs.ROWS_OF_VALUE;
        }
        return isOne
                ? Math.min(tableRows(), prefixes.size())
                : found(index.columns(), prefixes, prefixes.size() * rows);
    }

    /// How many rows have values in the first of some columns.
    private double found(List<Integer> columns, List<List<Scalar>> keys, double guess) {
        double known = estimates.found(table, columns, keys);
        return known < 0 ? Math.min(tableRows(), guess) : Math.max(1, known);
    }

    private static boolean hasNull(List<List<Scalar>> keys) {
        return keys.stream().anyMatch(key -> key.stream().anyMatch(NullKey.class::isInstance));
    }

    /// How the index, behind its first columns, has the order that is wanted; NONE if it has not.
    private AccessPath.Order order(SqlIndex index, int known) {
        if (want.order().isEmpty()) {
            return AccessPath.Order.NONE;
        }
        List<Integer> constant = index.columns().subList(0, known);
        Boolean descending = null;
        int at = known;
        for (Relation.Ordering part : want.order()) {
            int column = part.value() instanceof ColumnScalar scalar ? number(scalar.index()) : -1;
            if (constant.contains(column)) {
                continue;
            }
            descending = descending == null ? (Boolean) part.isDescending() : descending;
            if (column < 0 || part.isDescending() != descending || !keepsNulls(part, column)) {
                return AccessPath.Order.NONE;
            }
            if (at == index.columns().size() || index.columns().get(at++) != column) {
                return AccessPath.Order.NONE;
            }
        }
        return Boolean.TRUE.equals(descending)
                ? AccessPath.Order.DESCENDING
                : AccessPath.Order.ASCENDING;
    }

    /// An index has NULLs behind all values.
    private boolean keepsNulls(Relation.Ordering part, int column) {
        return part.nullsFirst() == part.isDescending()
                || !table.columns().get(column).isNullable()
                || isNeverNull(column);
    }

    private Choice scan() {
        double rows = tableRows();
        double cost = Costs.ROUND_TRIP + rows * Costs.SCANNED;
        if (!want.order().isEmpty()) {
            cost += rows * Costs.SORTED;
        }
        return new Choice(new AccessPath.Scan(), rows, cost, false, noneMet(), List.of());
    }

    private void add(
            AccessPath path, double rows, double cost, Set<Scalar> met, List<Integer> indexed) {
        // The table may have more rows than are expected; of a key there is one.
        boolean isOne =
                path instanceof AccessPath.ByKey byKey && byKey.keys().size() == 1
                        || path instanceof AccessPath.ByUnique unique && unique.keys().size() == 1;
        boolean isOrdered = isOne && !want.order().isEmpty();
        choices.add(new Choice(path, rows, cost, isOrdered, met, indexed));
    }

    private int prefix(List<Integer> columns) {
        int known = 0;
        while (known < columns.size() && equal.containsKey(columns.get(known))) {
            known++;
        }
        return known;
    }

    /// The keys that the values of the first columns make; null if there are columns without, or
    /// too many keys.
    private @Nullable List<List<Scalar>> products(List<Integer> columns, int known) {
        List<List<Scalar>> keys = List.of(List.of());
        for (int i = 0; i < known; i++) {
            Restriction.Equal values = equal.get(columns.get(i));
            if (values == null || (long) keys.size() * values.values().size() > MAX_KEYS) {
                return null;
            }
            List<List<Scalar>> longer = new ArrayList<>();
            for (List<Scalar> key : keys) {
                for (Scalar value : values.values()) {
                    List<Scalar> next = new ArrayList<>(key);
                    next.add(value);
                    longer.add(next);
                }
            }
            keys = longer;
        }
        return keys;
    }

    private Set<Scalar> met(List<Integer> columns) {
        Set<Scalar> met = noneMet();
        for (int column : columns) {
            Restriction.Equal restriction = equal.get(column);
            if (restriction != null && restriction.isExact()) {
                met.add(restriction.condition());
            }
        }
        return met;
    }

    private static Set<Scalar> noneMet() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }

    /// What is left of the conditions after a choice.
    List<Scalar> left(Choice choice) {
        return conditions.stream().filter(condition -> !choice.met().contains(condition)).toList();
    }

    private double tableRows() {
        return estimates.rows(table);
    }

    /// The number of a field's column; -1 if it is not of this table.
    private int number(int field) {
        for (int i = 0; i < base.fields().size(); i++) {
            if (base.fields().get(i).id() == field) {
                return i;
            }
        }
        return -1;
    }
}
