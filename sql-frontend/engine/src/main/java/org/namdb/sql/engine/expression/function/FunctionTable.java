package org.namdb.sql.engine.expression.function;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.SqlType.Kind;

/// The functions by name, and the choice between those of one name.
final class FunctionTable {
    private static final int IMPOSSIBLE = Integer.MAX_VALUE;

    /// The function with the most exact matches is taken, whatever the others are.
    private static final int NOT_EXACT = 1000;

    private final Map<String, List<FunctionSignature>> byName = new HashMap<>();

    /// The names of all functions.
    Set<String> names() {
        return byName.keySet();
    }

    /// Adds an immutable function.
    void add(
            String name,
            SqlType result,
            Function<Object[], @Nullable Object> body,
            SqlType... parameters) {
        add(name, result, Volatility.IMMUTABLE, (_, a) -> body.apply(a), parameters);
    }

    void add(
            String name,
            SqlType result,
            Volatility volatility,
            FunctionBody body,
            SqlType... parameters) {
        byName.computeIfAbsent(name, _ -> new ArrayList<>())
                .add(new FunctionSignature(name, result, List.of(parameters), volatility, body));
    }

    /// The function that takes such arguments with the least conversion; null if there is none. Of
    /// equals the first that was added.
    @Nullable FunctionSignature find(String name, List<SqlType> arguments) {
        FunctionSignature best = null;
        int least = IMPOSSIBLE;
        for (FunctionSignature signature : byName.getOrDefault(name, List.of())) {
            int cost = cost(signature.parameters(), arguments);
            if (cost < least) {
                best = signature;
                least = cost;
            }
        }
        return best;
    }

    private static int cost(List<SqlType> parameters, List<SqlType> arguments) {
        if (parameters.size() != arguments.size()) {
            return IMPOSSIBLE;
        }
        int sum = 0;
        for (int i = 0; i < parameters.size(); i++) {
            int cost = cost(parameters.get(i), arguments.get(i));
            if (cost == IMPOSSIBLE) {
                return IMPOSSIBLE;
            }
            sum += cost;
        }
        return sum;
    }

    /// Of numbers, DOUBLE PRECISION is preferred to all that are not exact; of dates and times,
    /// TIMESTAMP WITH TIME ZONE; of literals without a type, strings.
    private static int cost(SqlType parameter, SqlType argument) {
        if (parameter.kind() == argument.kind()) {
            return 0;
        }
        if (argument.isUnknown()) {
            return switch (parameter.kind()) {
                case TEXT -> NOT_EXACT + 1;
                case DOUBLE, TIMESTAMP, TIMESTAMPTZ, INTERVAL -> NOT_EXACT + 2;
                default -> NOT_EXACT + 3;
            };
        }
        if (!Casts.isImplicit(argument, parameter)) {
            return IMPOSSIBLE;
        }
        boolean isPreferred =
                parameter.kind() == Kind.DOUBLE || parameter.kind() == Kind.TIMESTAMPTZ;
        if (isPreferred || parameter.isString()) {
            return NOT_EXACT + 1;
        }
        return NOT_EXACT + 2 + Math.abs(parameter.kind().compareTo(argument.kind()));
    }
}
