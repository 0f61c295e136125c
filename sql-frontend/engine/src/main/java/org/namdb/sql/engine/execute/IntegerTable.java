package org.namdb.sql.engine.execute;

/// Numbers integers in the order in which they are met first. A table of its own, since a query
/// that groups looks every row up here: with many groups, a HashMap takes more than twice the time.
final class IntegerTable {
    private static final long MIX = 0x9e3779b97f4a7c15L;

    private long[] integers = new long[128];

    /// The number, plus 1; 0 where there is no integer.
    private int[] numbers = new int[128];

    private int size;

    /// The number of an integer; `next` if it is a new one, which has this number from now on.
    int numberOf(long integer, int next) {
        int slot = slot(integer);
        if (numbers[slot] != 0) {
            return numbers[slot] - 1;
        }
        if (2 * size >= numbers.length) {
            grow();
            slot = slot(integer);
        }
        integers[slot] = integer;
        numbers[slot] = next + 1;
        size++;
        return next;
    }

    /// Where an integer is, or would be put.
    private int slot(long integer) {
        long mixed = integer * MIX;
        int mask = numbers.length - 1;
        int slot = (int) (mixed ^ mixed >>> 32) & mask;
        while (numbers[slot] != 0 && integers[slot] != integer) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private void grow() {
        long[] formerIntegers = integers;
        int[] formerNumbers = numbers;
        integers = new long[2 * formerIntegers.length];
        numbers = new int[integers.length];
        for (int i = 0; i < formerNumbers.length; i++) {
            if (formerNumbers[i] != 0) {
                int slot = slot(formerIntegers[i]);
                integers[slot] = formerIntegers[i];
                numbers[slot] = formerNumbers[i];
            }
        }
    }
}
