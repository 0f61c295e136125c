package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.array.VectorFunctions;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.expression.function.Functions;
import org.namdb.sql.language.type.SqlType;

/// `unnest(array, ..)`: the elements of arrays, side by side, and NULL behind the end of a shorter
/// one. A row has one element of each, then its number from 1. Functions whose value is an array of
/// their rows are such, too.
///
/// @param name of the function
public record ArrayRows(String name, List<Scalar> arrays) implements RowFunction {
    private static final String NAME = "unnest";

    public ArrayRows {
        arrays = List.copyOf(arrays);
    }

    /// A call; null if it is another function's. The arrays of the system's catalog are texts.
    static @Nullable ArrayRows of(String function, List<Scalar> arguments) {
        if (Functions.givesRows(function)) {
            return new ArrayRows(function, List.of(Functions.call(function, arguments)));
        }
        if (!function.equals(NAME) || arguments.isEmpty()) {
            return null;
        }
        List<Scalar> arrays = new ArrayList<>();
        for (Scalar argument : arguments) {
            if (argument.type().isArray()) {
                arrays.add(argument);
            } else if (argument.type().isUnknown() || argument.type().isString()) {
                arrays.add(ofCatalog(argument));
            } else {
                return null;
            }
        }
        return new ArrayRows(NAME, arrays);
    }

    /// An array of the system's catalog, which is a text there.
    static Scalar ofCatalog(Scalar text) {
        if (text.type().isVector()) {
            return VectorFunctions.array(text);
        }
        return Casts.explicit(
                Functions.call("vector_text", List.of(text)), SqlType.arrayOf(SqlType.TEXT));
    }

    @Override
    public int columns() {
        return arrays.size() + 1;
    }

    @Override
    public List<Scalar> scalars() {
        return arrays;
    }

    @Override
    public ArrayRows map(UnaryOperator<Scalar> change) {
        return new ArrayRows(name, arrays.stream().map(change).toList());
    }
}
