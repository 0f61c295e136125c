package org.namdb.sql.engine.execute;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.namdb.mvcc.schema.Key;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.array.AnyElement;
import org.namdb.sql.engine.record.KeyWriter;
import org.namdb.sql.language.type.SqlArray;

/// Makes the keys that an access path looks up: each once, and none that no record can have.
final class KeyList {
    private KeyList() {}

    /// The keys of these values.
    ///
    /// @param key an empty one; it may become the only key of the list
    static List<Key> of(Key key, List<List<Scalar>> values, EvaluationFrame frame) {
        if (values.size() == 1) {
            return fill(key, values.getFirst(), frame) ? List.of(key) : List.of();
        }
        List<List<Scalar>> single = expanded(values, frame);
        List<Key> keys = new ArrayList<>();
        Set<Words> known = new HashSet<>();
        Key next = new Key(key.layout());
        for (List<Scalar> one : single) {
            if (fill(next, one, frame) && known.add(new Words(next.words()))) {
                keys.add(next);
                next = new Key(key.layout());
            }
        }
        return keys;
    }

    /// The values with each [AnyElement] replaced by the elements of its array.
    static List<List<Scalar>> expanded(List<List<Scalar>> values, EvaluationFrame frame) {
        List<List<Scalar>> all = new ArrayList<>();
        for (List<Scalar> one : new LinkedHashSet<>(values)) {
            expand(one, frame, all);
        }
        return all;
    }

    private static void expand(List<Scalar> one, EvaluationFrame frame, List<List<Scalar>> all) {
        for (int i = 0; i < one.size(); i++) {
            if (one.get(i) instanceof AnyElement any) {
                SqlArray array = (SqlArray) any.array().evaluate(frame);
                for (Object element : array == null ? List.of() : array.values()) {
                    List<Scalar> next = new ArrayList<>(one);
                    next.set(i, new ConstantScalar(element, any.type()));
                    expand(next, frame, all);
                }
                return;
            }
        }
        all.add(one);
    }

    /// Fills a key, or the first columns of one.
    ///
    /// @return false if no record has these values
    static boolean fill(Key key, List<Scalar> values, EvaluationFrame frame) {
        key.clear();
        for (int i = 0; i < values.size(); i++) {
            if (!KeyWriter.add(key, values.get(i).evaluate(frame))) {
                return false;
            }
        }
        return true;
    }

    /// The words of a key, by value.
    private static final class Words {
        private final long[] words;

        Words(long[] words) {
            this.words = words;
        }

        @Override
        public boolean equals(@org.jspecify.annotations.Nullable Object other) {
            return other instanceof Words that && Arrays.equals(words, that.words);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(words);
        }
    }
}
