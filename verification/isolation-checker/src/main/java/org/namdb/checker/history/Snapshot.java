package org.namdb.checker.history;

import java.util.Arrays;

/// A read timestamp: the last timestamp that is shown of each slot. Slots beyond its length show
/// nothing.
///
/// Transactions of a history that used equal vectors have the same `Snapshot` object, so that each
/// is checked once.
public final class Snapshot implements Comparable<Snapshot> {
    /// Without zeros at the end, so that equal snapshots have equal elements.
    private final long[] elements;

    private final int number;

    /// The sum of the elements. Rounded, but rounding never turns an order round: if no element is
    /// smaller, neither is the sum.
    private final double weight;

    Snapshot(long[] trimmed, int number) {
        this.elements = trimmed;
        this.number = number;
        double sum = 0;
        for (long element : trimmed) {
            sum += element;
        }
        this.weight = sum;
    }

    /// Its number among the different snapshots of the history, from 0 on.
    public int number() {
        return number;
    }

    /// How many slots it speaks of.
    public int length() {
        return elements.length;
    }

    /// The last timestamp that it shows of a slot, 0 if it shows none.
    public long element(int slot) {
        return slot < elements.length ? elements[slot] : 0;
    }

    /// Whether it shows the commit `<slot, timestamp>`.
    public boolean shows(int slot, long timestamp) {
        return element(slot) >= timestamp;
    }

    /// Whether it shows the commit of a transaction, which has a commit timestamp.
    public boolean shows(Transaction transaction) {
        return shows(transaction.slot(), transaction.timestamp());
    }

    /// Whether it shows everything that the other one shows: no element is smaller.
    public boolean dominates(Snapshot other) {
        if (other.elements.length > elements.length) {
            return false; // the last element of a snapshot is not 0
        }
        for (int slot = 0; slot < other.elements.length; slot++) {
            if (elements[slot] < other.elements[slot]) {
                return false;
            }
        }
        return true;
    }

    /// A total order in which every snapshot is after all that it dominates.
    @Override
    public int compareTo(Snapshot other) {
        int byWeight = Double.compare(weight, other.weight);
        return byWeight != 0 ? byWeight : Arrays.compare(elements, other.elements);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Snapshot that && Arrays.equals(elements, that.elements);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(elements);
    }

    @Override
    public String toString() {
        return Arrays.toString(elements);
    }
}
