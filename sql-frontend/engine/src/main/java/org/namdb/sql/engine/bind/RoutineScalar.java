package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.Routine;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.ParameterTypes;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.expression.function.Functions;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.SqlParser;
import org.namdb.sql.language.type.SqlType;

/// A call of a function that users have made. The session runs it, in the statement's transaction.
public final class RoutineScalar extends Scalar {
    private final Routine routine;
    private final List<Scalar> arguments;

    private RoutineScalar(Routine routine, SqlType type, List<Scalar> arguments) {
        super(type);
        this.routine = routine;
        this.arguments = List.copyOf(arguments);
    }

    /// A call of a function: one of the database's own, or one that users have made.
    ///
    /// @throws SqlException 42883 if there is none for these arguments
    static Scalar orBuiltin(Name function, List<Scalar> arguments, BindContext context) {
        String name = function.text();
        Scalar system = SystemFunctions.call(name, arguments, context);
        if (system != null) {
            return system;
        }
        if (Functions.isFunction(name)) {
            return Functions.call(name, arguments);
        }
        Routine routine = context.routine(name);
        if (routine == null) {
            Routine java = context.javaProcedure(name);
            if (java == null) {
                return Functions.call(name, arguments);
            }
            throw new SqlException(
                            SqlState.WRONG_OBJECT_TYPE,
                            java.signature() + " is a procedure in Java",
                            function.position())
                    .withHint(
                            "To call it, use CALL %1$s(..), or SELECT * FROM %1$s(..) by itself."
                                    .formatted(name));
        }
        List<Scalar> given = arguments(routine, arguments, function);
        if (routine.isProcedure()) {
            throw new SqlException(
                            SqlState.WRONG_OBJECT_TYPE,
                            routine.signature() + " is a procedure",
                            function.position())
                    .withHint("To call a procedure, use CALL.");
        }
        if (routine.isSet()) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "set-returning functions are supported in FROM only",
                    function.position());
        }
        return new RoutineScalar(routine, type(routine), given);
    }

    /// The type of its values: a row is shown as a text.
    private static SqlType type(Routine routine) {
        boolean isSingle = routine.rowTable() == null && routine.columns().size() == 1;
        return isSingle ? routine.columns().getFirst().type() : SqlType.TEXT;
    }

    /// The arguments of a call as the routine's parameters take them, with defaults.
    ///
    /// @throws SqlException 42883 if the routine can't be called by them
    public static List<Scalar> arguments(Routine routine, List<Scalar> given, Name called) {
        List<Routine.Parameter> parameters =
                routine.isProcedure() ? routine.parameters() : routine.inputs();
        if (given.size() > parameters.size()) {
            throw mismatch(routine, given, called);
        }
        List<Scalar> arguments = new ArrayList<>();
        for (int i = 0; i < parameters.size(); i++) {
            Routine.Parameter parameter = parameters.get(i);
            String text = parameter.defaultText();
            if (i < given.size()) {
                if (!Casts.isImplicit(given.get(i).type(), parameter.type())) {
                    throw mismatch(routine, given, called);
                }
                arguments.add(Casts.implicit(given.get(i), parameter.type()));
            } else if (text != null) {
                arguments.add(defaultValue(text, parameter));
            } else {
                throw mismatch(routine, given, called);
            }
        }
        return arguments;
    }

    /// A DEFAULT of a parameter.
    public static Scalar defaultValue(String text, Routine.Parameter parameter) {
        BindContext none = new BindContext(_ -> null, new ParameterTypes());
        Scalar value =
                new ExpressionBinder(none).bind(SqlParser.parseExpression(text), Scope.EMPTY);
        return Casts.assignment(value, parameter.type(), String.valueOf(parameter.name()));
    }

    private static SqlException mismatch(Routine routine, List<Scalar> given, Name called) {
        String types =
                given.stream().map(each -> each.type().name()).collect(Collectors.joining(", "));
        return new SqlException(
                        SqlState.UNDEFINED_FUNCTION,
                        "%s %s(%s) does not exist"
                                .formatted(
                                        routine.kind().name().toLowerCase(Locale.ROOT),
                                        called.text(),
                                        types),
                        called.position())
                .withHint(
                        "No "
                                + routine.kind().name().toLowerCase(Locale.ROOT)
                                + " matches the given name and argument types. You might need to"
                                + " add explicit type casts.");
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        @Nullable Object[] values = new @Nullable Object[arguments.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = arguments.get(i).evaluate(frame);
            if (values[i] == null && routine.isStrict()) {
                return null;
            }
        }
        return frame.environment().session().call(routine.name(), values);
    }

    @Override
    public List<Scalar> operands() {
        return arguments;
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new RoutineScalar(routine, type(), newOperands);
    }

    /// Never computed ahead: what it reads may change.
    @Override
    public Volatility volatility() {
        return routine.volatility().equals("volatile") ? Volatility.VOLATILE : Volatility.STABLE;
    }

    @Override
    protected @Nullable Object traits() {
        return volatility() == Volatility.VOLATILE ? null : routine.name();
    }

    @Override
    public String toString() {
        return arguments.stream()
                .map(Scalar::toString)
                .collect(Collectors.joining(", ", routine.name() + "(", ")"));
    }
}
