package org.namdb.sql.engine;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// What two tables hold, in memory, as a model of the database: parents with a unique code and a
/// condition, and children that refer to them, are deleted with them, and are unique among their
/// siblings. Immutable tables; a statement makes new ones.
///
/// @param parents by id
/// @param children by id
record ChangeModel(Map<Integer, Parent> parents, Map<Integer, Child> children) {
    static final String SCHEMA =
            """
            CREATE TABLE parent (id INT PRIMARY KEY, code INT UNIQUE, v INT NOT NULL CHECK (v >= 0));
            CREATE TABLE child (id INT PRIMARY KEY,
                parent INT REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE, n INT, UNIQUE (parent, n))
            """;

    record Parent(@Nullable Integer code, int v) {}

    record Child(@Nullable Integer parent, @Nullable Integer n) {}

    /// The outcome of a statement.
    ///
    /// @param after the tables after it, if it is allowed
    /// @param count how many rows it reports as changed
    /// @param states the SQLSTATEs of what forbids it; empty if nothing does
    record Outcome(ChangeModel after, int count, Set<String> states) {}

    ChangeModel() {
        this(new TreeMap<>(), new TreeMap<>());
    }

    ChangeModel {
        parents = new TreeMap<>(parents);
        children = new TreeMap<>(children);
    }

    /// A statement that leaves the tables so.
    private Outcome outcome(
            Map<Integer, Parent> newParents, Map<Integer, Child> newChildren, int count) {
        Set<String> states = new TreeSet<>();
        Set<Integer> codes = new HashSet<>();
        for (Parent parent : newParents.values()) {
            if (parent.v < 0) {
                states.add("23514");
            }
            if (parent.code != null && !codes.add(parent.code)) {
                states.add("23505");
            }
        }
        Set<Child> whole = new HashSet<>();
        for (Child child : newChildren.values()) {
            if (child.parent != null && child.n != null && !whole.add(child)) {
                states.add("23505");
            }
            if (child.parent != null && !newParents.containsKey(child.parent)) {
                states.add("23503");
            }
        }
        return new Outcome(new ChangeModel(newParents, newChildren), count, states);
    }

    private static Outcome with(Outcome outcome, String state) {
        Set<String> states = new TreeSet<>(outcome.states);
        states.add(state);
        return new Outcome(outcome.after, outcome.count, states);
    }

    /// INSERT of parents; those of one id are refused.
    Outcome insertParents(Map<Integer, Parent> rows) {
        Map<Integer, Parent> next = new TreeMap<>(parents);
        next.putAll(rows);
        Outcome outcome = outcome(next, children, rows.size());
        boolean isDouble = rows.keySet().stream().anyMatch(parents::containsKey);
        return isDouble ? with(outcome, "23505") : outcome;
    }

    /// INSERT .. ON CONFLICT DO NOTHING.
    Outcome insertUnlessThere(int id, Parent row) {
        boolean isCode =
                row.code != null
                        && parents.values().stream().anyMatch(p -> row.code.equals(p.code));
        if (parents.containsKey(id) || isCode) {
            Outcome none = outcome(parents, children, 0);
            return row.v < 0 ? with(none, "23514") : none;
        }
        return insertParents(Map.of(id, row));
    }

    /// INSERT .. ON CONFLICT (id) DO UPDATE SET v = parent.v + excluded.v, code = excluded.code.
    Outcome upsert(int id, Parent row) {
        Parent old = parents.get(id);
        if (old == null) {
            return insertParents(Map.of(id, row));
        }
        Map<Integer, Parent> next = new TreeMap<>(parents);
        next.put(id, new Parent(row.code, old.v + row.v));
        Outcome outcome = outcome(next, children, 1);
        return row.v < 0 ? with(outcome, "23514") : outcome;
    }

    /// UPDATE of parents that keep their ids.
    Outcome updateParents(IntPredicate ids, UnaryOperator<Parent> change) {
        Map<Integer, Parent> next = new TreeMap<>();
        int count = 0;
        for (Map.Entry<Integer, Parent> row : parents.entrySet()) {
            boolean isMeant = ids.test(row.getKey());
            next.put(row.getKey(), isMeant ? change.apply(row.getValue()) : row.getValue());
            count += isMeant ? 1 : 0;
        }
        return outcome(next, children, count);
    }

    /// UPDATE parent SET id = id + by; children follow.
    Outcome moveParents(IntPredicate ids, int by) {
        Map<Integer, Parent> next = new TreeMap<>();
        boolean isDouble = false;
        int count = 0;
        for (Map.Entry<Integer, Parent> row : parents.entrySet()) {
            boolean isMeant = ids.test(row.getKey());
            isDouble |= next.put(row.getKey() + (isMeant ? by : 0), row.getValue()) != null;
            count += isMeant ? 1 : 0;
        }
        Map<Integer, Child> following = new TreeMap<>(children);
        following.replaceAll((id, child) ->
                child.parent != null && ids.test(child.parent) && parents.containsKey(child.parent)
                        ? new Child(child.parent + by, child.n)
                        : child);
        Outcome outcome = outcome(next, following, count);
        return isDouble ? with(outcome, "23505") : outcome;
    }

    /// DELETE of parents, and with them of their children.
    Outcome deleteParents(IntPredicate ids) {
        Map<Integer, Parent> next = new TreeMap<>(parents);
        next.keySet().removeIf(ids::test);
        Map<Integer, Child> left = new TreeMap<>(children);
        left.values()
                .removeIf(
                        c -> c.parent != null && ids.test(c.parent) && !next.containsKey(c.parent));
        return outcome(next, left, parents.size() - next.size());
    }

    /// INSERT of a child.
    Outcome insertChild(int id, Child child) {
        Map<Integer, Child> next = new TreeMap<>(children);
        boolean isDouble = next.put(id, child) != null;
        Outcome outcome = outcome(parents, next, 1);
        return isDouble ? with(outcome, "23505") : outcome;
    }

    /// UPDATE of children that keep their ids.
    Outcome updateChildren(IntPredicate ids, UnaryOperator<Child> change) {
        Map<Integer, Child> next = new TreeMap<>();
        int count = 0;
        for (Map.Entry<Integer, Child> row : children.entrySet()) {
            boolean isMeant = ids.test(row.getKey());
            next.put(row.getKey(), isMeant ? change.apply(row.getValue()) : row.getValue());
            count += isMeant ? 1 : 0;
        }
        return outcome(parents, next, count);
    }

    /// DELETE of children.
    Outcome deleteChildren(IntPredicate ids) {
        Map<Integer, Child> left = new TreeMap<>(children);
        left.keySet().removeIf(ids::test);
        return outcome(parents, left, children.size() - left.size());
    }
}
