package org.namdb.sql.engine.expression.array;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.language.type.SqlType;

/// Functions of the vectors of the system's catalog, `int2vector` and `oidvector`: arrays whose
/// elements are numbered from 0, and that have a dimension even if they are empty.
public final class VectorFunctions {
    private VectorFunctions() {}

    /// A vector as an array, whose elements are numbered from 1.
    public static Scalar array(Scalar vector) {
        return Casts.explicit(vector, vector.type().arrayOfVector());
    }

    /// `vector[index]`.
    ///
    /// @throws org.namdb.sql.language.error.SqlException 42804 if the index is no integer
    public static Scalar subscript(Scalar vector, Scalar index) {
        return ArrayFunctions.subscript(array(vector), plusOne(index));
    }

    /// `vector[lower:upper]`, as an array.
    ///
    /// @param lower null for the first element
    /// @param upper null for the last one
    public static Scalar slice(Scalar vector, @Nullable Scalar lower, @Nullable Scalar upper) {
        return ArrayFunctions.slice(
                array(vector),
                lower == null ? null : plusOne(lower),
                upper == null ? null : plusOne(upper));
    }

    private static Scalar plusOne(Scalar index) {
        return plus(Casts.implicit(index, SqlType.INTEGER), 1);
    }

    private static Scalar plus(Scalar place, long more) {
        return ArrayFunctions.of(
                "+",
                SqlType.INTEGER,
                List.of(place),
                v -> (Long) Objects.requireNonNull(v[0]) + more);
    }

    /// A call whose first argument is a vector; null if there is no such function.
    static @Nullable Scalar call(String name, List<Scalar> arguments) {
        List<Scalar> ofArray = new ArrayList<>(arguments);
        ofArray.set(0, array(arguments.getFirst()));
        return switch (name + arguments.size()) {
            case "array_ndims1" -> ArrayFunctions.of(name, SqlType.INTEGER, ofArray, _ -> 1L);
            case "array_dims1" ->
                    ArrayFunctions.of(
                            name, SqlType.TEXT, ofArray, v -> "[0:" + (size(v[0]) - 1) + "]");
            case "array_length2" -> ofDimension(name, ofArray, size -> size);
            case "array_lower2" -> ofDimension(name, ofArray, _ -> 0);
            case "array_upper2" -> ofDimension(name, ofArray, size -> size - 1);
            case "array_position2" -> {
                Scalar place = ArrayFunctions.call(name, ofArray);
                yield place == null ? null : plus(place, -1);
            }
            case "cardinality1", "array_to_string2", "array_to_string3" ->
                    ArrayFunctions.call(name, ofArray);
            default -> null;
        };
    }

    private static Scalar ofDimension(
            String name, List<Scalar> arguments, ToLongFunction<Integer> value) {
        return ArrayFunctions.of(
                name,
                SqlType.INTEGER,
                List.of(arguments.get(0), Casts.implicit(arguments.get(1), SqlType.INTEGER)),
                v -> Long.valueOf(1).equals(v[1]) ? (Object) value.applyAsLong(size(v[0])) : null);
    }

    private static int size(@Nullable Object array) {
        return ArrayFunctions.array(array).values().size();
    }
}
