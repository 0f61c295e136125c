package org.namdb.sql.engine.execute;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.namdb.mvcc.schema.Key;
import org.namdb.sql.engine.expression.Frame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.record.KeyWriter;

/// Makes the keys that an access path looks up: each once, and none that no record can have.
final class KeyList {
    private KeyList() {}

    /// The keys of these values.
    ///
    /// @param key an empty one; it may become the only key of the list
    static List<Key> of(Key key, List<List<Scalar>> values, Frame frame) {
        if (values.size() == 1) {
            return fill(key, values.getFirst(), frame) ? List.of(key) : List.of();
        }
        List<Key> keys = new ArrayList<>();
        Set<Words> known = new HashSet<>();
        Key next = new Key(key.layout());
        for (List<Scalar> one : values) {
            if (fill(next, one, frame) && known.add(new Words(next.words()))) {
                keys.add(next);
                next = new Key(key.layout());
            }
        }
        return keys;
    }

    /// Fills a key, or the first columns of one.
    ///
    /// @return false if no record has these values
    static boolean fill(Key key, List<Scalar> values, Frame frame) {
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
