package org.namdb.compute.schema;

import org.jspecify.annotations.Nullable;

/// Finds values by numbers of the catalog without an object for each lookup. Those numbers rise
/// forever, with every table, index and compute server that there ever was, so an array by number
/// would grow with them. Open addressing; many threads may look up while none changes it.
public final class NumberMap<V> {
    private static final int MIX = 0x9e3779b9;

    private int[] numbers;
    private @Nullable Object[] values;
    private int count;

    public NumberMap() {
        this(16);
    }

    private NumberMap(int places) {
        numbers = new int[places];
        values = new @Nullable Object[places];
    }

    /// The value of a number; null if there is none.
    @SuppressWarnings("unchecked") // only a V is put
    public @Nullable V get(int number) {
        return (V) values[find(number)];
    }

    /// Sets the value of a number.
    public void put(int number, V value) {
        if (2 * count >= numbers.length) {
            rebuild(2 * numbers.length, number);
        }
        int place = find(number);
        count += values[place] == null ? 1 : 0;
        numbers[place] = number;
        values[place] = value;
    }

    /// Takes the value of a number out.
    ///
    /// @return it, or null if there was none
    public @Nullable V remove(int number) {
        V value = get(number);
        if (value != null) {
            rebuild(numbers.length, number);
        }
        return value;
    }

    /// Another map with the same values.
    public NumberMap<V> copy() {
        NumberMap<V> copy = new NumberMap<>(numbers.length);
        copy.numbers = numbers.clone();
        copy.values = values.clone();
        copy.count = count;
        return copy;
    }

    /// Where a number is, or would be.
    private int find(int number) {
        int mask = numbers.length - 1;
        int place = number * MIX >>> 16 & mask;
        while (values[place] != null && numbers[place] != number) {
            place = place + 1 & mask;
        }
        return place;
    }

    /// Rehashes all but one.
    private void rebuild(int places, int except) {
        int[] formerNumbers = numbers;
        @Nullable Object[] formerValues = values;
        numbers = new int[places];
        values = new @Nullable Object[places];
        count = 0;
        for (int i = 0; i < formerValues.length; i++) {
            if (formerValues[i] != null && formerNumbers[i] != except) {
                int place = find(formerNumbers[i]);
                numbers[place] = formerNumbers[i];
                values[place] = formerValues[i];
                count++;
            }
        }
    }
}
