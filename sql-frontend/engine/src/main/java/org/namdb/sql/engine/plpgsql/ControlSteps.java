package org.namdb.sql.engine.plpgsql;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlArray;
import org.namdb.sql.language.type.SqlType;

/// The steps that run other steps, or go elsewhere.
final class ControlSteps {
    private ControlSteps() {}

    /// A variable, as a block sets it when it begins.
    ///
    /// @param value null for NULL
    record Initial(int line, Variable variable, @Nullable SqlValue value) {}

    /// What is done after an error.
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Handler(ErrorConditions conditions, Step[] body) {}

    /// A block.
    static final class Block extends Step {
        private final Label label;
        private final List<Initial> initials;
        private final Step[] body;
        private final List<Handler> handlers;
        private final int stateSlot;

        /// @param stateSlot where SQLSTATE is, and SQLERRM behind it
        Block(
                int line,
                Label label,
                List<Initial> initials,
                Step[] body,
                List<Handler> handlers,
                int stateSlot) {
            super(line, "statement block");
            this.label = label;
            this.initials = List.copyOf(initials);
            this.body = body;
            this.handlers = List.copyOf(handlers);
            this.stateSlot = stateSlot;
        }

        @Override
        End run(Activation a) {
            for (Initial initial : initials) {
                a.current = new Initialization(initial.line);
                initialize(initial, a);
            }
            a.current = this;
            End end = handlers.isEmpty() ? runAll(body, a) : runGuarded(a);
            if (end == End.EXIT && label.isSame(a.target)) {
                return End.NEXT;
            }
            return end;
        }

        private static void initialize(Initial initial, Activation a) {
            Variable variable = initial.variable;
            SqlValue value = initial.value;
            if (variable.isRecord()) {
                RowShape shape = variable.shape();
                a.slots[variable.slot()] = shape == null ? null : RecordValue.empty(shape);
                if (value != null) {
                    Variable source = value.record();
                    if (source == null) {
                        throw new SqlException(
                                SqlState.DATATYPE_MISMATCH,
                                "cannot assign non-composite value to a record variable");
                    }
                    a.slots[variable.slot()] = a.slots[source.slot()];
                }
                return;
            }
            Object first = value == null ? null : value.evaluate(a);
            if (first == null && variable.isNotNull()) {
                throw new SqlException(
                        SqlState.NULL_VALUE_NOT_ALLOWED,
                        "null value cannot be assigned to variable \""
                                + variable.name()
                                + "\" declared NOT NULL");
            }
            a.slots[variable.slot()] = first;
        }

        /// What errors in a declaration say.
        private static final class Initialization extends Step {
            Initialization(int line) {
                super(line, "");
            }

            @Override
            String place() {
                return "during statement block local variable initialization";
            }

            @Override
            End run(Activation a) {
                return End.NEXT;
            }
        }

        private End runGuarded(Activation a) {
            RoutineContext.Savepoint savepoint = a.context.savepoint();
            try {
                End end = runAll(body, a);
                a.context.release(savepoint);
                return end;
            } catch (RuntimeException e) {
                SqlException error = a.located(e);
                Handler handler = handler(error);
                if (handler == null) {
                    throw error;
                }
                a.context.rollbackTo(savepoint);
                return handle(handler, error, a);
            }
        }

        private @Nullable Handler handler(SqlException error) {
            for (Handler each : handlers) {
                if (each.conditions.match(error)) {
                    return each;
                }
            }
            return null;
        }

        private End handle(Handler handler, SqlException error, Activation a) {
            SqlException outer = a.handled;
            a.handled = error;
            a.current = this;
            a.slots[stateSlot] = error.code();
            a.slots[stateSlot + 1] = error.getMessage();
            try {
                return runAll(handler.body, a);
            } finally {
                a.handled = outer;
            }
        }

        @Override
        List<Step> inner() {
            List<Step> inner = new ArrayList<>(List.of(body));
            handlers.forEach(each -> inner.addAll(List.of(each.body)));
            return inner;
        }
    }

    /// A condition, and what is done if it holds.
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Branch(SqlValue condition, Step[] body) {}

    /// IF, or a CASE without an operand.
    static final class If extends Step {
        private final List<Branch> branches;

        /// Null if one of the branches must be taken.
        private final Step @Nullable [] otherwise;

        If(int line, String kind, List<Branch> branches, Step @Nullable [] otherwise) {
            super(line, kind);
            this.branches = List.copyOf(branches);
            this.otherwise = otherwise;
        }

        @Override
        End run(Activation a) {
            for (Branch branch : branches) {
                if (branch.condition.isTrue(a)) {
                    return runAll(branch.body, a);
                }
            }
            return runAll(otherwise(otherwise), a);
        }

        @Override
        List<Step> inner() {
            return innerOf(branches, otherwise);
        }
    }

    private static Step[] otherwise(Step @Nullable [] otherwise) {
        if (otherwise == null) {
            throw new SqlException(SqlState.CASE_NOT_FOUND, "case not found")
                    .withHint("CASE statement is missing ELSE part.");
        }
        return otherwise;
    }

    private static List<Step> innerOf(List<Branch> branches, Step @Nullable [] otherwise) {
        List<Step> inner = new ArrayList<>();
        branches.forEach(each -> inner.addAll(List.of(each.body)));
        if (otherwise != null) {
            inner.addAll(List.of(otherwise));
        }
        return inner;
    }

    /// CASE with an operand: each branch's condition compares the variable that the operand is put
    /// into.
    static final class Case extends Step {
        private final SqlValue operand;
        private final Variable variable;
        private final List<Branch> branches;
        private final Step @Nullable [] otherwise;

        Case(
                int line,
                SqlValue operand,
                Variable variable,
                List<Branch> branches,
                Step @Nullable [] otherwise) {
            super(line, "CASE");
            this.operand = operand;
            this.variable = variable;
            this.branches = List.copyOf(branches);
            this.otherwise = otherwise;
        }

        @Override
        End run(Activation a) {
            SqlType type = operand.type(a);
            RowShape shape = new RowShape(List.of(variable.name()), List.of(type));
            @Nullable Object[] value = {operand.evaluate(a)};
            a.slots[variable.slot()] = new RecordValue(shape, value);
            for (Branch branch : branches) {
                if (branch.condition.isTrue(a)) {
                    return runAll(branch.body, a);
                }
            }
            return runAll(otherwise(otherwise), a);
        }

        @Override
        List<Step> inner() {
            return innerOf(branches, otherwise);
        }
    }

    /// A step that repeats others.
    abstract static class Looping extends Step {
        private final Label label;
        final Step[] body;

        Looping(int line, String kind, Label label, Step[] body) {
            super(line, kind);
            this.label = label;
            this.body = body;
        }

        /// Runs the body once.
        ///
        /// @return null if the loop goes on; how it ends otherwise
        final @Nullable End once(Activation a) {
            a.transaction.checkCancelled();
            End end = runAll(body, a);
            a.current = this;
            return switch (end) {
                case NEXT -> null;
                case RETURN -> end;
                case EXIT -> label.isSame(a.target) ? End.NEXT : end;
                case CONTINUE -> label.isSame(a.target) ? null : end;
            };
        }

        @Override
        List<Step> inner() {
            return List.of(body);
        }
    }

    /// LOOP and WHILE.
    static final class Loop extends Looping {
        private final @Nullable SqlValue condition;

        Loop(int line, Label label, @Nullable SqlValue condition, Step[] body) {
            super(line, condition == null ? "LOOP" : "WHILE", label, body);
            this.condition = condition;
        }

        @Override
        End run(Activation a) {
            while (condition == null || condition.isTrue(a)) {
                End end = once(a);
                if (end != null) {
                    return end;
                }
            }
            return End.NEXT;
        }
    }

    /// FOR over integers.
    static final class ForRange extends Looping {
        private final Variable variable;
        private final boolean isReverse;
        private final SqlValue from;
        private final SqlValue to;
        private final @Nullable SqlValue step;

        ForRange(
                int line,
                Label label,
                Variable variable,
                boolean isReverse,
                SqlValue from,
                SqlValue to,
                @Nullable SqlValue step,
                Step[] body) {
            super(line, "FOR with integer loop variable", label, body);
            this.variable = variable;
            this.isReverse = isReverse;
            this.from = from;
            this.to = to;
            this.step = step;
        }

        @Override
        End run(Activation a) {
            long first = bound(from, "lower bound", a);
            long last = bound(to, "upper bound", a);
            long by = step == null ? 1 : bound(step, "BY value", a);
            if (by <= 0) {
                throw new SqlException(
                        SqlState.INVALID_PARAMETER_VALUE,
                        "BY value of FOR loop must be greater than zero");
            }
            boolean isFound = false;
            End end = null;
            for (long i = first; end == null && (isReverse ? i >= last : i <= last); ) {
                isFound = true;
                a.slots[variable.slot()] = i;
                end = once(a);
                i += isReverse ? -by : by;
            }
            a.setFound(isFound);
            return end == null ? End.NEXT : end;
        }

        private static long bound(SqlValue value, String name, Activation a) {
            Object bound = value.evaluate(a);
            if (bound == null) {
                throw new SqlException(
                        SqlState.NULL_VALUE_NOT_ALLOWED, name + " of FOR loop cannot be null");
            }
            return (Long) bound;
        }
    }

    /// FOREACH over the elements of an array.
    static final class ForEach extends Looping {
        private final Destination to;
        private final SqlValue array;

        ForEach(int line, Label label, Destination to, SqlValue array, Step[] body) {
            super(line, "FOREACH over array", label, body);
            this.to = to;
            this.array = array;
        }

        @Override
        End run(Activation a) {
            SqlType type = array.type(a);
            Object value = array.evaluate(a);
            if (value == null) {
                throw new SqlException(
                        SqlState.NULL_VALUE_NOT_ALLOWED, "FOREACH expression must not be null");
            }
            if (!(value instanceof SqlArray elements)) {
                throw new SqlException(
                        SqlState.DATATYPE_MISMATCH,
                        "FOREACH expression must yield an array, not type " + type.name());
            }
            End end = null;
            for (Object element : elements.values()) {
                to.set(element, type.element(), a);
                end = once(a);
                if (end != null) {
                    break;
                }
            }
            a.setFound(!elements.values().isEmpty());
            return end == null ? End.NEXT : end;
        }
    }

    /// EXIT and CONTINUE.
    static final class Exit extends Step {
        private final boolean isContinue;
        private final Label target;
        private final @Nullable SqlValue condition;

        Exit(int line, boolean isContinue, Label target, @Nullable SqlValue condition) {
            super(line, isContinue ? "CONTINUE" : "EXIT");
            this.isContinue = isContinue;
            this.target = target;
            this.condition = condition;
        }

        @Override
        End run(Activation a) {
            if (condition != null && !condition.isTrue(a)) {
                return End.NEXT;
            }
            a.target = target;
            return isContinue ? End.CONTINUE : End.EXIT;
        }
    }

    /// An assignment.
    static final class Assign extends Step {
        private final Destination to;
        private final SqlValue value;

        Assign(int line, Destination to, SqlValue value) {
            super(line, "assignment");
            this.to = to;
            this.value = value;
        }

        @Override
        End run(Activation a) {
            Variable record = to.record();
            if (record != null) {
                Variable source = value.record();
                if (source == null) {
                    throw new SqlException(
                            SqlState.DATATYPE_MISMATCH,
                            "cannot assign non-composite value to a record variable");
                }
                RecordValue row = (RecordValue) a.slots[source.slot()];
                if (row == null) {
                    a.slots[record.slot()] = null;
                } else {
                    to.setRow(row.shape(), row.values(), a);
                }
            } else if (to.type() != null) {
                to.setFitting(value.evaluate(a), a);
            } else {
                SqlType type = value.type(a);
                to.set(value.evaluate(a), type, a);
            }
            return End.NEXT;
        }
    }

    /// RETURN of one value, one row, or nothing.
    static final class Return extends Step {
        private final @Nullable SqlValue value;
        private final RoutineResult result;

        Return(int line, @Nullable SqlValue value, RoutineResult result) {
            super(line, "RETURN");
            this.value = value;
            this.result = result;
        }

        @Override
        End run(Activation a) {
            if (!result.isSet()) {
                a.result = value == null ? result.ofVariables(a) : result.row(value, a);
            }
            return End.RETURN;
        }
    }

    /// RETURN NEXT.
    static final class ReturnNext extends Step {
        private final @Nullable SqlValue value;
        private final RoutineResult result;

        ReturnNext(int line, @Nullable SqlValue value, RoutineResult result) {
            super(line, "RETURN NEXT");
            this.value = value;
            this.result = result;
        }

        @Override
        End run(Activation a) {
            a.add(
                    Objects.requireNonNull(
                            value == null ? result.ofVariables(a) : result.row(value, a)));
            return End.NEXT;
        }
    }

    /// NULL.
    static final class Nothing extends Step {
        Nothing(int line) {
            super(line, "NULL");
        }

        @Override
        End run(Activation a) {
            return End.NEXT;
        }
    }

    /// COMMIT and ROLLBACK: a call is one transaction, which may be run again.
    static final class EndTransaction extends Step {
        EndTransaction(int line, boolean isCommit) {
            super(line, isCommit ? "COMMIT" : "ROLLBACK");
        }

        @Override
        End run(Activation a) {
            throw new SqlException(
                            SqlState.TRANSACTION_TERMINATION, "invalid transaction termination")
                    .withHint("A call is one transaction, or a part of its caller's.");
        }
    }
}
