package org.namdb.sql.engine.expression.aggregate;

import org.jspecify.annotations.Nullable;

/// Takes the values of one group, one after the other, and gives the aggregate's result.
public abstract class Accumulator {
    /// Takes the argument's value for one more tuple; NULL does not count.
    public final void add(@Nullable Object value) {
        if (value != null) {
            accept(value);
        }
    }

    abstract void accept(Object value);

    /// The result over all values so far; null for NULL.
    public abstract @Nullable Object result();

    /// About how much memory it holds beyond a fixed size, in bytes.
    public long retainedBytes() {
        return 0;
    }
}
